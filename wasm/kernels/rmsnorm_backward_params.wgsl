// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// variants: few_vec4 few
// vec4: stats
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 1 * d
// then: rmsnorm_backward_params.total
// binds: x dy stats scratch
// uses: scalar norm norm_rows norm_params column_sums column_tiles column_partials
// dgamma = sum over rows of dy x_hat. First over tiles of rows.
const n_term = 1u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn rmsnorm_backward_params(@builtin(local_invocation_index) lane: u32,
                           @builtin(workgroup_id) workgroup: vec3u,
                           @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
