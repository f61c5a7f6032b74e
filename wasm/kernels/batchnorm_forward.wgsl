// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// variants: few
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 3 * d
// then: batchnorm_forward.mean
// binds: x scratch
// uses: scalar norm_columns column_sums column_tiles column_partials
// y = x_hat gamma + beta over each column of x, in passes over tiles of rows and over their partial sums. First: what the
// mean needs. It is taken from the column's first value on: a constant column is centred to exact zeros. The second sum
// is the first one times 2^-80, for columns where that overflows; the third, of |x| times 2^-24, says which these are.
const n_term = 3u;
alias Terms = vec3f;

fn terms(model: u32, row: u32, column: u32) -> Terms {
  let start = start_of(model, column);
  let first = x[start];
  let v = x[start + row * stride()];
  return Terms(v - first, v * 0x1p-80f - first * 0x1p-80f, abs(v) * 0x1p-24f);
}

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}
