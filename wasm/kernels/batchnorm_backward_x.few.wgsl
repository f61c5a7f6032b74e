// tile: rows all, cols 64
// variant: software || n_row <= 64; n_lane 64
// vec4: stats
// uses: scalar norm norm_slope norm_columns alone norm_alone norm_backward norm_slope_output
// dx = (g - mean(g) - x_hat mean(g x_hat)) / sqrt(variance + eps) over each column, with g = gamma dy. A lane takes a
// column.
const has_mean = true;

@compute @workgroup_size(n_lane)
fn batchnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  differentiate_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
