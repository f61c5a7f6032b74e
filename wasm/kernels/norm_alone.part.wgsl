// A lane takes a whole line, so no lane waits for another.
const n_share = 1u;
fn line_of(lane: u32, group: u32) -> u32 {
  return group * n_lane + lane;
}
fn first_of(lane: u32) -> u32 {
  return 0u;
}
fn sum_line(lane: u32, share: vec2f) -> vec2f {
  return share;
}
fn max_line(lane: u32, share: u32) -> u32 {
  return share;
}
