// The lanes of a workgroup share a line: lane l takes the values l, l + n_lane, …
const n_share = n_lane;
fn line_of(lane: u32, group: u32) -> u32 {
  return group;
}
fn first_of(lane: u32) -> u32 {
  return lane;
}
fn sum_line(lane: u32, share: vec2f) -> vec2f {
  return sum_lanes(lane, share, n_lane, 1u);
}
fn max_line(lane: u32, share: u32) -> u32 {
  return max_lanes(lane, share, n_lane);
}
