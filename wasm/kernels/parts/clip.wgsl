// The clip scale of huge gradients is a subnormal number, which GPUs may take for 0: two factors whose product it is.
fn clip_factors(clip: f32) -> vec2f {
  let bits = magnitude_bits(clip);
  return select(vec2f(0x1p-100f, f32(bits) * 0x1p-49f), vec2f(clip, 1.0), bits >= 0x800000u);
}
