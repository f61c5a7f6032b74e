// Writes dx, or adds it to the gradient that is there.
fn write_slope(at: u32, gradient: Real, broken: bool) {
  var value = gradient;
  if ((params.accumulate & 1u) != 0u) { value += dx[at]; }
  dx[at] = select(value, Real(not_a_number(infinity_bits)), broken);
}
