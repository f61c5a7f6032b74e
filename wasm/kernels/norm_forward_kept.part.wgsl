// Forward over lines of at most n_lane * n_reg values: a lane reads its n_reg values once and keeps them in registers.

// Sums of v and v^2 over the line, where v = x * inv_scale - centre.
fn kept_sums(lane: u32, kept: ptr<function, array<f32, n_reg>>, inv_scale: f32, centre: f32) -> vec2f {
  var total = vec2f(0.0);
  for (var k = 0u; k < n_reg; k += 1u) {
    let v = (*kept)[k] * inv_scale - centre;
    total += select(vec2f(0.0), vec2f(v, v * v), lane + k * n_lane < n_value());
  }
  return sum_lanes(lane, total, n_lane, 1u);
}

// The mean is taken from `first` on, a value of the line: a constant line is centred to exact zeros.
fn kept_stats(lane: u32, kept: ptr<function, array<f32, n_reg>>, first: f32) -> LineStats {
  var bits = 0u;
  for (var k = 0u; k < n_reg; k += 1u) { bits = max(bits, magnitude_bits((*kept)[k])); }
  let largest = max_lanes(lane, bits, n_lane);
  let inv_scale = line_scale(largest >> 23u, params.eps);
  let n = f32(n_value());
  var mean = 0.0;
  if (has_mean) { mean = first * inv_scale + kept_sums(lane, kept, inv_scale, first * inv_scale).x / n; }
  return finish_stats(mean, kept_sums(lane, kept, inv_scale, mean) / n, inv_scale, largest >= infinity_bits);
}

fn normalize_line(lane: u32, group: u32, model: u32) {
  let start = start_of(model, min(group, n_line() - 1u));
  var kept: array<f32, n_reg>;
  for (var k = 0u; k < n_reg; k += 1u) {
    let i = lane + k * n_lane;
    if (i < n_value()) { kept[k] = value_at(start + i * stride()); }
  }
  let s = kept_stats(lane, &kept, value_at(start));

  if (group >= n_line()) { return; }
  let feature = feature_of(model, group);
  for (var k = 0u; k < n_reg; k += 1u) {
    let i = lane + k * n_lane;
    if (i < n_value()) { write_value(start + i * stride(), feature + i * feature_step, kept[k], s); }
  }
  if (lane == 0u) { stats[model * n_line() + group] = pack_stats(s); }
}
