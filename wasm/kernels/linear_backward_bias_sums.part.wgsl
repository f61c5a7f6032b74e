const n_lane = 256u;
const n_column = 16u;
const n_row_lane = n_lane / n_column;

// A lane's share of the sum of one column over the rows begin … end - 1.
fn column_sum(row_lane: u32, column: u32, model: u32, begin: u32, end: u32) -> f32 {
  var total = 0.0;
  for (var start = begin + row_lane; start < end; start += n_row_lane * n_block) {
    let stop = min(end, start + n_row_lane * n_block);
    var block = 0.0;
    for (var row = start; row < stop; row += n_row_lane) {
      block += dy[(model * params.n_row + row) * params.n_out + column];
    }
    total += block;
  }
  return total;
}
