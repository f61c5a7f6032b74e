// tile: rows all, cols 16
// dgamma = sum over rows of dy * x_hat, dbeta = sum over rows of dy. A workgroup takes 16 columns, 16 rows at a time.

const n_lane = 256u;
const n_column = 16u;
const n_row_lane = n_lane / n_column;

// A lane's share of the two sums of one column.
fn column_sums(row_lane: u32, column: u32, model: u32) -> vec2f {
  var total = vec2f(0.0);
  for (var start = row_lane; start < params.n_row; start += n_row_lane * n_block) {
    let stop = min(params.n_row, start + n_row_lane * n_block);
    var block = vec2f(0.0);
    for (var r = start; r < stop; r += n_row_lane) {
      let row = model * params.n_row + r;
      let at = row * params.d + column;
      let s = row * 4u;
      let x_hat = ((x[at] * stats[s + 3u] - stats[s]) - stats[s + 1u]) * stats[s + 2u];
      block += vec2f(dy[at] * x_hat, dy[at]);
    }
    total += block;
  }
  return total;
}

@compute @workgroup_size(n_lane)
fn layernorm_backward_params(@builtin(local_invocation_index) lane: u32,
                             @builtin(workgroup_id) workgroup: vec3u,
                             @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_column + lane % n_column;
  let share = column_sums(lane / n_column, min(column, params.d - 1u), workgroup.z);
  var sums = sum_lanes(lane, share, n_lane, n_column);

  if (lane >= n_column || column >= params.d) { return; }
  let feature = workgroup.z * params.d + column;
  if ((params.accumulate & 1u) != 0u) { sums.x += dgamma[feature]; }
  if ((params.accumulate & 2u) != 0u) { sums.y += dbeta[feature]; }
  dgamma[feature] = sums.x;
  dbeta[feature] = sums.y;
}
