// A lane takes four values at a time, for tensors whose sizes divide by four. One value: see scalar.wgsl.
alias Real = vec4f;
alias Bits = vec4u;
alias Ints = vec4i;
const width = 4u;
fn first_of(v: Real) -> f32 { return v.x; }
fn sum_of(v: Real) -> f32 { return (v.x + v.z) + (v.y + v.w); }
fn largest_of(bits: Bits) -> u32 { return max(max(bits.x, bits.y), max(bits.z, bits.w)); }
