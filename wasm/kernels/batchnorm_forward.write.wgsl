// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// vec4: stats
// binds: x gamma beta y stats
// uses: scalar norm norm_columns column_tiles norm_output norm_of_x norm_affine
// A lane writes one column of one tile.
const n_term = 0u;

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let place = tile_place(lane, group_index(workgroup, n_workgroup));
  let start = start_of(workgroup.z, place.column);
  let feature = feature_of(workgroup.z, place.column);
  for (var row = place.begin; row < place.end; row += 1u) {
    let at = start + row * stride();
    write_value(at, feature, value_at(at), unpack_stats(stats[feature]));
  }
}
