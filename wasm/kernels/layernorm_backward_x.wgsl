// tile: rows 1, cols all
// variants: narrow row
// vec4: stats
// uses: norm norm_rows norm_together norm_backward norm_slope norm_gradient
// dx = (g - mean(g) - x_hat * mean(g * x_hat)) / sigma with g = dy * gamma. A workgroup takes a row.
const n_lane = 256u;
const has_mean = true;

@compute @workgroup_size(n_lane)
fn layernorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  differentiate_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
