// Stands before every kernel: where a workgroup is, sums over its lanes, and questions about float bit patterns.

const n_max_lane = 256u;
var<workgroup> lane_sum: array<vec2f, n_max_lane>;
var<workgroup> lane_bits: array<u32, n_max_lane>;

// A lane adds this many terms before it adds their sum to its total: long sums keep their small terms.
const n_block = 32u;

// Groups fill x first, then y (a dimension holds 65 535); z is the model. May exceed the groups asked for: such a
// group must write nothing.
fn group_index(workgroup: vec3u, n_workgroup: vec3u) -> u32 {
  return workgroup.x + workgroup.y * n_workgroup.x;
}

// Two sums at once over lanes 0 … n_lane - 1, in one fixed order: first over lanes that agree modulo n_partial, then over
// those partial sums that agree modulo n_kept. All powers of two. Holds barriers: call it where every lane comes by.
const n_partial = 16u;
fn sum_lanes(lane: u32, value: vec2f, n_lane: u32, n_kept: u32) -> vec2f {
  workgroupBarrier(); // others may still read the sum before
  lane_sum[lane] = value;
  workgroupBarrier();
  if (lane < n_partial) {
    var sum = value;
    for (var i = lane + n_partial; i < n_lane; i += n_partial) { sum += lane_sum[i]; }
    lane_sum[lane] = sum;
  }
  workgroupBarrier();
  var sum = lane_sum[lane % n_kept];
  for (var i = lane % n_kept + n_kept; i < n_partial; i += n_kept) { sum += lane_sum[i]; }
  return sum;
}

// The largest of the lanes' integers.
fn max_lanes(lane: u32, bits: u32, n_lane: u32) -> u32 {
  workgroupBarrier();
  lane_bits[lane] = bits;
  workgroupBarrier();
  if (lane < n_partial) {
    for (var i = lane + n_partial; i < n_lane; i += n_partial) { lane_bits[lane] = max(lane_bits[lane], lane_bits[i]); }
  }
  workgroupBarrier();
  var largest = 0u;
  for (var i = 0u; i < n_partial; i += 1u) { largest = max(largest, lane_bits[i]); }
  return largest;
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
