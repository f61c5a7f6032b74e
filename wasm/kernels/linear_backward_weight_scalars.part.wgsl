fn x_four(at: u32) -> vec4f {
  return vec4f(x[at], x[at + 1u], x[at + 2u], x[at + 3u]);
}

// Four neighbours of a row of dW: what lies beyond the matrix is dropped.
fn write(row: u32, column: u32, sums: vec4f) {
  if (row >= params.n_out) { return; }
  for (var j = 0u; j < 4u && column + j < params.n_in; j += 1u) {
    let at = (model * params.n_out + row) * params.n_in + column + j;
    dweight[at] = select(sums[j], sums[j] + dweight[at], (params.accumulate & 1u) != 0u);
  }
}
