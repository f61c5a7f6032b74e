// The gradient of x over lines of at most n_lane * n_reg items: a lane reads x, gamma and dy once and keeps x_hat and g =
// gamma dy in registers.
fn differentiate_line(lane: u32, group: u32, model: u32) {
  let line = min(group, n_line() - 1u);
  let start = start_of(model, line);
  let feature = feature_of(model, line);
  let s = unpack_stats(stats[model * n_line() + line]);
  let n = n_item();
  var normalized: array<Real, n_reg>;
  var g: array<Real, n_reg>;
  var sum = Real();
  var sum_x_hat = Real();
  for (var k = 0u; k < n_reg; k += 1u) {
    let i = lane + k * n_lane;
    if (i < n) {
      normalized[k] = x_hat(x[start + i * stride()], s);
      g[k] = dy[start + i * stride()] * gamma[feature + i * feature_stride];
      let terms = slope_terms(g[k], normalized[k], i);
      sum += terms.g;
      sum_x_hat += terms.g_x_hat;
    }
  }
  let sums = sum_lanes(lane, vec2f(sum_of(sum), sum_of(sum_x_hat)), n_lane, 1u);

  if (group >= n_line()) { return; }
  let means = sums / f32(n_value());
  let broken = slope_is_broken(sums, s);
  for (var k = 0u; k < n_reg; k += 1u) {
    let i = lane + k * n_lane;
    if (i < n) { write_slope(start + i * stride(), slope(g[k], normalized[k], i, means, s), broken); }
  }
}
