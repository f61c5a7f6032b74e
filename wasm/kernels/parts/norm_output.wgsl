// Writes y, or adds it to what is there.
fn write_value(at: u32, feature: u32, v: Real, s: LineStats) {
  keep_value(at, v);
  var value = scale_and_shift(x_hat(v, s), feature);
  if ((params.accumulate & y_bit) != 0u) { value += y[at]; }
  y[at] = select(value, Real(not_a_number(infinity_bits)), is_broken(s));
}
