// dx = dy W, [n_row, n_in]: rows of dy by columns of the weight, n_out terms. What is read beyond a row is not used.
var<private> model: u32;

fn left(row: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_row + row) * params.n_out + term;
  return transpose(mat4x4f(dy_four(at), dy_four(at + params.n_out), dy_four(at + 2u * params.n_out),
                           dy_four(at + 3u * params.n_out)));
}
fn dy_four(at: u32) -> vec4f {
  return vec4f(dy[at], dy[at + 1u], dy[at + 2u], dy[at + 3u]);
}
fn right(column: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_out + term) * params.n_in + column;
  return mat4x4f(weight_four(at), weight_four(at + params.n_in), weight_four(at + 2u * params.n_in),
                 weight_four(at + 3u * params.n_in));
}
