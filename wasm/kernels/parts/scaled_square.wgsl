// Pairs { scale, Σ (g / scale)² }, scale a power of two (0: nothing but zeros), whose sums neither overflow nor underflow.
// Needs alone or together, and pair(i) of the file that uses this.
fn combine_pairs(member: u32, n: u32) -> vec2f {
  var share = 0u;
  for (var i = member; i < n; i += n_team) { share = max(share, magnitude_bits(pair(i).x)); }
  let scale = team_max(member, share);
  var total = 0.0;
  for (var start = member; start < n; start += n_team * n_block) {
    var block = 0.0;
    for (var i = start; i < min(n, start + n_team * n_block); i += n_team) { block += rescaled(pair(i), scale >> 23u); }
    total += block;
  }
  return vec2f(bitcast<f32>(scale), team_sum(member, vec2f(total, 0.0)).x);
}

// sum · (scale / largest)² with the square from exponents: exact, and 0 where it is too small to matter.
fn rescaled(one: vec2f, largest_exponent: u32) -> f32 {
  let below = largest_exponent - (magnitude_bits(one.x) >> 23u);
  let square = bitcast<f32>((127u - min(2u * below, 127u)) << 23u);
  return one.y * square;
}
