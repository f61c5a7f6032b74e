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

// ---- embedding_backward_token.sum ----
// groups: n_batch * n_ctx * ceil(d / 64)
// scratch: 2 * n_batch * n_ctx
// binds: tokens dy dtoken_table scratch
// dtoken_table, second pass: where a token stands first, a workgroup adds dy of all its positions, one after the other.
const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn embedding_backward_token(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_row = params.n_batch * params.n_ctx;
  let n_across = (params.d + n_lane - 1u) / n_lane;
  let group = group_index(workgroup, n_workgroup);
  let channel = group % n_across * n_lane + lane;
  var row = group / n_across;
  let first = workgroup.z * n_row;
  if (row >= n_row || channel >= params.d || scratch[(first + row) * 2u] == 0.0) { return; }
  let at = (workgroup.z * params.n_vocab + u32(tokens[first + row])) * params.d + channel;
  var sum = dtoken_table[at]; // 0, or what is there to add to
  while (row < n_row) {
    sum += dy[(first + row) * params.d + channel];
    row = u32(scratch[(first + row) * 2u + 1u]);
  }
  dtoken_table[at] = sum;
}

// ---- embedding_backward_token.software ----
// groups: ceil(d / 4)
// variant: software
// dtoken_table by lanes that own a channel each: one walk over the tokens, as on the CPU.
const n_lane = 4u;

@compute @workgroup_size(n_lane)
fn embedding_backward_token(@builtin(local_invocation_index) lane: u32,
                            @builtin(workgroup_id) workgroup: vec3u,
                            @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_row = params.n_batch * params.n_ctx;
  let channel = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (channel >= params.d) { return; }
  let table = workgroup.z * params.n_vocab * params.d + channel;
  if ((params.accumulate & 1u) == 0u) {
    for (var token = 0u; token < params.n_vocab; token += 1u) { dtoken_table[table + token * params.d] = 0.0; }
  }
  for (var row = workgroup.z * n_row; row < (workgroup.z + 1u) * n_row; row += 1u) {
    dtoken_table[table + u32(tokens[row]) * params.d] += dy[row * params.d + channel];
  }
}
