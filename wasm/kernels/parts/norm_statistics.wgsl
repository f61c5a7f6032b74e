// From the sums over a line to its statistics. The line is looked at twice: for its scale and a first value of its mean,
// then for what rounding left in that mean and for the variance.

// The first look's factor: sums of up to 2^24 numbers of any size stay numbers.
const guard = 0x1p-24f;

// What the first look finds. `spoilt`: x holds NaN or Inf.
struct FirstLook {
  mean: f32,
  inv_scale: f32,
  spoilt: bool,
}
// From a value of the line and the sums of (x - first) * guard and of |x| * guard. The mean is taken from `first` on: a
// constant line is centred to exact zeros.
fn first_look(first: f32, sums: vec2f) -> FirstLook {
  let bits = magnitude_bits(sums.y);
  let inv_scale = line_scale((bits >> 23u) + 24u);
  let mean = first * inv_scale + sums.x / f32(n_value()) * (inv_scale / guard);
  return FirstLook(select(0.0, mean, has_mean), inv_scale, bits >= infinity_bits);
}

// 1, or a power of two that brings the sum of the line's magnitudes near 2^20: where squares would overflow (sums of 2^50
// and more), or vanish (below 2^-20) without an eps that hides them. The exponent is biased by 127, as in a float's bits.
fn line_scale(exponent: u32) -> f32 {
  let is_large = exponent >= 127u + 50u;
  let is_small = exponent < 127u - 20u && params.eps < 0x1p-78f;
  let inverse = min(2u * 127u + 20u - min(exponent, 254u), 127u + 102u); // eps * inv_scale^2 stays a number
  return select(1.0, bitcast<f32>(inverse << 23u), is_large || is_small);
}

// 1 / sqrt(variance + eps) for the variance of the scaled line; eps belongs to the unscaled one. In a constant line eps alone
// counts, and is not scaled: it might vanish.
fn reciprocal_root(variance: f32, eps: f32, inv_scale: f32) -> f32 {
  if (variance == 0.0 && eps > 0.0) { return 1.0 / max(sqrt(eps) * inv_scale, 0x1p-124f); }
  return 1.0 / sqrt(variance + eps * inv_scale * inv_scale);
}

// From the sums of v and v^2, where v = x * inv_scale - mean. All is NaN where x is spoilt, or where a zero variance meets
// eps 0.
fn finish_stats(look: FirstLook, sums: vec2f) -> LineStats {
  let means = sums / f32(n_value());
  let delta = select(0.0, means.x, has_mean);
  let variance = max(means.y - delta * delta, 0.0);
  let broken = look.spoilt || (variance == 0.0 && params.eps == 0.0);
  let nan = not_a_number(infinity_bits);
  let rstd = select(reciprocal_root(variance, params.eps, look.inv_scale), nan, broken);
  return LineStats(select(look.mean, nan, broken), delta, rstd, look.inv_scale);
}
