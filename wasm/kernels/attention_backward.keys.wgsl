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
  if (tile >= 2u * n_half) { return; }
  let is_key = tile < n_half;
  take_head(tile % n_half / n_tile, workgroup.z);
  let key0 = tile % n_tile * n_tile_row;
  for (var channel0 = 0u; channel0 < params.d_head; channel0 += n_tile_column) {
    let sums = sum_queries(lane, key0, channel0, is_key);
    for (var i = 0u; i < 4u; i += 1u) {
      write_sums(key0 + lane / 16u * 4u + i, channel0 + lane % 16u * 4u, sums[i], is_key);
    }
  }
}
