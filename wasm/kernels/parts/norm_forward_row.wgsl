// Forward over lines of at most n_lane * n_reg items: a lane reads its items once and keeps them in registers.

// Sums over the line of v = x * scale - centre, and of v^2; for a first look of |x * scale| instead.
fn kept_sums(lane: u32, kept: ptr<function, array<Real, n_reg>>, scale: f32, centre: f32, is_first: bool) -> vec2f {
  let n = n_item();
  var sum = Real();
  var other = Real();
  for (var k = 0u; k < n_reg; k += 1u) {
    let scaled = (*kept)[k] * scale;
    let v = select(Real(), scaled - centre, lane + k * n_lane < n);
    sum += v;
    other += select(v * v, abs(scaled), is_first);
  }
  return sum_lanes(lane, vec2f(sum_of(sum), sum_of(other)), n_lane, 1u);
}

fn kept_stats(lane: u32, kept: ptr<function, array<Real, n_reg>>, first: f32) -> LineStats {
  let look = first_look(first, kept_sums(lane, kept, guard, first * guard, true));
  return finish_stats(look, kept_sums(lane, kept, look.inv_scale, look.mean, false));
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
