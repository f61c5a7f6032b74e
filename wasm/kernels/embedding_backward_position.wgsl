// groups: ceil(rows * cols / 64)
// dposition_table = sum over the batch of dy, one value a lane.
const n_lane = 64u;

@compute @workgroup_size(n_lane)
fn embedding_backward_position(@builtin(local_invocation_index) lane: u32,
                               @builtin(workgroup_id) workgroup: vec3u,
                               @builtin(num_workgroups) n_workgroup: vec3u) {
  let size = params.n_ctx * params.d;
  let i = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (i >= size) { return; }
  var total = 0.0;
  for (var start = 0u; start < params.n_batch; start += n_block) {
    var sum = 0.0;
    for (var batch = start; batch < min(params.n_batch, start + n_block); batch += 1u) {
      sum += dy[(workgroup.z * params.n_batch + batch) * size + i];
    }
    total += sum;
  }
  let at = workgroup.z * size + i;
  dposition_table[at] = select(total, total + dposition_table[at], (params.accumulate & 1u) != 0u);
}
