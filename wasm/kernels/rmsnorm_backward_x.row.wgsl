// tile: rows 1, cols all
// variant: cols <= 256; n_lane 64, n_reg 4
// variant: cols <= 512; n_lane 128, n_reg 4
// variant: cols <= 1024; n_lane 256, n_reg 4
// variant: cols <= 2048; n_lane 256, n_reg 8
// variant: cols <= 4096; n_lane 256, n_reg 16
// vec4: stats
// uses: norm norm_rows norm_backward_kept norm_slope norm_gradient
// rmsnorm_backward_x, a workgroup a row, which stays in registers.
const has_mean = false;

@compute @workgroup_size(n_lane)
fn rmsnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  differentiate_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
