// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// variants: few
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 3 * d
// then: dyt_backward_params.total
// binds: x alpha dy scratch
// uses: scalar exp tanh tanh_slope dyt_params column_sums column_tiles column_partials
// dgamma = sum over rows of dy tanh(alpha x), dbeta = sum over rows of dy, dalpha = sum over all of gamma dy x (1 -
// tanh(alpha x)^2). First over tiles of rows.
const n_term = 3u;
alias Terms = vec3f;

@compute @workgroup_size(n_lane)
fn dyt_backward_params(@builtin(local_invocation_index) lane: u32,
                       @builtin(workgroup_id) workgroup: vec3u,
                       @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
