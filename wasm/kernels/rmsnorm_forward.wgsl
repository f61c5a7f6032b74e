// tile: rows 1, cols all
// variants: narrow
// y = x_hat * gamma over each row of x, x_hat = x / sqrt(mean(x^2) + eps). A workgroup takes one row.

const n_lane = 64u;

// Largest magnitude of the row, as bits.
fn row_largest(lane: u32, row: u32) -> u32 {
  var bits = 0u;
  for (var i = lane; i < params.d; i += n_lane) { bits = max(bits, magnitude_bits(x[row + i])); }
  return max_lanes(lane, bits, n_lane);
}

fn row_square_sum(lane: u32, row: u32, inv_scale: f32) -> f32 {
  var total = 0.0;
  for (var start = lane; start < params.d; start += n_lane * n_block) {
    let stop = min(params.d, start + n_lane * n_block);
    var block = 0.0;
    for (var i = start; i < stop; i += n_lane) {
      let v = x[row + i] * inv_scale;
      block += v * v;
    }
    total += block;
  }
  return sum_lanes(lane, vec2f(total, 0.0), n_lane, 1u).x;
}

@compute @workgroup_size(n_lane)
fn rmsnorm_forward(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let row_index = workgroup.z * params.n_row + min(group, params.n_row - 1u);
  let row = row_index * params.d;
  let feature = workgroup.z * params.d;

  let largest = row_largest(lane, row);
  let inv_scale = inverse_scale(largest);
  let mean_square = row_square_sum(lane, row, inv_scale) / f32(params.d);
  let rstd = reciprocal_root(mean_square, params.eps, inv_scale);

  if (group >= params.n_row) { return; }
  let broken = largest >= infinity_bits || (mean_square == 0.0 && params.eps == 0.0);
  let nan = not_a_number(largest);
  for (var i = lane; i < params.d; i += n_lane) {
    var value = x[row + i] * inv_scale * rstd * gamma[feature + i];
    if ((params.accumulate & 1u) != 0u) { value += y[row + i]; }
    y[row + i] = select(value, nan, broken);
  }
  if (lane == 0u) {
    let s = row_index * 4u;
    stats[s] = 0.0;
    stats[s + 1u] = 0.0;
    stats[s + 2u] = select(rstd, nan, broken);
    stats[s + 3u] = inv_scale;
  }
}
