// groups: ceil(2 * n_batch * n_head * ceil(n_key / 4) / 4)
// scratch: n_batch * n_head * n_query * n_key
// binds: q probs dy dk dv scratch
// uses: attention_head attention_backward_keys
// attention_backward, second pass, without workgroup memory: a lane takes dk or dv of four keys of a head.
const n_lane = 4u;

// Σ weight · row for four keys, the columns of the sum, and four channels.
fn sum_queries(key: u32, channel: u32, is_key: bool) -> mat4x4f {
  var sum = mat4x4f();
  var query = first_query(key);
  while (query < params.n_query && !all_enter(query, key + 4u)) {
    let row = row_four(head.query + query * row_stride() + channel, is_key);
    let weights = weight_four(head.probs + query * params.n_key + key, is_key);
    for (var i = 0u; i < 4u; i += 1u) { sum[i] += weighted(weights[i], query, key + i, row); }
    query += 1u;
  }
  for (; query + 4u <= params.n_query; query += 4u) {
    sum += row_terms(query, channel, is_key) * transpose(weight_terms(query, key, is_key));
  }
  for (; query < params.n_query; query += 1u) {
    let row = row_four(head.query + query * row_stride() + channel, is_key);
    let weights = weight_four(head.probs + query * params.n_key + key, is_key);
    sum += mat4x4f(row * weights.x, row * weights.y, row * weights.z, row * weights.w);
  }
  return sum;
}

@compute @workgroup_size(n_lane)
fn attention_backward(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_strip = (params.n_key + 3u) / 4u;
  let strip = group_index(workgroup, n_workgroup) * n_lane + lane;
  let n_half = params.n_batch * params.n_head * n_strip;
  if (strip >= 2u * n_half) { return; }
  let is_key = strip < n_half;
  take_head(strip % n_half / n_strip, workgroup.z);
  let key = strip % n_strip * 4u;
  for (var channel = 0u; channel < params.d_head; channel += 4u) {
    let sums = sum_queries(key, channel, is_key);
    for (var i = 0u; i < 4u; i += 1u) { write_sums(key + i, channel, sums[i], is_key); }
  }
}
