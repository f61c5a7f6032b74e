// Sums and maxima over the lanes of a workgroup, through its memory.
const n_max_lane = 256u;
var<workgroup> lane_sum: array<vec2f, n_max_lane>;
var<workgroup> lane_bits: array<u32, n_max_lane>;

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
