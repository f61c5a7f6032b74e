// dW = dyᵀ x, [n_out, n_in]: columns of dy by columns of x, n_row terms. What is read beyond a row is not used.
var<private> model: u32;

fn left(row: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_row + term) * params.n_out + row;
  return mat4x4f(dy_four(at), dy_four(at + params.n_out), dy_four(at + 2u * params.n_out), dy_four(at + 3u * params.n_out));
}
fn dy_four(at: u32) -> vec4f {
  return vec4f(dy[at], dy[at + 1u], dy[at + 2u], dy[at + 3u]);
}
fn right(column: u32, term: u32) -> mat4x4f {
  let at = (model * params.n_row + term) * params.n_in + column;
  return mat4x4f(x_four(at), x_four(at + params.n_in), x_four(at + 2u * params.n_in), x_four(at + 3u * params.n_in));
}
