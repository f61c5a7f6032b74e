// Norm over slots of `partial`: scale · root, whose product may lie beyond the largest number. root is finite exactly when
// all gradients are. Needs scaled_square.
var<private> slots: u32; // where the model's slots begin
fn pair(i: u32) -> vec2f {
  let at = slots + 2u * i;
  return vec2f(partial[at], partial[at + 1u]);
}

struct Norm {
  scale: f32,
  root: f32,
}
// Of n slots; `first` counts floats.
fn gradient_norm(member: u32, first: u32, n: u32) -> Norm {
  slots = first;
  let total = combine_pairs(member, n);
  if (!is_finite(total.y)) { return Norm(1.0, not_a_number(0u)); }
  return Norm(total.x, sqrt(total.y));
}

// The product; Inf by its exponent, because a shader may assume that nothing overflows.
fn norm_value(norm: Norm) -> f32 {
  let exponent = (magnitude_bits(norm.scale) >> 23u) + (magnitude_bits(norm.root) >> 23u);
  if (is_finite(norm.root) && exponent >= 127u + 255u) { return number_of_bits(infinity_bits); }
  return norm.scale * norm.root;
}
fn number_of_bits(bits: u32) -> f32 { return bitcast<f32>(bits); }
