// groups: ceil(n_batch * n_head * ceil(n_query / 4) / 4)
// variant: software
// uses: matmul_terms softmax_row attention_head attention_forward_rows
// attention_forward without workgroup memory: a lane takes four queries of a head.
const n_lane = 4u;

// q k^T for four queries, its columns, and four keys.
fn dot_products(query: u32, key: u32) -> mat4x4f {
  var sum = mat4x4f();
  var channel = 0u;
  for (; channel + 4u <= params.d_head; channel += 4u) {
    sum += k_terms(key, channel) * transpose(q_terms(query, channel));
  }
  if (channel < params.d_head) {
    let n = params.d_head - channel;
    sum += keep_terms(k_terms(key, channel), n) * transpose(keep_terms(q_terms(query, channel), n));
  }
  return sum;
}

// The scores of four queries into probs; returns the keys of the largest ones.
fn write_scores(query: u32, n_query: u32, stop: u32) -> vec4u {
  var largest = vec4u();
  for (var key = 0u; key < stop; key += 4u) {
    let scores = dot_products(query, key) * params.scale;
    let n_key = min(4u, stop - key);
    for (var i = 0u; i < n_query; i += 1u) {
      for (var j = 0u; j < n_key; j += 1u) {
        probs[head.probs + (query + i) * params.n_key + key + j] = scores[i][j];
        if (sees(query + i, key + j)) { largest[i] = max(largest[i], order_key(scores[i][j])); }
      }
    }
  }
  return largest;
}

// Scores become probabilities.
fn softmax_visible(query: u32, largest_key: u32) {
  let at = head.probs + query * params.n_key;
  let end = key_end(query);
  let largest = key_value(largest_key);
  var sum = 0.0;
  for (var start = 0u; start < end; start += n_block) {
    var block = 0.0;
    for (var key = start; key < min(end, start + n_block); key += 1u) {
      let value = select(0.0, exp_below(probs[at + key], largest), sees(query, key));
      probs[at + key] = value;
      block += value;
    }
    sum += block;
  }
  let inverse = 1.0 / sum;
  for (var key = 0u; key < end; key += 1u) {
    probs[at + key] = visible_share(probs[at + key] * inverse, largest_key);
  }
  for (var key = end; key < params.n_key; key += 1u) { probs[at + key] = 0.0; }
}

// Σ p v for four queries, its columns, and four channels.
fn sum_values(query: u32, channel: u32, stop: u32) -> mat4x4f {
  var sum = mat4x4f();
  var key = 0u;
  for (; key + 4u <= stop && all_enter(query, key + 4u); key += 4u) {
    sum += v_terms(key, channel) * transpose(probs_terms(query, key));
  }
  for (; key < stop; key += 1u) {
    let row = v_four(head.key + key * row_stride() + channel);
    for (var i = 0u; i < 4u; i += 1u) {
      sum[i] += weighted(probs[head.probs + (query + i) * params.n_key + key], query + i, key, row);
    }
  }
  return sum;
}

@compute @workgroup_size(n_lane)
fn attention_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_strip = (params.n_query + 3u) / 4u;
  let strip = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (strip >= params.n_batch * params.n_head * n_strip) { return; }
  take_head(strip / n_strip, workgroup.z);
  let query = strip % n_strip * 4u;
  let n_query = min(4u, params.n_query - query);
  let stop = key_end(query + n_query - 1u);

  let largest = write_scores(query, n_query, stop);
  for (var i = 0u; i < n_query; i += 1u) { softmax_visible(query + i, largest[i]); }
  for (var channel = 0u; channel < params.d_head; channel += 4u) {
    let sums = sum_values(query, channel, stop);
    for (var i = 0u; i < n_query; i += 1u) { write_y(query + i, channel, sums[i]); }
  }
}
