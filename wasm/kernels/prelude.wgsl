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
