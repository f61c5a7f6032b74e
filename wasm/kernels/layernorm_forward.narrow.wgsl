// tile: rows 64, cols all
// variant: cols <= 32
// layernorm_forward for narrow rows: a lane takes a whole row, so no lane waits for another.

const n_lane = 64u;

// Sums of v and v^2 over the row, where v = x * inv_scale - centre.
fn row_sums(row: u32, inv_scale: f32, centre: f32) -> vec2f {
  var total = vec2f(0.0);
  for (var i = 0u; i < params.d; i += 1u) {
    let v = x[row + i] * inv_scale - centre;
    total += vec2f(v, v * v);
  }
  return total;
}

@compute @workgroup_size(n_lane)
fn layernorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let index = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (index >= params.n_row) { return; }
  let row_index = workgroup.z * params.n_row + index;
  let row = row_index * params.d;
  let feature = workgroup.z * params.d;
  let d = f32(params.d);

  var largest = 0u;
  for (var i = 0u; i < params.d; i += 1u) { largest = max(largest, magnitude_bits(x[row + i])); }
  let inv_scale = inverse_scale(largest);
  // The mean is taken from the first value on: a constant row is centred to exact zeros.
  let first = x[row] * inv_scale;
  let mean = first + row_sums(row, inv_scale, first).x / d;
  // Second pass: what rounding left in the mean, and the variance without it.
  let centred = row_sums(row, inv_scale, mean);
  let delta = centred.x / d;
  let variance = max(centred.y / d - delta * delta, 0.0);
  let rstd = reciprocal_root(variance, params.eps, inv_scale);

  let broken = largest >= infinity_bits || (variance == 0.0 && params.eps == 0.0);
  let nan = not_a_number(largest);
  for (var i = 0u; i < params.d; i += 1u) {
    let x_hat = ((x[row + i] * inv_scale - mean) - delta) * rstd;
    var value = x_hat * gamma[feature + i] + beta[feature + i];
    if ((params.accumulate & 1u) != 0u) { value += y[row + i]; }
    y[row + i] = select(value, nan, broken);
  }
  let s = row_index * 4u;
  stats[s] = select(mean, nan, broken);
  stats[s + 1u] = delta;
  stats[s + 2u] = select(rstd, nan, broken);
  stats[s + 3u] = inv_scale;
}
