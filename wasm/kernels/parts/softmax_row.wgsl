// Numbers as integers of the same order, NaN of any sign last: a row's largest one is found without a comparison of
// floats, which compilers may take for one without NaN. 0 is below all numbers: nothing was seen.
fn order_key(v: f32) -> u32 {
  let bits = bitcast<u32>(v);
  if (magnitude_bits(v) > infinity_bits) { return 0xffffffffu; }
  return select(bits | 0x80000000u, ~bits, bits > 0x7fffffffu);
}
fn key_value(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, key > 0x7fffffffu));
}

// A row with NaN, with +Inf or of nothing but -Inf has no softmax: all its probabilities are NaN.
fn has_softmax(largest_key: u32) -> bool {
  return largest_key > ~(0x80000000u | infinity_bits) && largest_key < (0x80000000u | infinity_bits);
}

// e^(score - largest) of a row that has a softmax; 0 where it would be below the smallest normal number.
const least_exponent = -87.33;
fn exp_below(score: f32, largest: f32) -> f32 {
  let x = score - largest;
  return select(exp(max(x, least_exponent)), 0.0, x < least_exponent || !is_finite(score));
}

// A visible key's probability: NaN in a row that has no softmax, 0 in a row that sees nothing.
fn visible_share(share: f32, largest_key: u32) -> f32 {
  if (largest_key == 0u) { return 0.0; }
  return select(not_a_number(0u), share, has_softmax(largest_key));
}
