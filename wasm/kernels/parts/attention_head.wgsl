// One head of one sequence: where its rows lie and which keys a query sees.
struct Head {
  query: u32, // its first value in q, y, dy, dq
  key: u32,   // in k, v, dk, dv
  probs: u32, // in probs
  mask: u32,
}
var<private> head: Head;

// index counts the heads of all sequences of a model; from n_batch n_head on there is none.
fn take_head(index: u32, model: u32) {
  let batch = model * params.n_batch + index / params.n_head;
  let first = index % params.n_head * params.d_head;
  head = Head(batch * params.n_query * row_stride() + first, batch * params.n_key * row_stride() + first,
              (model * params.n_batch * params.n_head + index) * params.n_query * params.n_key,
              model * params.n_query * params.n_key);
}
fn row_stride() -> u32 {
  return params.n_head * params.d_head;
}

// Keys at or beyond this one are invisible to the query.
fn key_end(query: u32) -> u32 {
  let end = i32(query) + clamp(params.query_offset, -0x40000000, 0x3fffffff) + 1;
  if (params.causal == 0u || end >= i32(params.n_key)) { return params.n_key; }
  return u32(max(end, 0));
}

// Whether a row enters the sum that it has this weight in: an invisible one does not, whatever it holds.
fn enters(weight: f32, query: u32, key: u32) -> bool {
  return key < key_end(query) && (params.has_mask == 0u || magnitude_bits(weight) != 0u);
}
fn weighted(weight: f32, query: u32, key: u32, row: vec4f) -> vec4f {
  return select(vec4f(), weight * row, enters(weight, query, key));
}
// Whether all keys of a range enter the sums of this query and of all later ones.
fn all_enter(query: u32, key_stop: u32) -> bool {
  return params.has_mask == 0u && key_stop <= key_end(query);
}
