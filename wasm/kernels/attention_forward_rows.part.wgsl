// Four terms as columns; in each of them four queries, keys or channels. What is read beyond a row is not used.
fn q_terms(query: u32, channel: u32) -> mat4x4f {
  let at = head.query + query * row_stride() + channel;
  return transpose(mat4x4f(q_four(at), q_four(at + row_stride()), q_four(at + 2u * row_stride()), q_four(at + 3u * row_stride())));
}
fn q_four(at: u32) -> vec4f {
  return vec4f(q[at], q[at + 1u], q[at + 2u], q[at + 3u]);
}
fn k_terms(key: u32, channel: u32) -> mat4x4f {
  let at = head.key + key * row_stride() + channel;
  return transpose(mat4x4f(k_four(at), k_four(at + row_stride()), k_four(at + 2u * row_stride()), k_four(at + 3u * row_stride())));
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
