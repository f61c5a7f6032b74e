// Of a row of x: { Σ|x|, variance over its features, max |x|, channel of the first such }. Needs alone or together.

// Inf above the numbers, one NaN above Inf: every NaN counts as the same value.
fn magnitude_order(v: f32) -> u32 {
  let bits = magnitude_bits(v);
  return select(bits, 0x7fc00000u, bits > infinity_bits);
}

// Σ { |x|, x - centre }
fn row_sums(member: u32, first: u32, centre: f32) -> vec2f {
  var total = vec2f(0.0);
  for (var start = member; start < params.d; start += n_team * n_block) {
    var block = vec2f(0.0);
    for (var i = start; i < min(params.d, start + n_team * n_block); i += n_team) {
      block += vec2f(abs(x[first + i]), x[first + i] - centre);
    }
    total += block;
  }
  return team_sum(member, total);
}

// Variance around the mean, with the square of what rounding left in the mean taken out.
fn row_variance(member: u32, first: u32, mean: f32) -> f32 {
  var total = vec2f(0.0);
  for (var start = member; start < params.d; start += n_team * n_block) {
    var block = vec2f(0.0);
    for (var i = start; i < min(params.d, start + n_team * n_block); i += n_team) {
      let c = x[first + i] - mean;
      block += vec2f(c, c * c);
    }
    total += block;
  }
  let mean_of = team_sum(member, total) / f32(params.d);
  return mean_of.y - mean_of.x * mean_of.x;
}

// { max |x| in magnitude_order, its first channel }
fn row_largest(member: u32, first: u32) -> vec2u {
  var largest = 0u;
  var channel = member;
  for (var i = member; i < params.d; i += n_team) {
    let order = magnitude_order(x[first + i]);
    if (order > largest) { channel = i; }
    largest = max(largest, order);
  }
  let of_all = team_max(member, largest);
  return vec2u(of_all, ~team_max(member, select(0u, ~channel, largest == of_all)));
}

fn row_moments(member: u32, first: u32) -> vec4f {
  let sums = row_sums(member, first, x[first]);
  let variance = row_variance(member, first, x[first] + sums.y / f32(params.d));
  let largest = row_largest(member, first);
  return vec4f(sums.x, variance, bitcast<f32>(largest.x), f32(largest.y));
}

fn keep_row(moments: vec4f, at: u32) {
  for (var i = 0u; i < 4u; i += 1u) { scratch[at + i] = moments[i]; }
}
