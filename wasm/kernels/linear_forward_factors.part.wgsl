// y = x Wᵀ + b, [n_row, n_out]: rows of x by rows of the weight, n_in terms. What is read beyond a row is not used.
var<private> model: u32;

fn left(row: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_row + row) * params.n_in + term;
  return transpose(mat4x4f(x_four(at), x_four(at + params.n_in), x_four(at + 2u * params.n_in), x_four(at + 3u * params.n_in)));
}
fn right(column: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_out + column) * params.n_in + term;
  return transpose(mat4x4f(weight_four(at), weight_four(at + params.n_in), weight_four(at + 2u * params.n_in),
                           weight_four(at + 3u * params.n_in)));
}

// Four neighbours of a row of y: what lies beyond the matrix is dropped.
fn write(row: u32, column: u32, sums: vec4f) {
  if (row >= params.n_row) { return; }
  for (var j = 0u; j < 4u && column + j < params.n_out; j += 1u) {
    let at = (model * params.n_row + row) * params.n_out + column + j;
    var value = sums[j];
    if (params.has_bias != 0u) { value += bias[model * params.n_out + column + j]; }
    if ((params.accumulate & 1u) != 0u) { value += y[at]; }
    y[at] = value;
  }
}
