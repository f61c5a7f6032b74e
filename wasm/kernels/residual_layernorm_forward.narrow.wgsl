// tile: rows 64, cols all
// variant: software || cols <= 32; n_lane 64
// vec4: stats
// uses: norm norm_statistics norm_rows norm_alone norm_forward norm_output norm_of_sum norm_affine
// residual_layernorm_forward, a lane a row.
const has_mean = true;

@compute @workgroup_size(n_lane)
fn residual_layernorm_forward(@builtin(local_invocation_index) lane: u32,
                              @builtin(workgroup_id) workgroup: vec3u,
                              @builtin(num_workgroups) n_workgroup: vec3u) {
  normalize_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
