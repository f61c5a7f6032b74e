// tile: rows 64, cols all
// variant: cols <= 32
// rmsnorm_backward_x for narrow rows: a lane takes a whole row, so no lane waits for another.

const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn rmsnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (index >= params.n_row) { return; }
  let row_index = workgroup.z * params.n_row + index;
  let row = row_index * params.d;
  let feature = workgroup.z * params.d;
  let rstd = stats[row_index * 4u + 2u];
  let inv_scale = stats[row_index * 4u + 3u];

  var sum = 0.0;
  for (var i = 0u; i < params.d; i += 1u) {
    sum += dy[row + i] * gamma[feature + i] * (x[row + i] * inv_scale * rstd);
  }
  let mean = sum / f32(params.d);
  // The sum saw every value: it is finite only if x, gamma and dy were.
  let broken = !is_finite(sum) || !is_finite(rstd);
  let nan = not_a_number(infinity_bits);
  let factor = rstd * inv_scale;
  for (var i = 0u; i < params.d; i += 1u) {
    let at = row + i;
    let x_hat = x[at] * inv_scale * rstd;
    var value = (dy[at] * gamma[feature + i] - x_hat * mean) * factor;
    if ((params.accumulate & 1u) != 0u) { value += dx[at]; }
    dx[at] = select(value, nan, broken);
  }
}
