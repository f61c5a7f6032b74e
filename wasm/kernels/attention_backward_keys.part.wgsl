// attention_backward, second pass: dk = dsᵀ q and dv = pᵀ dy; ds is in scratch, laid out as probs. Which of the two a lane
// or workgroup sums is `is_key`. Four queries as columns; in each of them four keys or channels.
fn weight_terms(query: u32, key: u32, is_key: bool) -> mat4x4f {
  let at = head.probs + query * params.n_key + key;
  return mat4x4f(weight_four(at, is_key), weight_four(at + params.n_key, is_key), weight_four(at + 2u * params.n_key, is_key),
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
