// The pass over a column's partial sums, in order: tiles take the place of rows.
fn terms(model: u32, tile: u32, column: u32) -> Terms {
  var partial = Terms();
  for (var term = 0u; term < n_term; term += 1u) { partial[term] = scratch[partial_at(model, tile, term, column)]; }
  return partial;
}
fn total_of(model: u32, column: u32) -> Terms { return sum_column(model, 0u, n_tile(), column); }
