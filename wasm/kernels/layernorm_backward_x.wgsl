// tile: rows 1, cols all
// variants: narrow
// dx = (g - mean(g) - x_hat * mean(g * x_hat)) / sigma with g = dy * gamma. A workgroup takes one row.

const n_lane = 64u;

struct RowStats {
  mean: f32,
  delta: f32,
  rstd: f32,
  inv_scale: f32,
}
fn x_hat(at: u32, row: RowStats) -> f32 {
  return ((x[at] * row.inv_scale - row.mean) - row.delta) * row.rstd;
}

// Sums of g and g * x_hat over the row.
fn row_sums(lane: u32, start_of_row: u32, feature: u32, row: RowStats) -> vec2f {
  var total = vec2f(0.0);
  for (var start = lane; start < params.d; start += n_lane * n_block) {
    let stop = min(params.d, start + n_lane * n_block);
    var block = vec2f(0.0);
    for (var i = start; i < stop; i += n_lane) {
      let g = dy[start_of_row + i] * gamma[feature + i];
      block += vec2f(g, g * x_hat(start_of_row + i, row));
    }
    total += block;
  }
  return sum_lanes(lane, total, n_lane, 1u);
}

@compute @workgroup_size(n_lane)
fn layernorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let row_index = workgroup.z * params.n_row + min(group, params.n_row - 1u);
  let start_of_row = row_index * params.d;
  let feature = workgroup.z * params.d;
  let s = row_index * 4u;
  let row = RowStats(stats[s], stats[s + 1u], stats[s + 2u], stats[s + 3u]);

  let sums = row_sums(lane, start_of_row, feature, row);
  let means = sums / f32(params.d);
  // The sums saw every value: they are finite only if x, gamma and dy were.
  let broken = !is_finite(sums.x) || !is_finite(sums.y) || !is_finite(row.rstd);
  let nan = not_a_number(infinity_bits);
  let factor = row.rstd * row.inv_scale;

  if (group >= params.n_row) { return; }
  for (var i = lane; i < params.d; i += n_lane) {
    let at = start_of_row + i;
    let g = dy[at] * gamma[feature + i];
    var value = ((g - means.x) - x_hat(at, row) * means.y) * factor;
    if ((params.accumulate & 1u) != 0u) { value += dx[at]; }
    dx[at] = select(value, nan, broken);
  }
}
