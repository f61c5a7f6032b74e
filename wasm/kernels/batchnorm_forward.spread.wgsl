// groups: ceil(d / 64)
// vec4: stats
// then: batchnorm_forward.write
// binds: scratch stats
// uses: scalar norm norm_statistics column_sums column_tiles column_totals
// The complete statistics of a column.
const has_mean = true;
const n_term = 2u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d) { return; }
  let centred = total_of(workgroup.z, column) / f32(params.n_row);
  let line = workgroup.z * params.d + column;
  let first = unpack_stats(stats[line]);
  stats[line] = pack_stats(finish_stats(first.mean, centred, first.inv_scale, !is_finite(first.mean)));
}
