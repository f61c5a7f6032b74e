// tile: rows 64, cols all
// variant: software || cols <= 32; n_lane 64
// vec4: stats
// uses: norm norm_rows norm_alone norm_backward norm_slope norm_gradient
// rmsnorm_backward_x, a lane a row.
const has_mean = false;

@compute @workgroup_size(n_lane)
fn rmsnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  differentiate_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
