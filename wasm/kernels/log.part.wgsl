// Natural logarithm of a positive normal number, as on the CPU: near 1 the built-in function is exact to 2^-21 only, which
// is much of a small loss.
fn log_positive(x: f32) -> f32 {
  let bits = bitcast<i32>(x);
  let exponent = (bits - 0x3f3504f3) >> 23u; // so that the mantissa lies in [√½, √2)
  let m = bitcast<f32>(bits - (exponent << 23u));
  let s = (m - 1.0) / (m + 1.0);
  let u = s * s;
  let p = ((0.1167097169 * u + 0.1427519848) * u + 0.200000628) * u + 0.3333333327;
  let e = f32(exponent);
  return e * 0.693359375 + (2.0 * s + (2.0 * s * u * p - e * 2.12194440e-4));
}
