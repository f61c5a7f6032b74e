// A product's tile of 16 rows by 64 columns for 64 lanes, 4 x 4 each; 16 terms at a time go through workgroup memory.
// A lane's quad of rows is lane / 16, its quad of columns lane % 16; rows of the result are columns of its matrix.
const n_lane = 64u;
const n_tile_row = 16u;
const n_tile_column = 64u;
const n_step = 16u;
const n_row_quad = 4u;
const n_stride = 17u; // quads of columns, and one more, so that lanes write to different banks
var<workgroup> row_tile: array<vec4f, n_step * n_row_quad>; // [term][quad]
var<workgroup> column_tile: array<vec4f, n_step * n_stride>;

// Where a lane's block of 4 x 4 goes: its first term and its quad.
struct TilePart {
  term: u32,
  quad: u32,
}
fn row_part(lane: u32) -> TilePart {
  return TilePart(lane % 4u * 4u, lane / 4u);
}
fn column_part(lane: u32, along_terms: bool) -> TilePart {
  if (along_terms) { return TilePart(lane % 4u * 4u, lane / 4u); }
  return TilePart(lane / 16u * 4u, lane % 16u);
}

fn store_rows(part: TilePart, terms: mat4x4f) {
  let at = part.term * n_row_quad + part.quad;
  row_tile[at] = terms[0];
  row_tile[at + n_row_quad] = terms[1];
  row_tile[at + 2u * n_row_quad] = terms[2];
  row_tile[at + 3u * n_row_quad] = terms[3];
}
fn store_columns(part: TilePart, terms: mat4x4f) {
  let at = part.term * n_stride + part.quad;
  column_tile[at] = terms[0];
  column_tile[at + n_stride] = terms[1];
  column_tile[at + 2u * n_stride] = terms[2];
  column_tile[at + 3u * n_stride] = terms[3];
}

fn add_step(lane: u32, before: mat4x4f) -> mat4x4f {
  var sum = before;
  for (var term = 0u; term < n_step; term += 1u) {
    let rows = row_tile[term * n_row_quad + lane / 16u];
    let columns = column_tile[term * n_stride + lane % 16u];
    sum += mat4x4f(columns * rows.x, columns * rows.y, columns * rows.z, columns * rows.w);
  }
  return sum;
}

// As add_step where the terms are keys and some are invisible to some of the queries, which are the rows.
fn add_visible(lane: u32, before: mat4x4f, query0: u32, key: u32) -> mat4x4f {
  var sum = before;
  let query = query0 + lane / 16u * 4u;
  for (var term = 0u; term < n_step; term += 1u) {
    let weights = row_tile[term * n_row_quad + lane / 16u];
    let row = column_tile[term * n_stride + lane % 16u];
    sum += mat4x4f(weighted(weights.x, query, key + term, row), weighted(weights.y, query + 1u, key + term, row),
                   weighted(weights.z, query + 2u, key + term, row), weighted(weights.w, query + 3u, key + term, row));
  }
  return sum;
}
