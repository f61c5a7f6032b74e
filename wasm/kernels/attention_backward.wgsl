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
    let dp = dot_products(lane, query0, key0);
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
  if (tile >= params.n_batch * params.n_head * n_tile) { return; }
  take_head(tile / n_tile, workgroup.z);
  let query0 = tile % n_tile * n_tile_row;
  let stop = key_end(min(query0 + n_tile_row, params.n_query) - 1u); // no query of the tile sees it

  let sum = sum_of_lanes(lane, write_dp(lane, query0, stop));
  write_ds(lane, query0, stop, sum);
  storageBarrier();
  for (var channel0 = 0u; channel0 < params.d_head; channel0 += n_tile_column) {
    let sums = sum_keys(lane, query0, channel0, stop);
    for (var i = 0u; i < 4u; i += 1u) {
      write_dq(query0 + lane / 16u * 4u + i, channel0 + lane % 16u * 4u, sums[i]);
    }
  }
}
