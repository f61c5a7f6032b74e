// y = x_hat gamma over each row of x, x_hat = x / sqrt(mean(x^2) + eps).
const has_mean = false;

@compute @workgroup_size(n_lane)
fn rmsnorm_forward(@builtin(local_invocation_index) lane: u32,
                   @builtin(workgroup_id) workgroup: vec3u,
                   @builtin(num_workgroups) n_workgroup: vec3u) {
  normalize_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
