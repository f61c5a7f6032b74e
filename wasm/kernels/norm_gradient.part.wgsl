// Writes one value of dx, or adds it to the gradient that is there.
fn write_gradient(at: u32, gradient: f32, broken: bool) {
  var value = gradient;
  if ((params.accumulate & 1u) != 0u) { value += dx[at]; }
  dx[at] = select(value, not_a_number(infinity_bits), broken);
}
