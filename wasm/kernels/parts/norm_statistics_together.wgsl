// Whether lanes wait for each other must not depend on values: the scale is found first, for every line.
fn line_stats(member: u32, start: u32) -> LineStats {
  let largest = line_largest(member, start);
  return scaled_stats(member, start, line_scale(largest >> 23u, params.eps), largest >= infinity_bits).stats;
}
