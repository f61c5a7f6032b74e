// dx = (g - mean(g) - x_hat mean(g x_hat)) / sqrt(variance + eps) over each row, with g = gamma dy.
const has_mean = true;

@compute @workgroup_size(n_lane)
fn layernorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  differentiate_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
