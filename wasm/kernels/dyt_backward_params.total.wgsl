// groups: ceil(d / 64)
// then: dyt_backward_params.alpha
// binds: gamma dgamma dbeta scratch
// uses: scalar column_sums column_tiles column_totals dyt_sums
// The gradients of a column from its tiles.
const n_term = 3u;
alias Terms = vec3f;

@compute @workgroup_size(n_lane)
fn dyt_backward_params(@builtin(local_invocation_index) lane: u32,
                       @builtin(workgroup_id) workgroup: vec3u,
                       @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column < params.d) { write_sums(workgroup.z, column, total_of(workgroup.z, column)); }
}
