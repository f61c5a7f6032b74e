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

// ---- batchnorm_backward_x.few ----
// tile: rows all, cols 64
// variant: software || n_row <= 64; n_lane 64
// vec4: stats
// uses: scalar norm norm_slope norm_columns alone norm_alone norm_backward norm_slope_output
// dx = (g - mean(g) - x_hat mean(g x_hat)) / sqrt(variance + eps) over each column, with g = gamma dy. A lane takes a
// column.
const has_mean = true;

@compute @workgroup_size(n_lane)
fn batchnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  differentiate_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}

// ---- batchnorm_backward_x.write ----
// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// vec4: stats
// binds: x gamma dy stats scratch dx
// uses: scalar norm norm_slope norm_slope_output norm_columns column_sums column_tiles column_totals
// A lane adds up its column's tiles and writes one of them.
const has_mean = true;
const n_term = 2u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn batchnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let place = tile_place(lane, group_index(workgroup, n_workgroup));
  if (place.begin >= place.end) { return; }
  let start = start_of(workgroup.z, place.column);
  let feature = feature_of(workgroup.z, place.column);
  let s = unpack_stats(stats[feature]);
  let sums = total_of(workgroup.z, place.column);
  let means = sums / f32(params.n_row);
  for (var row = place.begin; row < place.end; row += 1u) {
    let at = start + row * stride();
    let gradient = slope(dy[at] * gamma[feature], x_hat(x[at], s), row, means, s);
    write_slope(at, gradient, slope_is_broken(sums, s));
  }
}
