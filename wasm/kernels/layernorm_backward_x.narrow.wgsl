// tile: rows 64, cols all
// variant: cols <= 32
// layernorm_backward_x for narrow rows: a lane takes a whole row, so no lane waits for another.

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

@compute @workgroup_size(n_lane)
fn layernorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (index >= params.n_row) { return; }
  let row_index = workgroup.z * params.n_row + index;
  let start_of_row = row_index * params.d;
  let feature = workgroup.z * params.d;
  let s = row_index * 4u;
  let row = RowStats(stats[s], stats[s + 1u], stats[s + 2u], stats[s + 3u]);

  // Sums of g and g * x_hat.
  var sums = vec2f(0.0);
  for (var i = 0u; i < params.d; i += 1u) {
    let g = dy[start_of_row + i] * gamma[feature + i];
    sums += vec2f(g, g * x_hat(start_of_row + i, row));
  }
  let means = sums / f32(params.d);
  // The sums saw every value: they are finite only if x, gamma and dy were.
  let broken = !is_finite(sums.x) || !is_finite(sums.y) || !is_finite(row.rstd);
  let nan = not_a_number(infinity_bits);
  let factor = row.rstd * row.inv_scale;
  for (var i = 0u; i < params.d; i += 1u) {
    let at = start_of_row + i;
    let g = dy[at] * gamma[feature + i];
    var value = ((g - means.x) - x_hat(at, row) * means.y) * factor;
    if ((params.accumulate & 1u) != 0u) { value += dx[at]; }
    dx[at] = select(value, nan, broken);
  }
}
