// Numbers as integers of the same order, NaN of any sign last: a row's largest one is found without a comparison of
// floats, which compilers may take for one without NaN. 0 is below all numbers: nothing was seen.
fn order_key(v: f32) -> u32 {
  let bits = bitcast<u32>(v);
  let key = select(bits | 0x80000000u, ~bits, bits > 0x7fffffffu);
  return select(key, 0xffffffffu, magnitude_bits(v) > infinity_bits);
}
fn key_value(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, key > 0x7fffffffu));
}
