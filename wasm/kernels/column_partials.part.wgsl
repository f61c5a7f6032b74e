// First pass: the terms of one tile.
fn store_partials(lane: u32, group: u32, model: u32) {
  let place = tile_place(lane, group);
  if (is_outside(place)) { return; }
  let sums = sum_column(model, place.begin, place.end, place.column);
  for (var term = 0u; term < n_term; term += 1u) {
    scratch[partial_at(model, place.tile, term, place.column)] = sums[term];
  }
}
