// A matrix product without workgroup memory: a lane sums a block of 8 x 8 results in its own registers.

// Rows 0-3 and 4-7 by columns 0-3 and 4-7. Each matrix holds one row of the product as one of its columns.
struct Block {
  top_left: mat4x4f,
  top_right: mat4x4f,
  bottom_left: mat4x4f,
  bottom_right: mat4x4f,
}

fn add_terms(sum: Block, top: mat4x4f, bottom: mat4x4f, left_columns: mat4x4f, right_columns: mat4x4f) -> Block {
  return Block(sum.top_left + left_columns * top, sum.top_right + right_columns * top,
               sum.bottom_left + left_columns * bottom, sum.bottom_right + right_columns * bottom);
}

fn multiply_block(row: u32, column: u32, begin: u32, end: u32) -> Block {
  var total = Block();
  for (var start = begin; start < end; start += n_term) {
    let stop = min(end, start + n_term);
    var sum = Block();
    var k = start;
    for (; k + 4u <= stop; k += 4u) {
      sum = add_terms(sum, transpose(left(row, k)), transpose(left(row + 4u, k)), right(column, k), right(column + 4u, k));
    }
    if (k < stop) {
      let n = stop - k;
      sum = add_terms(sum, transpose(keep_terms(left(row, k), n)), transpose(keep_terms(left(row + 4u, k), n)),
                      keep_terms(right(column, k), n), keep_terms(right(column + 4u, k), n));
    }
    total = Block(total.top_left + sum.top_left, total.top_right + sum.top_right,
                  total.bottom_left + sum.bottom_left, total.bottom_right + sum.bottom_right);
  }
  return total;
}

fn write_block(row: u32, column: u32, block: Block) {
  for (var i = 0u; i < 4u; i += 1u) {
    write(row + i, column, block.top_left[i]);
    write(row + i, column + 4u, block.top_right[i]);
    write(row + 4u + i, column, block.bottom_left[i]);
    write(row + 4u + i, column + 4u, block.bottom_right[i]);
  }
}
