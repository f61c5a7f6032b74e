// groups: ceil(d / 64)
// vec4: stats
// then: batchnorm_forward.centre
// binds: x scratch stats
// uses: scalar norm norm_statistics norm_columns column_sums column_tiles column_totals
// A column's scale and the first value of its mean; they wait in its statistics until these are complete.
const has_mean = true;
const n_term = 3u;
alias Terms = vec3f;

fn first_stats(first: f32, sums: Terms) -> LineStats {
  let bits = magnitude_bits(sums.z);
  let inv_scale = line_scale((bits >> 23u) + 24u, params.eps);
  let n = f32(params.n_row);
  let plain = (first + sums.x / n) * inv_scale;
  let scaled = (first * 0x1p-80f + sums.y / n) * (0x1p80f * inv_scale);
  let mean = select(scaled, plain, inv_scale >= 1.0);
  return LineStats(select(mean, not_a_number(bits), bits >= infinity_bits), 0.0, 0.0, inv_scale);
}

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d) { return; }
  let first = x[start_of(workgroup.z, column)];
  stats[workgroup.z * params.d + column] = pack_stats(first_stats(first, total_of(workgroup.z, column)));
}
