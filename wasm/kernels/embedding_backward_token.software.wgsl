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
