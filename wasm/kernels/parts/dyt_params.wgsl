// The terms of one column: of dgamma, of dbeta, and of dalpha without its gamma.
fn terms(model: u32, row: u32, column: u32) -> Terms {
  let at = (model * params.n_row + row) * params.d + column;
  let u = x[at] * alpha[model];
  return Terms(dy[at] * tanh_of(u), dy[at], dy[at] * (x[at] * tanh_slope(u)));
}
