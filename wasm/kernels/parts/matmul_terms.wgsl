// Shared by the matrix products. A file says where its factors are: left(row, term) and right(column, term) hold four
// terms as their columns, in each of them four rows or four columns of the product; write(row, column, sums) stores four
// neighbours of a row.

// So many terms are summed before their sum joins the total, as on the CPU: long sums keep their small terms.
const n_term = 256u;

// The first n terms of four; the others count 0, whatever lies there.
fn keep_terms(terms: mat4x4f, n: u32) -> mat4x4f {
  let zero = vec4f();
  return mat4x4f(select(zero, terms[0], n > 0u), select(zero, terms[1], n > 1u), select(zero, terms[2], n > 2u),
                 select(zero, terms[3], n > 3u));
}
