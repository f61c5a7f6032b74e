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
