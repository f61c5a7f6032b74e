// The pass over tiles of rows: a lane leaves the terms of one column of one tile.
fn store_partials(lane: u32, group: u32, model: u32) {
  let place = tile_place(lane, group);
  if (place.begin >= place.end) { return; }
  let sums = sum_column(model, place.begin, place.end, place.column);
  for (var term = 0u; term < n_term; term += 1u) {
    scratch[partial_at(model, place.tile, term, place.column)] = sums[term];
  }
}
