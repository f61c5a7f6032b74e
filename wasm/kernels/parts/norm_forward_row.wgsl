// Forward over lines of at most n_lane * n_reg items: a lane reads its items once and keeps them in registers.

// Sums of v and v^2 over the line, where v = x * inv_scale - centre.
fn kept_sums(lane: u32, kept: ptr<function, array<Real, n_reg>>, inv_scale: f32, centre: f32) -> vec2f {
  var sum = Real();
  var square_sum = Real();
  for (var k = 0u; k < n_reg; k += 1u) {
    let v = select(Real(), (*kept)[k] * inv_scale - centre, lane + k * n_lane < n_item());
    sum += v;
    square_sum += v * v;
  }
  return sum_lanes(lane, vec2f(sum_of(sum), sum_of(square_sum)), n_lane, 1u);
}

// The mean is taken from `first` on, a value of the line: a constant line is centred to exact zeros.
fn kept_stats(lane: u32, kept: ptr<function, array<Real, n_reg>>, first: f32) -> LineStats {
  var bits = Bits();
  for (var k = 0u; k < n_reg; k += 1u) { bits = max(bits, bitcast<Bits>((*kept)[k]) & Bits(0x7fffffffu)); }
  let largest = max_lanes(lane, largest_of(bits), n_lane);
  let inv_scale = line_scale(largest >> 23u, params.eps);
  let n = f32(n_value());
  var mean = 0.0;
  if (has_mean) { mean = first * inv_scale + kept_sums(lane, kept, inv_scale, first * inv_scale).x / n; }
  return finish_stats(mean, kept_sums(lane, kept, inv_scale, mean) / n, inv_scale, largest >= infinity_bits);
}

fn normalize_line(lane: u32, group: u32, model: u32) {
  let start = start_of(model, min(group, n_line() - 1u));
  let n = n_item();
  var kept: array<Real, n_reg>;
  for (var k = 0u; k < n_reg; k += 1u) {
    let i = lane + k * n_lane;
    if (i < n) { kept[k] = value_at(start + i * stride()); }
  }
  let s = kept_stats(lane, &kept, first_of(value_at(start)));

  if (group >= n_line()) { return; }
  let feature = feature_of(model, group);
  for (var k = 0u; k < n_reg; k += 1u) {
    let i = lane + k * n_lane;
    if (i < n) { write_value(start + i * stride(), feature + i * feature_stride, kept[k], s); }
  }
  if (lane == 0u) { stats[model * n_line() + group] = pack_stats(s); }
}
