// groups: ceil(d / 64)
// vec4: stats
// then: batchnorm_forward.write
// binds: scratch stats
// uses: norm norm_statistics norm_columns column_sums column_tiles column_totals
// batchnorm_forward: the complete statistics of a column.
const n_lane = 64u;
const n_term = 2u;
const has_mean = true;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d) { return; }
  let centred = sum_column(workgroup.z, 0u, n_tile(), column) / f32(params.n_row);
  let line = workgroup.z * params.d + column;
  let first = unpack_stats(stats[line]);
  stats[line] = pack_stats(finish_stats(first.mean, centred, first.inv_scale, !is_finite(first.mean)));
}
