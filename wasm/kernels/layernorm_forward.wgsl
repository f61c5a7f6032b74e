// tile: rows 1, cols all
// variants: narrow
// y = x_hat * gamma + beta over each row of x. A workgroup takes one row.

const n_lane = 64u;

// Largest magnitude of the row, as bits.
fn row_largest(lane: u32, row: u32) -> u32 {
  var bits = 0u;
  for (var i = lane; i < params.d; i += n_lane) { bits = max(bits, magnitude_bits(x[row + i])); }
  return max_lanes(lane, bits, n_lane);
}

// Sums of v and v^2 over the row, where v = x * inv_scale - centre.
fn row_sums(lane: u32, row: u32, inv_scale: f32, centre: f32) -> vec2f {
  var total = vec2f(0.0);
  for (var start = lane; start < params.d; start += n_lane * n_block) {
    let stop = min(params.d, start + n_lane * n_block);
    var block = vec2f(0.0);
    for (var i = start; i < stop; i += n_lane) {
      let v = x[row + i] * inv_scale - centre;
      block += vec2f(v, v * v);
    }
    total += block;
  }
  return sum_lanes(lane, total, n_lane, 1u);
}

@compute @workgroup_size(n_lane)
fn layernorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let group = group_index(workgroup, n_workgroup);
  let row_index = workgroup.z * params.n_row + min(group, params.n_row - 1u);
  let row = row_index * params.d;
  let feature = workgroup.z * params.d;
  let d = f32(params.d);

  let largest = row_largest(lane, row);
  let inv_scale = inverse_scale(largest);
  // The mean is taken from the first value on: a constant row is centred to exact zeros.
  let first = x[row] * inv_scale;
  let mean = first + row_sums(lane, row, inv_scale, first).x / d;
  // Second pass: what rounding left in the mean, and the variance without it.
  let centred = row_sums(lane, row, inv_scale, mean);
  let delta = centred.x / d;
  let variance = max(centred.y / d - delta * delta, 0.0);
  let rstd = reciprocal_root(variance, params.eps, inv_scale);

  if (group >= params.n_row) { return; }
  let broken = largest >= infinity_bits || (variance == 0.0 && params.eps == 0.0);
  let nan = not_a_number(largest);
  for (var i = lane; i < params.d; i += n_lane) {
    let x_hat = ((x[row + i] * inv_scale - mean) - delta) * rstd;
    var value = x_hat * gamma[feature + i] + beta[feature + i];
    if ((params.accumulate & 1u) != 0u) { value += y[row + i]; }
    y[row + i] = select(value, nan, broken);
  }
  if (lane == 0u) {
    let s = row_index * 4u;
    stats[s] = select(mean, nan, broken);
    stats[s + 1u] = delta;
    stats[s + 2u] = select(rstd, nan, broken);
    stats[s + 3u] = inv_scale;
  }
}
