// tile: rows all, cols 64
// variant: software || n_row <= 64
// vec4: stats
// uses: norm norm_columns norm_alone norm_backward norm_slope norm_gradient
// batchnorm_backward_x for few rows: a lane takes a column.
const n_lane = 64u;
const has_mean = true;

@compute @workgroup_size(n_lane)
fn batchnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  differentiate_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
