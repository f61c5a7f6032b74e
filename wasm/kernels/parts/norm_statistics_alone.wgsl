// A lane that waits for nobody scales a line only where its squares turn out to need it: they overflowed, or vanished
// where eps does not hide it.
fn line_stats(member: u32, start: u32) -> LineStats {
  let plain = scaled_stats(member, start, 1.0, false);
  let square = magnitude_bits(plain.square_sum);
  let is_large = square >= bitcast<u32>(0x1p108f);
  let is_small = plain.square_sum < small_square && params.eps < small_square;
  if (!is_large && !is_small) { return plain.stats; }
  let largest = line_largest(member, start);
  return scaled_stats(member, start, line_scale(largest >> 23u, params.eps), largest >= infinity_bits).stats;
}
