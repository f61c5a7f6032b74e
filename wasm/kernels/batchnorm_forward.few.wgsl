// tile: rows all, cols 64
// variant: software || n_row <= 64; n_lane 64
// vec4: stats
// uses: scalar norm norm_statistics norm_columns alone norm_alone norm_forward norm_statistics_alone norm_output norm_of_x norm_affine
// y = x_hat gamma + beta over each column of x. A lane takes a column.
const has_mean = true;

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  normalize_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
