// tile: rows 1, cols all
// variants: narrow
// dx = (g - x_hat * mean(g * x_hat)) / rms with g = dy * gamma. A workgroup takes one row.

const n_lane = 64u;

// Sum of g * x_hat over the row.
fn row_sum(lane: u32, row: u32, feature: u32, inv_scale: f32, rstd: f32) -> f32 {
  var total = 0.0;
  for (var start = lane; start < params.d; start += n_lane * n_block) {
    let stop = min(params.d, start + n_lane * n_block);
    var block = 0.0;
    for (var i = start; i < stop; i += n_lane) {
      block += dy[row + i] * gamma[feature + i] * (x[row + i] * inv_scale * rstd);
    }
    total += block;
  }
  return sum_lanes(lane, vec2f(total, 0.0), n_lane, 1u).x;
}

@compute @workgroup_size(n_lane)
fn rmsnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let row_index = workgroup.z * params.n_row + min(group, params.n_row - 1u);
  let row = row_index * params.d;
  let feature = workgroup.z * params.d;
  let rstd = stats[row_index * 4u + 2u];
  let inv_scale = stats[row_index * 4u + 3u];

  let sum = row_sum(lane, row, feature, inv_scale, rstd);
  let mean = sum / f32(params.d);
  // The sum saw every value: it is finite only if x, gamma and dy were.
  let broken = !is_finite(sum) || !is_finite(rstd);
  let nan = not_a_number(infinity_bits);
  let factor = rstd * inv_scale;

  if (group >= params.n_row) { return; }
  for (var i = lane; i < params.d; i += n_lane) {
    let at = row + i;
    let x_hat = x[at] * inv_scale * rstd;
    var value = (dy[at] * gamma[feature + i] - x_hat * mean) * factor;
    if ((params.accumulate & 1u) != 0u) { value += dx[at]; }
    dx[at] = select(value, nan, broken);
  }
}
