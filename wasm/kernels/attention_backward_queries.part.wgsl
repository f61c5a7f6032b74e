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
  return transpose(mat4x4f(v_four(at), v_four(at + row_stride()), v_four(at + 2u * row_stride()), v_four(at + 3u * row_stride())));
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
  return transpose(mat4x4f(ds_four(at), ds_four(at + params.n_key), ds_four(at + 2u * params.n_key), ds_four(at + 3u * params.n_key)));
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
