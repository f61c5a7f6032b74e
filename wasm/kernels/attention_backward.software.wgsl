// groups: ceil(n_batch * n_head * ceil(n_query / 4) / 4)
// variant: software
// scratch: n_batch * n_head * n_query * n_key
// binds: k v probs dy dq scratch
// then: attention_backward.software_keys
// uses: matmul_terms attention_head attention_backward_queries
// attention_backward, first pass, without workgroup memory: a lane takes four queries of a head.
const n_lane = 4u;

// dy vᵀ for four queries, its columns, and four keys.
fn dot_products(query: u32, key: u32) -> mat4x4f {
  var sum = mat4x4f();
  var channel = 0u;
  for (; channel + 4u <= params.d_head; channel += 4u) {
    sum += v_terms(key, channel) * transpose(dy_terms(query, channel));
  }
  if (channel < params.d_head) {
    let n = params.d_head - channel;
    sum += keep_terms(v_terms(key, channel), n) * transpose(keep_terms(dy_terms(query, channel), n));
  }
  return sum;
}

fn write_dp(query: u32, n_query: u32, stop: u32) {
  for (var key = 0u; key < stop; key += 4u) {
    let dp = dot_products(query, key);
    let n_key = min(4u, stop - key);
    for (var i = 0u; i < n_query; i += 1u) {
      for (var j = 0u; j < n_key; j += 1u) { scratch[head.probs + (query + i) * params.n_key + key + j] = dp[i][j]; }
    }
  }
}

// dp becomes ds.
fn softmax_gradient(query: u32) {
  let at = head.probs + query * params.n_key;
  let end = key_end(query);
  var sum = 0.0;
  for (var start = 0u; start < end; start += n_block) {
    var block = 0.0;
    for (var key = start; key < min(end, start + n_block); key += 1u) {
      block += share_of(probs[at + key], scratch[at + key]);
    }
    sum += block;
  }
  for (var key = 0u; key < end; key += 1u) {
    scratch[at + key] = share_of(probs[at + key], scratch[at + key] - sum) * params.scale;
  }
}

// ds k for four queries, its columns, and four channels.
fn sum_keys(query: u32, channel: u32, stop: u32) -> mat4x4f {
  var sum = mat4x4f();
  var key = 0u;
  for (; key + 4u <= stop && all_enter(query, key + 4u); key += 4u) {
    sum += k_terms(key, channel) * transpose(ds_terms(query, key));
  }
  for (; key < stop; key += 1u) {
    let row = k_four(head.key + key * row_stride() + channel);
    for (var i = 0u; i < 4u; i += 1u) {
      sum[i] += weighted(scratch[head.probs + (query + i) * params.n_key + key], query + i, key, row);
    }
  }
  return sum;
}

@compute @workgroup_size(n_lane)
fn attention_backward(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_strip = (params.n_query + 3u) / 4u;
  let strip = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (strip >= params.n_batch * params.n_head * n_strip) { return; }
  take_head(strip / n_strip, workgroup.z);
  let query = strip % n_strip * 4u;
  let n_query = min(4u, params.n_query - query);
  let stop = key_end(query + n_query - 1u);

  write_dp(query, n_query, stop);
  for (var i = 0u; i < n_query; i += 1u) { softmax_gradient(query + i); }
  for (var channel = 0u; channel < params.d_head; channel += 4u) {
    let sums = sum_keys(query, channel, stop);
    for (var i = 0u; i < n_query; i += 1u) { write_dq(query + i, channel, sums[i]); }
  }
}
