// tanh and its slope without the built-in function, whose error and range differ between GPUs. NaN stays NaN.
fn keep_nan(u: f32, value: f32) -> f32 {
  let bits = magnitude_bits(u);
  return select(value, not_a_number(bits), bits > infinity_bits);
}

// Up to 0.6 a polynomial; then 1 - 2 / (e^2u + 1), which is 1 from 10 on.
fn tanh_of(u: f32) -> f32 {
  let square = min(u * u, 1.0);
  let odd = ((((0.00237076564 * square - 0.008410070802) * square + 0.021788322) * square - 0.05396155178) * square +
      0.1333331287) * square - 0.3333333323;
  let large = 1.0 - 2.0 / (exp(2.0 * min(abs(u), 10.0)) + 1.0);
  return keep_nan(u, select(select(large, -large, u < 0.0), u + u * square * odd, abs(u) < 0.6));
}

// 1 - tanh(u)^2 as 4 e / (1 + e)^2 with e = e^-2|u|: the difference would lose its digits where tanh is near 1.
fn tanh_slope(u: f32) -> f32 {
  let e = exp(-2.0 * min(abs(u), 43.0));
  return keep_nan(u, 4.0 * e / ((1.0 + e) * (1.0 + e)));
}
