// The activations, as the CPU computes them. Needs exp and tanh.
const relu = 0u;
const gelu_tanh = 1u;
const gelu_erf = 2u;
const tanh_kind = 3u;

const root_2_over_pi = 0.7978845608028654;
const cubic = 0.044715;
const inverse_root_2 = 0.7071067811865476;

// 1 + erf(x), without cancellation for negative x.
fn one_plus_erf(x: Real) -> Real {
  let u = x * x;
  var p = u * 7.875875063e-5 - 0.0008016864287;
  p = p * u + 0.005189087423;
  p = p * u - 0.02685421201;
  p = p * u + 0.1128359472;
  p = p * u - 0.3761262667;
  p = p * u + 1.128379166;
  let limited = min(abs(x), Real(9.4)); // there e^-x² is 0
  let t = 1.0 / (limited * 0.5 + 1.0);
  var q = t * 0.0740661851 - 0.1626377456;
  q = q * t - 0.00626017353;
  q = q * t + 0.1296518832;
  q = q * t + 0.1466077767;
  q = q * t + 0.2562982718;
  q = q * t + 0.2804047092;
  q = q * t + 0.2822562863;
  q = q * t - 6.433822951e-6;
  let erfc = q * exp_of(-(limited * limited));
  return through_nan(x, select(select(2.0 - erfc, erfc, x < Real(0.0)), x * p + 1.0, abs(x) < Real(1.0)));
}

// 1 + tanh(√(2/π) (x + 0.044715 x³)) of the approximate GELU (Hendrycks & Gimpel 2016), as 2 / (1 + e^(-2u)): no
// cancellation for negative u; far out exactly 0. limited: x within ±12, where the GELU has long reached its limits.
fn one_plus_tanh(x: Real, limited: Real) -> Real {
  let u = limited * root_2_over_pi * (1.0 + limited * limited * cubic);
  return through_nan(x, select(2.0 / (1.0 + exp_of(u * -2.0)), Real(0.0), x < Real(-12.0)));
}
fn within_12(x: Real) -> Real { return clamp(x, Real(-12.0), Real(12.0)); }

fn activation(x: Real) -> Real {
  switch params.kind {
    case relu: { return through_nan(x, max(x, Real(0.0))); }
    case gelu_tanh: { return x * 0.5 * one_plus_tanh(x, within_12(x)); }
    case gelu_erf: { return x * 0.5 * one_plus_erf(x * inverse_root_2); }
    default: { return tanh_of(x); }
  }
}
