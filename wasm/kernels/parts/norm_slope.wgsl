// From the sums over a line to the gradient of its values.

// The smallest lines leave x_hat no direction but 1 or -1: all that passes is what eps leaves, 1 - x_hat^2 = eps r^2, and
// the general formula would be nothing but cancellation.
fn has_one_direction() -> bool { return n_value() == select(1u, 2u, has_mean); }
fn along_direction(v: Real, i: u32) -> Real { return select(v, -v, i == 1u && has_one_direction()); }

// A line's gradient needs the sums of these two, of g = gamma dy and of g x_hat.
struct SlopeTerms {
  g: Real,
  g_x_hat: Real,
}
fn slope_terms(g: Real, normalized: Real, i: u32) -> SlopeTerms {
  return SlopeTerms(along_direction(g, i), g * normalized);
}

// dx = r (g - mean(g) - x_hat mean(g x_hat)); without mean(g) for RMSNorm.
fn slope(g: Real, normalized: Real, i: u32, means: vec2f, s: LineStats) -> Real {
  let r = s.rstd * s.inv_scale;
  if (has_one_direction()) { return along_direction(Real(means.x), i) * ((params.eps * r * r) * r); }
  return ((g - select(0.0, means.x, has_mean)) - normalized * means.y) * r;
}
// The sums saw every value: they are finite only if x, gamma and dy were.
fn slope_is_broken(sums: vec2f, s: LineStats) -> bool {
  return !is_finite(sums.x) || !is_finite(sums.y) || is_broken(s);
}
