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
