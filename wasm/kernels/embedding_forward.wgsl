// groups: ceil(rows * cols / 256)
// y = token_table[token] + position_table[position], four values a lane.
const n_lane = 64u;
const n_value = 4u;

@compute @workgroup_size(n_lane)
fn embedding_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_row = params.n_batch * params.n_ctx;
  let first = group_index(workgroup, n_workgroup) * n_lane * n_value + lane;
  for (var j = 0u; j < n_value; j += 1u) {
    let i = first + j * n_lane;
    if (i >= n_row * params.d) { return; }
    let row = i / params.d;
    let channel = i % params.d;
    let token = workgroup.z * params.n_vocab + u32(tokens[workgroup.z * n_row + row]);
    let position = workgroup.z * params.n_ctx + row % params.n_ctx;
    y[workgroup.z * n_row * params.d + i] =
      token_table[token * params.d + channel] + position_table[position * params.d + channel];
  }
}
