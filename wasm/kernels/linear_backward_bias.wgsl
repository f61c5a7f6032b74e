// variants: software rows
// tile: rows all, cols 16
// uses: linear_backward_bias_sums
// db = sum over rows of dy. A workgroup takes 16 columns, 16 rows at a time.
@compute @workgroup_size(n_lane)
fn linear_backward_bias(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_column + lane % n_column;
  let share = column_sum(lane / n_column, min(column, params.n_out - 1u), workgroup.z, 0u, params.n_row);
  let sum = sum_lanes(lane, vec2f(share, 0.0), n_lane, n_column).x;
  if (lane >= n_column || column >= params.n_out) { return; }
  let at = workgroup.z * params.n_out + column;
  dbias[at] = select(sum, sum + dbias[at], (params.accumulate & 1u) != 0u);
}
