// { scale, Σ (g / scale)² } of some gradients: scale is the power of two at or below the largest |g|, at least 2^-120 so that
// its reciprocal is a number; { 1, NaN } where a g is not finite. Needs scalar or vec4, alone or together; gradient(i) of
// the file that uses this.
fn square_pair(member: u32, first: u32, end: u32) -> vec2f {
  var share = 0u;
  for (var i = first + member; i < end; i += n_team) {
    share = max(share, largest_of(bitcast<Bits>(gradient(i)) & Bits(0x7fffffffu)));
  }
  let largest = team_max(member, share);
  let exponent = max(min(largest >> 23u, 254u), 7u);
  // The reciprocal in two halves, because that of 2^127 is no normal number.
  let half = (exponent + 1u) / 2u;
  let low = bitcast<f32>((127u + 64u - half) << 23u);
  let high = bitcast<f32>((127u + 63u - (exponent - half)) << 23u);
  var total = 0.0;
  for (var start = first + member; start < end; start += n_team * n_block) {
    var block = Real(0.0);
    for (var i = start; i < min(end, start + n_team * n_block); i += n_team) {
      let v = gradient(i) * low * high;
      block += v * v;
    }
    total += sum_of(block);
  }
  let sum = team_sum(member, vec2f(total, 0.0)).x;
  if (largest >= infinity_bits) { return vec2f(1.0, not_a_number(0u)); }
  return vec2f(select(bitcast<f32>(exponent << 23u), 0.0, largest == 0u), sum);
}
