// The gradient of x over lines of at most n_lane * n_reg values: a lane reads x, gamma and dy once and keeps x_hat and
// g = gamma dy in registers.
fn differentiate_line(lane: u32, group: u32, model: u32) {
  let line = min(group, n_line() - 1u);
  let start = start_of(model, line);
  let feature = feature_of(model, line);
  let s = unpack_stats(stats[model * n_line() + line]);
  var normalized: array<f32, n_reg>;
  var g: array<f32, n_reg>;
  var share = vec2f(0.0);
  for (var k = 0u; k < n_reg; k += 1u) {
    let i = lane + k * n_lane;
    if (i < n_value()) {
      let at = start + i * stride();
      normalized[k] = x_hat(x[at], s);
      g[k] = dy[at] * gamma[feature + i * feature_step];
      share += gradient_terms(g[k], normalized[k], i);
    }
  }
  let sums = sum_lanes(lane, share, n_lane, 1u);

  if (group >= n_line()) { return; }
  let means = sums / f32(n_value());
  let broken = gradient_is_broken(sums, s);
  for (var k = 0u; k < n_reg; k += 1u) {
    let i = lane + k * n_lane;
    if (i < n_value()) {
      write_gradient(start + i * stride(), gradient_value(g[k], normalized[k], i, means, s), broken);
    }
  }
}
