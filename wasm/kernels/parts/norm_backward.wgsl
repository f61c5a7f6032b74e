// The gradient of x over lines of any length: x, gamma and dy are read twice.
fn line_slope_sums(member: u32, start: u32, feature: u32, s: LineStats) -> vec2f {
  let n = n_item();
  var sum = Real();
  var sum_x_hat = Real();
  for (var begin = member; begin < n; begin += n_team * n_block) {
    let end = min(n, begin + n_team * n_block);
    var block = Real();
    var block_x_hat = Real();
    for (var i = begin; i < end; i += n_team) {
      let at = start + i * stride();
      let terms = slope_terms(dy[at] * gamma[feature + i * feature_stride], x_hat(x[at], s), i);
      block += terms.g;
      block_x_hat += terms.g_x_hat;
    }
    sum += block;
    sum_x_hat += block_x_hat;
  }
  return team_sum(member, vec2f(sum_of(sum), sum_of(sum_x_hat)));
}

fn differentiate_line(lane: u32, group: u32, model: u32) {
  let line = line_of(lane, group);
  if (n_team == 1u && line >= n_line()) { return; }
  let member = member_of(lane);
  let held = min(line, n_line() - 1u);
  let start = start_of(model, held);
  let feature = feature_of(model, held);
  let s = unpack_stats(stats[model * n_line() + held]);
  let sums = line_slope_sums(member, start, feature, s);

  if (line >= n_line()) { return; }
  let means = sums / f32(n_value());
  let broken = slope_is_broken(sums, s);
  let n = n_item();
  for (var i = member; i < n; i += n_team) {
    let at = start + i * stride();
    let g = dy[at] * gamma[feature + i * feature_stride];
    write_slope(at, slope(g, x_hat(x[at], s), i, means, s), broken);
  }
}
