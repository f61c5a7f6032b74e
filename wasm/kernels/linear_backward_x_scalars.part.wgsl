fn weight_four(at: u32) -> vec4f {
  return vec4f(weight[at], weight[at + 1u], weight[at + 2u], weight[at + 3u]);
}

// Four neighbours of a row of dx: what lies beyond the matrix is dropped.
fn write(row: u32, column: u32, sums: vec4f) {
  if (row >= params.n_row) { return; }
  for (var j = 0u; j < 4u && column + j < params.n_in; j += 1u) {
    let at = (model * params.n_row + row) * params.n_in + column + j;
    dx[at] = select(sums[j], sums[j] + dx[at], (params.accumulate & 1u) != 0u);
  }
}
