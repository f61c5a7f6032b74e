// The gradient of x over lines of any length: x, gamma and dy are read twice.
fn gradient_at(at: u32, feature: u32) -> f32 {
  return dy[at] * gamma[feature];
}

fn gradient_sums(lane: u32, start: u32, feature: u32, s: LineStats) -> vec2f {
  var total = vec2f(0.0);
  for (var begin = first_of(lane); begin < n_value(); begin += n_share * n_block) {
    let end = min(n_value(), begin + n_share * n_block);
    var block = vec2f(0.0);
    for (var i = begin; i < end; i += n_share) {
      let at = start + i * stride();
      block += gradient_terms(gradient_at(at, feature + i * feature_step), x_hat(x[at], s), i);
    }
    total += block;
  }
  return sum_line(lane, total);
}

fn differentiate_line(lane: u32, group: u32, model: u32) {
  let line = line_of(lane, group);
  if (n_share == 1u && line >= n_line()) { return; }
  let held = min(line, n_line() - 1u);
  let start = start_of(model, held);
  let feature = feature_of(model, held);
  let s = unpack_stats(stats[model * n_line() + held]);
  let sums = gradient_sums(lane, start, feature, s);

  if (line >= n_line()) { return; }
  let means = sums / f32(n_value());
  let broken = gradient_is_broken(sums, s);
  for (var i = first_of(lane); i < n_value(); i += n_share) {
    let at = start + i * stride();
    let g = gradient_at(at, feature + i * feature_step);
    write_gradient(at, gradient_value(g, x_hat(x[at], s), i, means, s), broken);
  }
}
