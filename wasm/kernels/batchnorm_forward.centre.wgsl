// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// vec4: stats
// then: batchnorm_forward.spread
// binds: x stats scratch
// uses: scalar norm norm_columns column_sums column_tiles column_partials
// Over tiles of rows: sums of the centred values and of their squares.
const n_term = 2u;
alias Terms = vec2f;

fn terms(model: u32, row: u32, column: u32) -> Terms {
  let s = unpack_stats(stats[stats_at(model, row, column)]);
  let v = x[start_of(model, column) + row * stride()] * s.inv_scale - s.mean;
  return Terms(v, v * v);
}

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
