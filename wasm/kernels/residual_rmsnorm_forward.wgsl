// tile: rows 1, cols all
// variants: narrow_vec4 narrow row_vec4 row
// vec4: stats
// uses: scalar norm norm_statistics norm_rows together norm_together norm_forward norm_output norm_of_sum norm_scaled residual_rmsnorm_forward
const n_lane = 256u;

// ---- residual_rmsnorm_forward.part ----
// sum = alpha skip + dt branch, and y, its RMSNorm over each row.
const has_mean = false;

@compute @workgroup_size(n_lane)
fn residual_rmsnorm_forward(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  normalize_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}

// ---- residual_rmsnorm_forward.narrow_vec4 ----
// tile: rows 64, cols all
// variant: cols % 4 == 0 && (software || cols <= 32); n_lane 64
// vec4: skip branch gamma sum y stats
// uses: vec4 norm norm_statistics norm_rows alone norm_alone norm_forward norm_output norm_of_sum norm_scaled residual_rmsnorm_forward

// ---- residual_rmsnorm_forward.narrow ----
// tile: rows 64, cols all
// variant: software || cols <= 32; n_lane 64
// vec4: stats
// uses: scalar norm norm_statistics norm_rows alone norm_alone norm_forward norm_output norm_of_sum norm_scaled residual_rmsnorm_forward

// ---- residual_rmsnorm_forward.row_vec4 ----
// tile: rows 1, cols all
// variant: cols % 4 == 0 && cols <= 128; n_lane 32, n_reg 1
// variant: cols % 4 == 0 && cols <= 256; n_lane 64, n_reg 1
// variant: cols % 4 == 0 && cols <= 1024; n_lane 64, n_reg 4
// variant: cols % 4 == 0 && cols <= 4096; n_lane 256, n_reg 4
// vec4: skip branch gamma sum y stats
// uses: vec4 norm norm_statistics norm_rows norm_forward_row norm_output norm_of_sum norm_scaled residual_rmsnorm_forward

// ---- residual_rmsnorm_forward.row ----
// tile: rows 1, cols all
// variant: cols <= 256; n_lane 64, n_reg 4
// variant: cols <= 1024; n_lane 256, n_reg 4
// variant: cols <= 4096; n_lane 256, n_reg 16
// vec4: stats
// uses: scalar norm norm_statistics norm_rows norm_forward_row norm_output norm_of_sum norm_scaled residual_rmsnorm_forward
