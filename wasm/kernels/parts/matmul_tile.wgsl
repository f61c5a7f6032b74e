// A product's tile of 64 x 64 results by 128 lanes, 8 x 4 each; 16 terms at a time go through workgroup memory, where
// both factors lie term by term. left_along_terms, right_along_terms: whether neighbours in memory are terms.
const n_lane = 128u;
const n_tile = 64u;
const n_step = 16u;
const n_stride = 17u; // quads of a tile, and one more, so that lanes write to different banks
var<workgroup> left_tile: array<vec4f, n_step * n_stride>;
var<workgroup> right_tile: array<vec4f, n_step * n_stride>;

// The 64 blocks of 4 x 4 of a tile, one a lane, so that neighbouring lanes load neighbours.
struct TilePart {
  quad: u32, // of rows or columns
  term: u32,
}
fn tile_part(i: u32, along_terms: bool) -> TilePart {
  if (along_terms) { return TilePart(i / 4u, i % 4u * 4u); }
  return TilePart(i % 16u, i / 16u * 4u);
}

// Half of the lanes load the left factor, the others the right one.
fn load_tiles(lane: u32, row0: u32, column0: u32, k: u32, end: u32) {
  if (lane < 64u) {
    let part = tile_part(lane, left_along_terms);
    let terms = keep_terms(left(row0 + part.quad * 4u, k + part.term), end - min(end, k + part.term));
    let at = part.term * n_stride + part.quad;
    left_tile[at] = terms[0];
    left_tile[at + n_stride] = terms[1];
    left_tile[at + 2u * n_stride] = terms[2];
    left_tile[at + 3u * n_stride] = terms[3];
  } else {
    let part = tile_part(lane - 64u, right_along_terms);
    let terms = keep_terms(right(column0 + part.quad * 4u, k + part.term), end - min(end, k + part.term));
    let at = part.term * n_stride + part.quad;
    right_tile[at] = terms[0];
    right_tile[at + n_stride] = terms[1];
    right_tile[at + 2u * n_stride] = terms[2];
    right_tile[at + 3u * n_stride] = terms[3];
  }
}

// Eight rows of four columns: top holds the rows 0-3 as its columns, bottom the rows 4-7.
struct TileShare {
  top: mat4x4f,
  bottom: mat4x4f,
}
fn multiply_tiles(lane: u32, sum: TileShare) -> TileShare {
  var top = sum.top;
  var bottom = sum.bottom;
  let left_at = lane / 16u * 2u;
  let right_at = lane % 16u;
  for (var k = 0u; k < n_step; k += 1u) {
    let columns = right_tile[k * n_stride + right_at];
    let rows = left_tile[k * n_stride + left_at];
    let more_rows = left_tile[k * n_stride + left_at + 1u];
    top += mat4x4f(columns * rows.x, columns * rows.y, columns * rows.z, columns * rows.w);
    bottom += mat4x4f(columns * more_rows.x, columns * more_rows.y, columns * more_rows.z, columns * more_rows.w);
  }
  return TileShare(top, bottom);
}

// The terms begin … end - 1, which depend on the parameters and the workgroup alone: there are barriers in here.
fn multiply_tile(lane: u32, row0: u32, column0: u32, begin: u32, end: u32) -> TileShare {
  var total = TileShare();
  for (var start = begin; start < end; start += n_term) {
    let stop = min(end, start + n_term);
    var sum = TileShare();
    for (var k = start; k < stop; k += n_step) {
      workgroupBarrier(); // others may still read the terms before
      load_tiles(lane, row0, column0, k, stop);
      workgroupBarrier();
      sum = multiply_tiles(lane, sum);
    }
    total = TileShare(total.top + sum.top, total.bottom + sum.bottom);
  }
  return total;
}

fn write_tile(lane: u32, row0: u32, column0: u32, sums: TileShare) {
  var share = sums; // variables may be indexed, values not everywhere
  let row = row0 + lane / 16u * 8u;
  let column = column0 + lane % 16u * 4u;
  for (var i = 0u; i < 4u; i += 1u) {
    write(row + i, column, share.top[i]);
    write(row + 4u + i, column, share.bottom[i]);
  }
}
