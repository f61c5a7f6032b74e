// Where the row of the step begins in ring, [n_model, n_ring, row_width].
fn ring_row(model: u32) -> u32 {
  return (model * params.n_ring + u32(control[8u * model]) % params.n_ring) * params.row_width;
}
