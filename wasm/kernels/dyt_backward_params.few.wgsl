// groups: ceil(d / 64)
// variant: software || n_row <= 64
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 3 * d
// then: dyt_backward_params.alpha
// binds: x alpha gamma dy dgamma dbeta scratch
// uses: scalar exp tanh tanh_slope dyt_params column_sums column_tiles dyt_sums
// dgamma = sum over rows of dy tanh(alpha x), dbeta = sum over rows of dy, dalpha = sum over all of gamma dy x (1 -
// tanh(alpha x)^2). A lane sums a whole column.
const n_term = 3u;
alias Terms = vec3f;

@compute @workgroup_size(n_lane)
fn dyt_backward_params(@builtin(local_invocation_index) lane: u32,
                       @builtin(workgroup_id) workgroup: vec3u,
                       @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d / width) { return; }
  write_sums(workgroup.z, column, sum_column(workgroup.z, 0u, params.n_row, column));
}
