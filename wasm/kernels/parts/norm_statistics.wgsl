// From the sums over a line to its statistics.

// eps hides nothing below this: 2^48 times the smallest square that is a normal number.
const small_square = 0x1p-78f;

// 1, or a power of two that brings the line's largest magnitude near 2^20: where squares would overflow (2^50 and more)
// or vanish (below 2^-38). The exponent is biased by 127, as in the bits of a float.
fn line_scale(exponent: u32, eps: f32) -> f32 {
  let is_large = exponent >= 127u + 50u;
  let is_small = exponent < 127u - 38u && eps < small_square;
  let inverse = min(2u * 127u + 20u - min(exponent, 254u), 127u + 102u); // eps * inv_scale^2 stays a number
  return select(1.0, bitcast<f32>(inverse << 23u), is_large || is_small);
}

// The statistics of a line from `mean`, a first value of its mean, and the means of v and v^2, where v = x * inv_scale
// - mean: what rounding left in the mean, and the variance without it. All is NaN where `spoilt` says that x holds NaN
// or Inf, or where a zero variance meets eps 0.
fn finish_stats(mean: f32, centred: vec2f, inv_scale: f32, spoilt: bool) -> LineStats {
  let delta = select(0.0, centred.x, has_mean);
  let variance = max(centred.y - delta * delta, 0.0);
  let broken = spoilt || (variance == 0.0 && params.eps == 0.0);
  let nan = not_a_number(infinity_bits);
  let rstd = select(reciprocal_root(variance, params.eps, inv_scale), nan, broken);
  return LineStats(select(mean, nan, broken), delta, rstd, inv_scale);
}
