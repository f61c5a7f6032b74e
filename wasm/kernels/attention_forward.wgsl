// variants: software
// groups: n_batch * n_head * ceil(n_query / 16)
// uses: matmul_terms order softmax_row attention_head attention_forward_rows attention_tile
// y = softmax(scale q kᵀ) v: a workgroup takes 16 queries of a head. Scores go into probs, where a lane finds its own
// again, so any number of keys will do.
var<workgroup> quad_key: array<vec4u, n_lane>; // of each lane's four queries
var<workgroup> quad_sum: array<vec4f, n_lane>;

// q kᵀ of the tile's queries and 64 keys.
fn dot_products(lane: u32, query0: u32, key0: u32) -> mat4x4f {
  var sum = mat4x4f();
  let row = row_part(lane);
  let column = column_part(lane, true);
  for (var channel = 0u; channel < params.d_head; channel += n_step) {
    workgroupBarrier(); // others may still read the terms before
    let n_row = params.d_head - min(params.d_head, channel + row.term);
    if (lane < n_tile_row) {
      store_rows(row, keep_terms(q_terms(query0 + row.quad * 4u, channel + row.term), n_row));
    }
    let n_column = params.d_head - min(params.d_head, channel + column.term);
    store_columns(column, keep_terms(k_terms(key0 + column.quad * 4u, channel + column.term), n_column));
    workgroupBarrier();
    sum = add_step(lane, sum);
  }
  return sum;
}

// The lane's scores into probs; returns the keys of the largest ones of its four queries.
fn write_scores(lane: u32, query0: u32, stop: u32) -> vec4u {
  var largest = vec4u();
  let query = query0 + lane / 16u * 4u;
  for (var key0 = 0u; key0 < stop; key0 += n_tile_column) {
    var scores = dot_products(lane, query0, key0) * params.scale;
    let key = key0 + lane % 16u * 4u;
    for (var i = 0u; i < 4u; i += 1u) {
      for (var j = 0u; j < 4u; j += 1u) {
        if (query + i >= params.n_query || !sees(query + i, key + j)) { continue; }
        probs[head.probs + (query + i) * params.n_key + key + j] = scores[i][j];
        largest[i] = max(largest[i], order_key(scores[i][j]));
      }
    }
  }
  return largest;
}

// Over the 16 lanes that share four queries.
fn largest_of_lanes(lane: u32, largest: vec4u) -> vec4u {
  quad_key[lane] = largest;
  workgroupBarrier();
  var all = vec4u();
  for (var i = 0u; i < 16u; i += 1u) { all = max(all, quad_key[lane / 16u * 16u + i]); }
  return all;
}
fn sum_of_lanes(lane: u32, sum: vec4f) -> vec4f {
  quad_sum[lane] = sum;
  workgroupBarrier();
  var all = vec4f();
  for (var i = 0u; i < 16u; i += 1u) { all += quad_sum[lane / 16u * 16u + i]; }
  return all;
}

// The lane's scores become e^(score - largest), 0 where invisible; returns the sums of its four queries.
fn write_exponentials(lane: u32, query0: u32, stop: u32, largest_key: vec4u) -> vec4f {
  var sum = vec4f();
  let query = query0 + lane / 16u * 4u;
  for (var key0 = lane % 16u * 4u; key0 < stop; key0 += n_tile_column) {
    for (var i = 0u; i < 4u && query + i < params.n_query; i += 1u) {
      var block = 0.0;
      for (var j = 0u; j < 4u && key0 + j < params.n_key; j += 1u) {
        let at = head.probs + (query + i) * params.n_key + key0 + j;
        let value = select(0.0, exp_below(probs[at], key_value(largest_key[i])), sees(query + i, key0 + j));
        probs[at] = value;
        block += value;
      }
      sum[i] += block;
    }
  }
  return sum;
}

// Exponentials become probabilities, and 0 follows them up to the last key.
fn write_probabilities(lane: u32, query0: u32, stop: u32, largest_key: vec4u, sum: vec4f) {
  let query = query0 + lane / 16u * 4u;
  let share = vec4f(share_of_row(sum.x, largest_key.x), share_of_row(sum.y, largest_key.y),
                    share_of_row(sum.z, largest_key.z), share_of_row(sum.w, largest_key.w));
  for (var key0 = lane % 16u * 4u; key0 < params.n_key; key0 += n_tile_column) {
    for (var i = 0u; i < 4u && query + i < params.n_query; i += 1u) {
      let end = key_end(query + i);
      for (var j = 0u; j < 4u && key0 + j < params.n_key; j += 1u) {
        let at = head.probs + (query + i) * params.n_key + key0 + j;
        probs[at] = select(0.0, probs[at] * share[i], key0 + j < end);
      }
    }
  }
}

// p v of the tile's queries and 64 channels.
fn sum_values(lane: u32, query0: u32, channel0: u32, stop: u32) -> mat4x4f {
  var sum = mat4x4f();
  let row = row_part(lane);
  let column = column_part(lane, false);
  for (var key = 0u; key < stop; key += n_step) {
    workgroupBarrier();
    let n_row = stop - min(stop, key + row.term);
    if (lane < n_tile_row) { store_rows(row, keep_terms(probs_terms(query0 + row.quad * 4u, key + row.term), n_row)); }
    let n_column = stop - min(stop, key + column.term);
    store_columns(column, keep_terms(v_terms(key + column.term, channel0 + column.quad * 4u), n_column));
    workgroupBarrier();
    if (all_enter(query0, key + n_step)) {
      sum = add_step(lane, sum);
    } else {
      sum = add_visible(lane, sum, query0, key);
    }
  }
  return sum;
}

@compute @workgroup_size(n_lane)
fn attention_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_tile = (params.n_query + n_tile_row - 1u) / n_tile_row;
  let tile = group_index(workgroup, n_workgroup);
  let is_spare = tile >= params.n_batch * params.n_head * n_tile;
  take_head(select(tile / n_tile, 0u, is_spare), workgroup.z);
  let query0 = select(tile % n_tile * n_tile_row, params.n_query, is_spare); // beyond the last query nothing is written
  let stop = key_end(min(query0 + n_tile_row, params.n_query) - 1u); // no query of the tile sees it

  let largest = largest_of_lanes(lane, write_scores(lane, query0, stop));
  let sum = sum_of_lanes(lane, write_exponentials(lane, query0, stop, largest));
  write_probabilities(lane, query0, stop, largest, sum);
  storageBarrier();
  for (var channel0 = 0u; channel0 < params.d_head; channel0 += n_tile_column) {
    var sums = sum_values(lane, query0, channel0, stop);
    for (var i = 0u; i < 4u; i += 1u) {
      write_y(query0 + lane / 16u * 4u + i, channel0 + lane % 16u * 4u, sums[i]);
    }
  }
}

// ---- attention_forward.software ----
// groups: ceil(n_batch * n_head * ceil(n_query / 4) / 4)
// variant: software
// uses: matmul_terms order softmax_row attention_head attention_forward_rows
// attention_forward without workgroup memory: a lane takes four queries of a head.
const n_lane = 4u;

// q kᵀ for four queries, its columns, and four keys.
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

fn store_scores(query: u32, key: u32, scores: vec4f) {
  let at = head.probs + query * params.n_key + key;
  probs[at] = scores.x;
  probs[at + 1u] = scores.y;
  probs[at + 2u] = scores.z;
  probs[at + 3u] = scores.w;
}

// The scores of four queries into probs; returns the keys of the largest ones.
fn write_scores(query: u32, n_query: u32, stop: u32) -> vec4u {
  var largest = vec4u();
  for (var key = 0u; key < stop; key += 4u) {
    var scores = dot_products(query, key) * params.scale;
    if (n_query == 4u && all_enter(query, key + 4u)) {
      store_scores(query, key, scores[0]);
      store_scores(query + 1u, key, scores[1]);
      store_scores(query + 2u, key, scores[2]);
      store_scores(query + 3u, key, scores[3]);
      largest = max(largest, vec4u(largest_key_of(scores[0]), largest_key_of(scores[1]), largest_key_of(scores[2]),
                                   largest_key_of(scores[3])));
      continue;
    }
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
      var value = exp_below(probs[at + key], largest);
      if (params.has_mask != 0u) { value = select(0.0, value, sees(query, key)); }
      probs[at + key] = value;
      block += value;
    }
    sum += block;
  }
  let share = share_of_row(sum, largest_key);
  for (var key = 0u; key < end; key += 1u) { probs[at + key] *= share; }
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
    let at = head.probs + query * params.n_key + key;
    sum += mat4x4f(weighted(probs[at], query, key, row), weighted(probs[at + params.n_key], query + 1u, key, row),
                   weighted(probs[at + 2u * params.n_key], query + 2u, key, row),
                   weighted(probs[at + 3u * params.n_key], query + 3u, key, row));
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
    var sums = sum_values(query, channel, stop);
    for (var i = 0u; i < n_query; i += 1u) { write_y(query + i, channel, sums[i]); }
  }
}

// ---- attention_forward_rows.part ----
// Four terms as columns; in each of them four queries, keys or channels. What is read beyond a row is not used.
fn q_terms(query: u32, channel: u32) -> mat4x4f {
  let at = head.query + query * row_stride() + channel;
  return transpose(mat4x4f(q_four(at), q_four(at + row_stride()),
                           q_four(at + 2u * row_stride()), q_four(at + 3u * row_stride())));
}
fn q_four(at: u32) -> vec4f {
  return vec4f(q[at], q[at + 1u], q[at + 2u], q[at + 3u]);
}
fn k_terms(key: u32, channel: u32) -> mat4x4f {
  let at = head.key + key * row_stride() + channel;
  return transpose(mat4x4f(k_four(at), k_four(at + row_stride()),
                           k_four(at + 2u * row_stride()), k_four(at + 3u * row_stride())));
}
fn k_four(at: u32) -> vec4f {
  return vec4f(k[at], k[at + 1u], k[at + 2u], k[at + 3u]);
}
fn v_terms(key: u32, channel: u32) -> mat4x4f {
  let at = head.key + key * row_stride() + channel;
  return mat4x4f(v_four(at), v_four(at + row_stride()), v_four(at + 2u * row_stride()), v_four(at + 3u * row_stride()));
}
fn v_four(at: u32) -> vec4f {
  return vec4f(v[at], v[at + 1u], v[at + 2u], v[at + 3u]);
}
fn probs_terms(query: u32, key: u32) -> mat4x4f {
  let at = head.probs + query * params.n_key + key;
  return transpose(mat4x4f(probs_four(at), probs_four(at + params.n_key), probs_four(at + 2u * params.n_key),
                           probs_four(at + 3u * params.n_key)));
}
fn probs_four(at: u32) -> vec4f {
  return vec4f(probs[at], probs[at + 1u], probs[at + 2u], probs[at + 3u]);
}

fn sees(query: u32, key: u32) -> bool {
  if (key >= key_end(query)) { return false; }
  return params.has_mask == 0u || mask[head.mask + query * params.n_key + key] != 0.0;
}

// Four neighbours of a row of y: what lies beyond it is dropped.
fn write_y(query: u32, channel: u32, sums: vec4f) {
  if (query >= params.n_query) { return; }
  for (var j = 0u; j < 4u && channel + j < params.d_head; j += 1u) {
    let at = head.query + query * row_stride() + channel + j;
    y[at] = select(sums[j], sums[j] + y[at], (params.accumulate & 1u) != 0u);
  }
}
