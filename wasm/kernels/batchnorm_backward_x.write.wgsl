// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// vec4: stats
// binds: x gamma dy stats scratch dx
// uses: norm norm_columns norm_slope norm_gradient column_sums column_tiles column_totals
// batchnorm_backward_x, last pass: a lane writes its column of one tile.
const n_lane = 64u;
const n_term = 2u;
const has_mean = true;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn batchnorm_backward_x(@builtin(local_invocation_index) lane: u32,
                        @builtin(workgroup_id) workgroup: vec3u,
                        @builtin(num_workgroups) n_workgroup: vec3u) {
  let place = tile_place(lane, group_index(workgroup, n_workgroup));
  if (is_outside(place)) { return; }
  let feature = workgroup.z * params.d + place.column;
  let start = start_of(workgroup.z, place.column);
  let s = unpack_stats(stats[feature]);
  let sums = sum_column(workgroup.z, 0u, n_tile(), place.column);
  let means = sums / f32(params.n_row);
  for (var row = place.begin; row < place.end; row += 1u) {
    let at = start + row * stride();
    let value = gradient_value(dy[at] * gamma[feature], x_hat(x[at], s), row, means, s);
    write_gradient(at, value, gradient_is_broken(sums, s));
  }
}
