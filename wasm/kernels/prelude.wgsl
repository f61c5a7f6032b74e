// Stands before every kernel: where a workgroup is, and questions about float bit patterns.

// A lane adds this many terms before it adds their sum to its total: long sums keep their small terms.
const n_block = 32u;

// Groups fill x first, then y (a dimension holds 65 535); z is the model. May exceed the groups asked for: such a
// group must write nothing.
fn group_index(workgroup: vec3u, n_workgroup: vec3u) -> u32 {
  return workgroup.x + workgroup.y * n_workgroup.x;
}

// |v| as an integer: ordered as the magnitudes are, with Inf above all numbers and NaN above Inf. Compilers may assume
// that a float comparison never meets NaN; they cannot assume that of an integer.
const infinity_bits = 0x7f800000u;
fn magnitude_bits(v: f32) -> u32 {
  return bitcast<u32>(v) & 0x7fffffffu;
}
fn is_finite(v: f32) -> bool {
  return magnitude_bits(v) < infinity_bits;
}
fn not_a_number(bits: u32) -> f32 {
  return bitcast<f32>(bits | 0x7fc00000u);
}

// 1, or a power of two that brings the row's largest magnitude near 2^20 where squares would overflow (2^50 and more).
fn inverse_scale(largest_bits: u32) -> f32 {
  let exponent = largest_bits >> 23u;
  return select(1.0, bitcast<f32>((2u * 127u + 20u - exponent) << 23u), exponent >= 127u + 50u);
}

// 1 / sqrt(variance + eps) for the variance of the scaled row; eps belongs to the unscaled one. In a constant row eps alone
// counts, and is not scaled: it might vanish.
fn reciprocal_root(variance: f32, eps: f32, inv_scale: f32) -> f32 {
  if (variance == 0.0 && eps > 0.0) { return 1.0 / max(sqrt(eps) * inv_scale, 0x1p-124f); }
  return 1.0 / sqrt(variance + eps * inv_scale * inv_scale);
}
