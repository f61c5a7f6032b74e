// tile: rows 64, cols all
// variant: cols <= 32
// rmsnorm_forward for narrow rows: a lane takes a whole row, so no lane waits for another.

const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn rmsnorm_forward(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (index >= params.n_row) { return; }
  let row_index = workgroup.z * params.n_row + index;
  let row = row_index * params.d;
  let feature = workgroup.z * params.d;

  var largest = 0u;
  for (var i = 0u; i < params.d; i += 1u) { largest = max(largest, magnitude_bits(x[row + i])); }
  let inv_scale = inverse_scale(largest);
  var square_sum = 0.0;
  for (var i = 0u; i < params.d; i += 1u) {
    let v = x[row + i] * inv_scale;
    square_sum += v * v;
  }
  let mean_square = square_sum / f32(params.d);
  let rstd = reciprocal_root(mean_square, params.eps, inv_scale);

  let broken = largest >= infinity_bits || (mean_square == 0.0 && params.eps == 0.0);
  let nan = not_a_number(largest);
  for (var i = 0u; i < params.d; i += 1u) {
    var value = x[row + i] * inv_scale * rstd * gamma[feature + i];
    if ((params.accumulate & 1u) != 0u) { value += y[row + i]; }
    y[row + i] = select(value, nan, broken);
  }
  let s = row_index * 4u;
  stats[s] = 0.0;
  stats[s + 1u] = 0.0;
  stats[s + 2u] = select(rstd, nan, broken);
  stats[s + 3u] = inv_scale;
}
