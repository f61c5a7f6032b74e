// groups: ceil(d / 64)
// variant: software || n_row <= 64
// vec4: stats
// uses: norm norm_rows norm_params column_sums scaled_sums
// rmsnorm_backward_params for few rows: a lane sums a whole column.
const n_lane = 64u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn rmsnorm_backward_params(@builtin(local_invocation_index) lane: u32,
                           @builtin(workgroup_id) workgroup: vec3u,
                           @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column < params.d) { write_sums(workgroup.z, column, sum_column(workgroup.z, 0u, params.n_row, column)); }
}
