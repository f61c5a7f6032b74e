// A matrix of many rows is cut into tiles of rows, so that many workgroups sum down its columns. Partial sums wait in
// scratch, [model][tile][term][column].
const n_lane = 64u;
fn tile_rows() -> u32 {
  return max(n_block, (params.n_row + 127u) / 128u); // at most 128 tiles
}
fn n_tile() -> u32 { return (params.n_row + tile_rows() - 1u) / tile_rows(); }
fn partial_at(model: u32, tile: u32, term: u32, column: u32) -> u32 {
  return ((model * n_tile() + tile) * n_term + term) * params.d + column;
}

// Where a lane stands: its column, and the rows begin … end - 1 of its tile; no rows where there is nothing to do. Groups
// take a tile's columns first.
struct TilePlace {
  column: u32,
  tile: u32,
  begin: u32,
  end: u32,
}
fn tile_place(lane: u32, group: u32) -> TilePlace {
  let groups_across = (params.d + n_lane - 1u) / n_lane;
  let column = group % groups_across * n_lane + lane;
  let tile = group / groups_across;
  let begin = tile * tile_rows();
  let end = select(begin, min(begin + tile_rows(), params.n_row), column < params.d && tile < n_tile());
  return TilePlace(column, tile, begin, end);
}
