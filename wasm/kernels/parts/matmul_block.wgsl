// A matrix product without workgroup memory: a lane sums a block of 8 x 8 results in its own registers.

// Rows 0-3 and 4-7 by columns 0-3 and 4-7. Each matrix holds one row of the product as one of its columns.
struct Block {
  top_left: mat4x4f,
  top_right: mat4x4f,
  bottom_left: mat4x4f,
  bottom_right: mat4x4f,
}

fn add_blocks(a: Block, b: Block) -> Block {
  return Block(a.top_left + b.top_left, a.top_right + b.top_right, a.bottom_left + b.bottom_left,
               a.bottom_right + b.bottom_right);
}
fn outer(columns: vec4f, rows: vec4f) -> mat4x4f {
  return mat4x4f(columns * rows.x, columns * rows.y, columns * rows.z, columns * rows.w);
}

// Four terms at once, and one alone.
fn four_terms(row: u32, column: u32, term: u32) -> Block {
  let top = transpose(left(row, term));
  let bottom = transpose(left(row + 4u, term));
  let near = right(column, term);
  let far = right(column + 4u, term);
  return Block(near * top, far * top, near * bottom, far * bottom);
}
fn one_term(row: u32, column: u32, term: u32) -> Block {
  let top = left(row, term)[0];
  let bottom = left(row + 4u, term)[0];
  let near = right(column, term)[0];
  let far = right(column + 4u, term)[0];
  return Block(outer(near, top), outer(far, top), outer(near, bottom), outer(far, bottom));
}

fn multiply_block(row: u32, column: u32, begin: u32, end: u32) -> Block {
  var total = Block();
  for (var start = begin; start < end; start += n_term) {
    let stop = min(end, start + n_term);
    var sum = Block();
    var k = start;
    for (; k + 4u <= stop; k += 4u) { sum = add_blocks(sum, four_terms(row, column, k)); }
    for (; k < stop; k += 1u) { sum = add_blocks(sum, one_term(row, column, k)); }
    total = add_blocks(total, sum);
  }
  return total;
}

fn write_block(row: u32, column: u32, sums: Block) {
  var block = sums; // variables may be indexed, values not everywhere
  for (var i = 0u; i < 4u; i += 1u) {
    write(row + i, column, block.top_left[i]);
    write(row + i, column + 4u, block.top_right[i]);
    write(row + 4u + i, column, block.bottom_left[i]);
    write(row + 4u + i, column + 4u, block.bottom_right[i]);
  }
}
