// sum = alpha skip + dt branch, and y, its LayerNorm over each row.
const has_mean = true;

@compute @workgroup_size(n_lane)
fn residual_layernorm_forward(@builtin(local_invocation_index) lane: u32,
                              @builtin(workgroup_id) workgroup: vec3u,
                              @builtin(num_workgroups) n_workgroup: vec3u) {
  normalize_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
