// 1 - tanh(u)^2 as 4 e / (1 + e)^2, e = e^(-2|u|): the difference would lose its digits where tanh is near 1. Needs exp.
fn tanh_slope(u: Real) -> Real {
  let e = exp_of(abs(u) * -2.0);
  return 4.0 * e / ((1.0 + e) * (1.0 + e));
}
