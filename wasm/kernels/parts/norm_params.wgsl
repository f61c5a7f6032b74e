// The terms of dgamma = sum over rows of dy x_hat and of dbeta = sum over rows of dy.
fn terms(model: u32, row: u32, column: u32) -> Terms {
  let at = (model * params.n_row + row) * (params.d / width) + column;
  return Terms(dy[at] * x_hat(x[at], unpack_stats(stats[stats_at(model, row, column)])), dy[at]);
}
