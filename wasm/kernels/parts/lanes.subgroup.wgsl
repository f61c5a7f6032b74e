// Sums and maxima over the lanes of a workgroup: within each subgroup, then over the subgroups. A subgroup's result goes
// to the slot of its first lane, the other slots hold nothing; then every subgroup adds up all slots by itself. So the
// width of a subgroup does not matter, nor does which lanes it holds.
const n_max_lane = 256u;
var<workgroup> lane_sum: array<vec2f, n_max_lane>;
var<workgroup> lane_bits: array<u32, n_max_lane>;

// Two sums at once over lanes 0 … n_lane - 1, in one fixed order; with n_kept above 1 over those lanes that agree modulo
// n_kept. Holds barriers: call it where every lane comes by.
fn sum_lanes(lane: u32, value: vec2f, n_lane: u32, n_kept: u32) -> vec2f {
  if (n_kept > 1u) { return sum_apart(lane, value, n_lane, n_kept); }
  let own = subgroupAdd(value);
  let is_first = subgroupElect();
  workgroupBarrier(); // others may still read the sum before
  lane_sum[lane] = select(vec2f(0.0), own, is_first);
  workgroupBarrier();
  let width = subgroupAdd(1u);
  var sum = vec2f(0.0);
  for (var i = subgroupExclusiveAdd(1u); i < n_lane; i += width) { sum += lane_sum[i]; }
  return subgroupAdd(sum);
}

fn sum_apart(lane: u32, value: vec2f, n_lane: u32, n_kept: u32) -> vec2f {
  workgroupBarrier();
  lane_sum[lane] = value;
  workgroupBarrier();
  var sum = vec2f(0.0);
  for (var i = lane % n_kept; i < n_lane; i += n_kept) { sum += lane_sum[i]; }
  return sum;
}

// The largest of the lanes' integers.
fn max_lanes(lane: u32, bits: u32, n_lane: u32) -> u32 {
  let own = subgroupMax(bits);
  let is_first = subgroupElect();
  workgroupBarrier();
  lane_bits[lane] = select(0u, own, is_first);
  workgroupBarrier();
  let width = subgroupAdd(1u);
  var largest = 0u;
  for (var i = subgroupExclusiveAdd(1u); i < n_lane; i += width) { largest = max(largest, lane_bits[i]); }
  return subgroupMax(largest);
}
