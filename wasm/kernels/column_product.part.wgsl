// Σ x dy down a column of [n_row, d], rows first … end - 1.
fn column_product(model: u32, column: u32, first: u32, end: u32) -> f32 {
  var total = 0.0;
  for (var start = first; start < end; start += n_block) {
    var block = 0.0;
    for (var row = start; row < min(end, start + n_block); row += 1u) {
      let at = (model * params.n_row + row) * params.d + column;
      block += x[at] * dy[at];
    }
    total += block;
  }
  return total;
}
