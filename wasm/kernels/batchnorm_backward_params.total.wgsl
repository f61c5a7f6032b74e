// groups: ceil(d / 64)
// binds: scratch dgamma dbeta
// uses: scalar column_sums column_tiles column_totals affine_sums
// The gradients of a column from its tiles.
const n_term = 2u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn batchnorm_backward_params(@builtin(local_invocation_index) lane: u32,
                             @builtin(workgroup_id) workgroup: vec3u,
                             @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column < params.d) { write_sums(workgroup.z, column, total_of(workgroup.z, column)); }
}
