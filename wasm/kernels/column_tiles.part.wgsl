// Sums down the columns of a matrix of many rows, in two passes: a lane sums its column over one tile of rows and
// leaves its terms in scratch, [model][tile][term][column]; in the next pass a lane adds a column's tiles in order.
fn tile_rows() -> u32 {
  return max(n_block, (params.n_row + 127u) / 128u); // at most 128 tiles
}
fn n_tile() -> u32 {
  return (params.n_row + tile_rows() - 1u) / tile_rows();
}
fn partial_at(model: u32, tile: u32, term: u32, column: u32) -> u32 {
  return ((model * n_tile() + tile) * n_term + term) * params.d + column;
}

// Where a lane stands: its column, and its tile's rows begin … end - 1. Groups take a tile's columns first.
struct TilePlace {
  column: u32,
  tile: u32,
  begin: u32,
  end: u32,
}
fn tile_place(lane: u32, group: u32) -> TilePlace {
  let groups_across = (params.d + n_lane - 1u) / n_lane;
  let tile = group / groups_across;
  let begin = tile * tile_rows();
  return TilePlace(group % groups_across * n_lane + lane, tile, begin, min(begin + tile_rows(), params.n_row));
}
fn is_outside(place: TilePlace) -> bool {
  return place.column >= params.d || place.tile >= n_tile();
}
