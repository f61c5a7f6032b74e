// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// variants: few
// vec4: stats
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 2 * d
// then: batchnorm_backward_x.write
// binds: x gamma dy stats scratch
// uses: scalar norm norm_slope norm_columns column_sums column_tiles column_partials
// dx = (g - mean(g) - x_hat mean(g x_hat)) / sqrt(variance + eps) over each column, with g = gamma dy. First over tiles
// of rows: the sums.
const has_mean = true;
const n_term = 2u;
alias Terms = vec2f;

fn terms(model: u32, row: u32, column: u32) -> Terms {
  let at = start_of(model, column) + row * stride();
  let feature = feature_of(model, column);
  let both = slope_terms(dy[at] * gamma[feature], x_hat(x[at], unpack_stats(stats[feature])), row);
  return Terms(both.g, both.g_x_hat);
}

@compute @workgroup_size(n_lane)
fn batchnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
