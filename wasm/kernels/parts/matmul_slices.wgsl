// A product's tile of 16 x 16 results by 64 lanes, for matrices so small that larger tiles would leave most of the GPU
// idle: four lanes share a block of 4 x 4 and take every fourth group of four terms.
const n_lane = 64u;
const n_slice = 4u;
var<workgroup> slice_row: array<vec4f, n_lane * 4u>; // [lane][row of its block]

fn slice_sum(row: u32, column: u32, begin: u32, end: u32) -> mat4x4f {
  var total = mat4x4f();
  for (var start = begin; start < end; start += n_term * n_slice) {
    let stop = min(end, start + n_term * n_slice);
    var sum = mat4x4f();
    for (var k = start; k < stop; k += 4u * n_slice) {
      let n = end - k;
      sum += keep_terms(right(column, k), n) * transpose(keep_terms(left(row, k), n));
    }
    total += sum;
  }
  return total;
}

// The terms begin … end - 1; the results are written.
fn multiply_slices(lane: u32, row0: u32, column0: u32, begin: u32, end: u32) {
  let block = lane / n_slice;
  let row = row0 + block / 4u * 4u;
  let column = column0 + block % 4u * 4u;
  var share = slice_sum(row, column, begin + lane % n_slice * 4u, end);
  for (var i = 0u; i < 4u; i += 1u) { slice_row[lane * 4u + i] = share[i]; }
  workgroupBarrier();
  let i = lane % n_slice; // now a lane finishes one row of the block
  let first = block * n_slice * 4u + i;
  write(row + i, column, (slice_row[first] + slice_row[first + 4u]) + (slice_row[first + 8u] + slice_row[first + 12u]));
}
