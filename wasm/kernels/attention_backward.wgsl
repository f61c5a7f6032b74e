// variants: software
// groups: n_batch * n_head * ceil(n_query / 16)
// scratch: n_batch * n_head * n_query * n_key
// binds: k v probs dy dq scratch
// then: attention_backward.keys
// uses: matmul_terms attention_head attention_backward_queries attention_tile
// attention_backward, first pass: a workgroup takes 16 queries of a head. A lane finds its own dp again in scratch.
var<workgroup> quad_sum: array<vec4f, n_lane>;

// dy vᵀ of the tile's queries and 64 keys.
fn dot_products(lane: u32, query0: u32, key0: u32) -> mat4x4f {
  var sum = mat4x4f();
  let row = row_part(lane);
  let column = column_part(lane, true);
  for (var channel = 0u; channel < params.d_head; channel += n_step) {
    workgroupBarrier(); // others may still read the terms before
    let n_row = params.d_head - min(params.d_head, channel + row.term);
    if (lane < n_tile_row) {
      store_rows(row, keep_terms(dy_terms(query0 + row.quad * 4u, channel + row.term), n_row));
    }
    let n_column = params.d_head - min(params.d_head, channel + column.term);
    store_columns(column, keep_terms(v_terms(key0 + column.quad * 4u, channel + column.term), n_column));
    workgroupBarrier();
    sum = add_step(lane, sum);
  }
  return sum;
}

// The lane's dp into scratch; returns its shares of Σ p dp of four queries.
fn write_dp(lane: u32, query0: u32, stop: u32) -> vec4f {
  var sum = vec4f();
  let query = query0 + lane / 16u * 4u;
  for (var key0 = 0u; key0 < stop; key0 += n_tile_column) {
    var dp = dot_products(lane, query0, key0);
    let key = key0 + lane % 16u * 4u;
    for (var i = 0u; i < 4u && query + i < params.n_query; i += 1u) {
      var block = 0.0;
      for (var j = 0u; j < 4u && key + j < key_end(query + i); j += 1u) {
        let at = head.probs + (query + i) * params.n_key + key + j;
        scratch[at] = dp[i][j];
        block += share_of(probs[at], dp[i][j]);
      }
      sum[i] += block;
    }
  }
  return sum;
}

// Over the 16 lanes that share four queries.
fn sum_of_lanes(lane: u32, sum: vec4f) -> vec4f {
  quad_sum[lane] = sum;
  workgroupBarrier();
  var all = vec4f();
  for (var i = 0u; i < 16u; i += 1u) { all += quad_sum[lane / 16u * 16u + i]; }
  return all;
}

// The lane's dp become ds.
fn write_ds(lane: u32, query0: u32, stop: u32, sum: vec4f) {
  let query = query0 + lane / 16u * 4u;
  for (var key = lane % 16u * 4u; key < stop; key += n_tile_column) {
    for (var i = 0u; i < 4u && query + i < params.n_query; i += 1u) {
      for (var j = 0u; j < 4u && key + j < key_end(query + i); j += 1u) {
        let at = head.probs + (query + i) * params.n_key + key + j;
        scratch[at] = share_of(probs[at], scratch[at] - sum[i]) * params.scale;
      }
    }
  }
}

// ds k of the tile's queries and 64 channels.
fn sum_keys(lane: u32, query0: u32, channel0: u32, stop: u32) -> mat4x4f {
  var sum = mat4x4f();
  let row = row_part(lane);
  let column = column_part(lane, false);
  for (var key = 0u; key < stop; key += n_step) {
    workgroupBarrier();
    let n_row = stop - min(stop, key + row.term);
    if (lane < n_tile_row) { store_rows(row, keep_terms(ds_terms(query0 + row.quad * 4u, key + row.term), n_row)); }
    let n_column = stop - min(stop, key + column.term);
    store_columns(column, keep_terms(k_terms(key + column.term, channel0 + column.quad * 4u), n_column));
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
fn attention_backward(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_tile = (params.n_query + n_tile_row - 1u) / n_tile_row;
  let tile = group_index(workgroup, n_workgroup);
  let is_spare = tile >= params.n_batch * params.n_head * n_tile;
  take_head(select(tile / n_tile, 0u, is_spare), workgroup.z);
  let query0 = select(tile % n_tile * n_tile_row, params.n_query, is_spare); // beyond the last query nothing is written
  let stop = key_end(min(query0 + n_tile_row, params.n_query) - 1u); // no query of the tile sees it

  let sum = sum_of_lanes(lane, write_dp(lane, query0, stop));
  write_ds(lane, query0, stop, sum);
  storageBarrier();
  for (var channel0 = 0u; channel0 < params.d_head; channel0 += n_tile_column) {
    var sums = sum_keys(lane, query0, channel0, stop);
    for (var i = 0u; i < 4u; i += 1u) {
      write_dq(query0 + lane / 16u * 4u + i, channel0 + lane % 16u * 4u, sums[i]);
    }
  }
}

// ---- attention_backward.keys ----
// groups: 2 * n_batch * n_head * ceil(n_key / 16)
// scratch: n_batch * n_head * n_query * n_key
// binds: q probs dy dk dv scratch
// uses: matmul_terms attention_head attention_backward_keys attention_tile
// attention_backward, second pass: a workgroup takes dk or dv of 16 keys of a head.

// Σ weight · row of the tile's keys and 64 channels.
fn sum_queries(lane: u32, key0: u32, channel0: u32, is_key: bool) -> mat4x4f {
  var sum = mat4x4f();
  let row = row_part(lane % n_tile_row);
  let column = column_part(lane, false);
  for (var query = first_query(key0); query < params.n_query; query += n_step) {
    workgroupBarrier(); // others may still read the terms before
    let n_row = params.n_query - min(params.n_query, query + row.term);
    if (lane < n_tile_row) {
      store_rows(row, keep_terms(weight_terms(query + row.term, key0 + row.quad * 4u, is_key), n_row));
    }
    let n_column = params.n_query - min(params.n_query, query + column.term);
    store_columns(column, keep_terms(row_terms(query + column.term, channel0 + column.quad * 4u, is_key), n_column));
    workgroupBarrier();
    if (all_enter(query, key0 + n_tile_row)) {
      sum = add_step(lane, sum);
    } else {
      sum = add_seen(lane, sum, query, key0);
    }
  }
  return sum;
}

// As add_step where some of the queries, the terms, do not see some of the keys, the rows.
fn add_seen(lane: u32, before: mat4x4f, query: u32, key0: u32) -> mat4x4f {
  var sum = before;
  let key = key0 + lane / 16u * 4u;
  for (var term = 0u; term < n_step; term += 1u) {
    let weights = row_tile[term * n_row_quad + lane / 16u];
    let row = column_tile[term * n_stride + lane % 16u];
    sum += mat4x4f(weighted(weights.x, query + term, key, row), weighted(weights.y, query + term, key + 1u, row),
                   weighted(weights.z, query + term, key + 2u, row), weighted(weights.w, query + term, key + 3u, row));
  }
  return sum;
}

@compute @workgroup_size(n_lane)
fn attention_backward(@builtin(local_invocation_index) lane: u32,
                      @builtin(workgroup_id) workgroup: vec3u,
                      @builtin(num_workgroups) n_workgroup: vec3u) {
  let n_tile = (params.n_key + n_tile_row - 1u) / n_tile_row;
  let n_half = params.n_batch * params.n_head * n_tile;
  let tile = group_index(workgroup, n_workgroup);
  let is_key = tile < n_half;
  take_head(tile % n_half / n_tile, workgroup.z);
  // Beyond the last key nothing is written.
  let key0 = select(tile % n_tile * n_tile_row, params.n_key, tile >= 2u * n_half);
  for (var channel0 = 0u; channel0 < params.d_head; channel0 += n_tile_column) {
    var sums = sum_queries(lane, key0, channel0, is_key);
    for (var i = 0u; i < 4u; i += 1u) {
      write_sums(key0 + lane / 16u * 4u + i, channel0 + lane % 16u * 4u, sums[i], is_key);
    }
  }
}

// ---- attention_backward.software ----
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

fn store_dp(query: u32, key: u32, dp: vec4f) {
  let at = head.probs + query * params.n_key + key;
  scratch[at] = dp.x;
  scratch[at + 1u] = dp.y;
  scratch[at + 2u] = dp.z;
  scratch[at + 3u] = dp.w;
}

fn write_dp(query: u32, n_query: u32, stop: u32) {
  for (var key = 0u; key < stop; key += 4u) {
    var dp = dot_products(query, key);
    if (n_query == 4u && key + 4u <= stop) {
      store_dp(query, key, dp[0]);
      store_dp(query + 1u, key, dp[1]);
      store_dp(query + 2u, key, dp[2]);
      store_dp(query + 3u, key, dp[3]);
      continue;
    }
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
    let at = head.probs + query * params.n_key + key;
    sum += mat4x4f(weighted(scratch[at], query, key, row), weighted(scratch[at + params.n_key], query + 1u, key, row),
                   weighted(scratch[at + 2u * params.n_key], query + 2u, key, row),
                   weighted(scratch[at + 3u * params.n_key], query + 3u, key, row));
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
    var sums = sum_keys(query, channel, stop);
    for (var i = 0u; i < n_query; i += 1u) { write_dq(query + i, channel, sums[i]); }
  }
}

// ---- attention_backward.software_keys ----
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
    sum += mat4x4f(weighted(weights.x, query, key, row), weighted(weights.y, query, key + 1u, row),
                   weighted(weights.z, query, key + 2u, row), weighted(weights.w, query, key + 3u, row));
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
    var sums = sum_queries(key, channel, is_key);
    for (var i = 0u; i < 4u; i += 1u) { write_sums(key + i, channel, sums[i], is_key); }
  }
}

// ---- attention_backward_queries.part ----
// attention_backward, first pass: dp = dy vᵀ, ds = scale p (dp - Σ p dp) into scratch, laid out as probs, and dq = ds k.
// Four terms as columns; in each of them four queries, keys or channels. What is read beyond a row is not used.
fn dy_terms(query: u32, channel: u32) -> mat4x4f {
  let at = head.query + query * row_stride() + channel;
  return transpose(mat4x4f(dy_four(at), dy_four(at + row_stride()), dy_four(at + 2u * row_stride()),
                           dy_four(at + 3u * row_stride())));
}
fn dy_four(at: u32) -> vec4f {
  return vec4f(dy[at], dy[at + 1u], dy[at + 2u], dy[at + 3u]);
}
fn v_terms(key: u32, channel: u32) -> mat4x4f {
  let at = head.key + key * row_stride() + channel;
  return transpose(mat4x4f(v_four(at), v_four(at + row_stride()),
                           v_four(at + 2u * row_stride()), v_four(at + 3u * row_stride())));
}
fn v_four(at: u32) -> vec4f {
  return vec4f(v[at], v[at + 1u], v[at + 2u], v[at + 3u]);
}
fn k_terms(key: u32, channel: u32) -> mat4x4f {
  let at = head.key + key * row_stride() + channel;
  return mat4x4f(k_four(at), k_four(at + row_stride()), k_four(at + 2u * row_stride()), k_four(at + 3u * row_stride()));
}
fn k_four(at: u32) -> vec4f {
  return vec4f(k[at], k[at + 1u], k[at + 2u], k[at + 3u]);
}
fn ds_terms(query: u32, key: u32) -> mat4x4f {
  let at = head.probs + query * params.n_key + key;
  return transpose(mat4x4f(ds_four(at), ds_four(at + params.n_key),
                           ds_four(at + 2u * params.n_key), ds_four(at + 3u * params.n_key)));
}
fn ds_four(at: u32) -> vec4f {
  return vec4f(scratch[at], scratch[at + 1u], scratch[at + 2u], scratch[at + 3u]);
}

// p times a factor that does not count where p is 0: it may come from a masked NaN.
fn share_of(p: f32, factor: f32) -> f32 {
  return select(p * factor, 0.0, magnitude_bits(p) == 0u);
}

fn write_dq(query: u32, channel: u32, sums: vec4f) {
  if (query >= params.n_query) { return; }
  for (var j = 0u; j < 4u && channel + j < params.d_head; j += 1u) {
    let at = head.query + query * row_stride() + channel + j;
    dq[at] = select(sums[j], sums[j] + dq[at], (params.accumulate & 1u) != 0u);
  }
}

// ---- attention_backward_keys.part ----
// attention_backward, second pass: dk = dsᵀ q and dv = pᵀ dy; ds is in scratch, laid out as probs. Which of the two a lane
// or workgroup sums is `is_key`. Four queries as columns; in each of them four keys or channels.
fn weight_terms(query: u32, key: u32, is_key: bool) -> mat4x4f {
  let at = head.probs + query * params.n_key + key;
  return mat4x4f(weight_four(at, is_key), weight_four(at + params.n_key, is_key),
                 weight_four(at + 2u * params.n_key, is_key),
                 weight_four(at + 3u * params.n_key, is_key));
}
fn weight_four(at: u32, is_key: bool) -> vec4f {
  if (is_key) { return vec4f(scratch[at], scratch[at + 1u], scratch[at + 2u], scratch[at + 3u]); }
  return vec4f(probs[at], probs[at + 1u], probs[at + 2u], probs[at + 3u]);
}
fn row_terms(query: u32, channel: u32, is_key: bool) -> mat4x4f {
  let at = head.query + query * row_stride() + channel;
  return mat4x4f(row_four(at, is_key), row_four(at + row_stride(), is_key), row_four(at + 2u * row_stride(), is_key),
                 row_four(at + 3u * row_stride(), is_key));
}
fn row_four(at: u32, is_key: bool) -> vec4f {
  if (is_key) { return vec4f(q[at], q[at + 1u], q[at + 2u], q[at + 3u]); }
  return vec4f(dy[at], dy[at + 1u], dy[at + 2u], dy[at + 3u]);
}

// The first query that sees the key; n_query when none does.
fn first_query(key: u32) -> u32 {
  if (params.causal == 0u) { return 0u; }
  let first = i32(key) - clamp(params.query_offset, -0x40000000, 0x3fffffff);
  return u32(clamp(first, 0, i32(params.n_query)));
}

fn write_sums(key: u32, channel: u32, sums: vec4f, is_key: bool) {
  if (key >= params.n_key) { return; }
  for (var j = 0u; j < 4u && channel + j < params.d_head; j += 1u) {
    let at = head.key + key * row_stride() + channel + j;
    if (is_key) {
      dk[at] = select(sums[j], sums[j] + dk[at], (params.accumulate & 2u) != 0u);
    } else {
      dv[at] = select(sums[j], sums[j] + dv[at], (params.accumulate & 4u) != 0u);
    }
  }
}
