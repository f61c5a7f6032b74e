// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// variants: few
// vec4: stats
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 2 * d
// then: batchnorm_backward_x.write
// binds: x gamma dy stats scratch
// uses: norm norm_columns norm_slope column_sums column_tiles column_partials
// dx = (g - mean(g) - x_hat * mean(g * x_hat)) / sigma over columns, with g = dy * gamma. First over tiles of rows: the
// sums.
const n_lane = 64u;
const n_term = 2u;
const has_mean = true;
alias Terms = vec2f;

fn terms(model: u32, row: u32, column: u32) -> Terms {
  let at = start_of(model, column) + row * stride();
  let feature = feature_of(model, column);
  return gradient_terms(dy[at] * gamma[feature], x_hat(x[at], unpack_stats(stats[feature])), row);
}

@compute @workgroup_size(n_lane)
fn batchnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
