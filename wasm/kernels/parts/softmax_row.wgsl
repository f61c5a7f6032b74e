// Softmax of a row. Needs order.
fn largest_key_of(v: vec4f) -> u32 {
  return max(max(order_key(v.x), order_key(v.y)), max(order_key(v.z), order_key(v.w)));
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

// What makes probabilities of a row's exponentials: NaN where the row has no softmax, 0 where it sees nothing.
fn share_of_row(sum: f32, largest_key: u32) -> f32 {
  let share = select(not_a_number(0u), 1.0 / sum, has_softmax(largest_key));
  return select(share, 0.0, largest_key == 0u);
}
