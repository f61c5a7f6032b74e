// variants: software
// groups: max(ceil(n_batch * n_ctx / 64), ceil(n_vocab * d / 1024))
// scratch: 2 * n_batch * n_ctx
// binds: tokens dtoken_table scratch
// then: embedding_backward_token.sum
// dtoken_table, first pass: clears the table and links the positions that hold the same token, each to the next one.
const n_lane = 64u;
const n_clear = 1024u;

// For every position { is it its token's first, the next position of its token or n_row }. [model][n_row][2]
fn link(row: u32, n_row: u32, model: u32) {
  let token = tokens[model * n_row + row];
  var is_first = 1.0;
  for (var before = 0u; before < row; before += 1u) {
    if (tokens[model * n_row + before] == token) {
      is_first = 0.0;
      break;
    }
  }
  var next = row + 1u;
  while (next < n_row && tokens[model * n_row + next] != token) { next += 1u; }
  scratch[(model * n_row + row) * 2u] = is_first;
  scratch[(model * n_row + row) * 2u + 1u] = f32(next);
}

@compute @workgroup_size(n_lane)
fn embedding_backward_token(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_row = params.n_batch * params.n_ctx;
  let size = params.n_vocab * params.d;
  let group = group_index(workgroup, n_workgroup);
  if ((params.accumulate & 1u) == 0u) {
    let stop = min(size, (group + 1u) * n_clear);
    for (var i = group * n_clear + lane; i < stop; i += n_lane) { dtoken_table[workgroup.z * size + i] = 0.0; }
  }
  let row = group * n_lane + lane;
  if (row < n_row) { link(row, n_row, workgroup.z); }
}
