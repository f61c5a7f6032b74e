// Sums down the columns of a matrix: of `terms(model, row, column)`, which a kernel defines, over rows begin … end - 1.
fn sum_column(model: u32, begin: u32, end: u32, column: u32) -> Terms {
  var total = Terms();
  for (var start = begin; start < end; start += n_block) {
    let stop = min(end, start + n_block);
    var block = Terms();
    for (var row = start; row < stop; row += 1u) { block += terms(model, row, column); }
    total += block;
  }
  return total;
}
