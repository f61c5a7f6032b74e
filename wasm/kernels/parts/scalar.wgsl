// A lane takes one value at a time. The same kernel text serves four values at a time: see vec4.wgsl.
alias Real = f32;
alias Bits = u32;
alias Ints = i32;
const width = 1u;
fn first_of(v: Real) -> f32 { return v; }
fn sum_of(v: Real) -> f32 { return v; }
fn largest_of(bits: Bits) -> u32 { return bits; }
