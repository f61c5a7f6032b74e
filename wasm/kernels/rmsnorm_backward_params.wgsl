// tile: rows all, cols 16
// dgamma = sum over rows of dy * x_hat. A workgroup takes 16 columns, 16 rows at a time.

const n_lane = 256u;
const n_column = 16u;
const n_row_lane = n_lane / n_column;

// A lane's share of the sum of one column.
fn column_sum(row_lane: u32, column: u32, model: u32) -> f32 {
  var total = 0.0;
  for (var start = row_lane; start < params.n_row; start += n_row_lane * n_block) {
    let stop = min(params.n_row, start + n_row_lane * n_block);
    var block = 0.0;
    for (var r = start; r < stop; r += n_row_lane) {
      let row = model * params.n_row + r;
      let at = row * params.d + column;
      block += dy[at] * (x[at] * stats[row * 4u + 3u] * stats[row * 4u + 2u]);
    }
    total += block;
  }
  return total;
}

@compute @workgroup_size(n_lane)
fn rmsnorm_backward_params(@builtin(local_invocation_index) lane: u32,
                           @builtin(workgroup_id) workgroup: vec3u,
                           @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_column + lane % n_column;
  let share = column_sum(lane / n_column, min(column, params.d - 1u), workgroup.z);
  var sum = sum_lanes(lane, vec2f(share, 0.0), n_lane, n_column).x;

  if (lane >= n_column || column >= params.d) { return; }
  let feature = workgroup.z * params.d + column;
  if ((params.accumulate & 1u) != 0u) { sum += dgamma[feature]; }
  dgamma[feature] = sum;
}
