// tile: rows 1, cols all
// variants: narrow_vec4 narrow row_vec4 row
// vec4: stats
// uses: scalar norm norm_slope norm_rows together norm_together norm_backward norm_slope_output rmsnorm_backward_x
const n_lane = 256u;

// ---- rmsnorm_backward_x.part ----
// dx = (g - x_hat mean(g x_hat)) / sqrt(mean(x^2) + eps) over each row, with g = gamma dy.
const has_mean = false;

@compute @workgroup_size(n_lane)
fn rmsnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  differentiate_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}

// ---- rmsnorm_backward_x.narrow_vec4 ----
// tile: rows 64, cols all
// variant: cols % 4 == 0 && (software || cols <= 32); n_lane 64
// vec4: x gamma dy dx stats
// uses: vec4 norm norm_slope norm_rows alone norm_alone norm_backward norm_slope_output rmsnorm_backward_x

// ---- rmsnorm_backward_x.narrow ----
// tile: rows 64, cols all
// variant: software || cols <= 32; n_lane 64
// vec4: stats
// uses: scalar norm norm_slope norm_rows alone norm_alone norm_backward norm_slope_output rmsnorm_backward_x

// ---- rmsnorm_backward_x.row_vec4 ----
// tile: rows 1, cols all
// variant: cols % 4 == 0 && cols <= 128; n_lane 32, n_reg 1
// variant: cols % 4 == 0 && cols <= 256; n_lane 64, n_reg 1
// variant: cols % 4 == 0 && cols <= 1024; n_lane 64, n_reg 4
// variant: cols % 4 == 0 && cols <= 4096; n_lane 256, n_reg 4
// vec4: x gamma dy dx stats
// uses: vec4 norm norm_slope norm_rows norm_backward_row norm_slope_output rmsnorm_backward_x

// ---- rmsnorm_backward_x.row ----
// tile: rows 1, cols all
// variant: cols <= 256; n_lane 64, n_reg 4
// variant: cols <= 1024; n_lane 256, n_reg 4
// variant: cols <= 4096; n_lane 256, n_reg 16
// vec4: stats
// uses: scalar norm norm_slope norm_rows norm_backward_row norm_slope_output rmsnorm_backward_x
