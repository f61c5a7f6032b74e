// Rounding to fp16 and bf16, to nearest even, on the bits of a float: conversions of GPUs truncate, flush or turn 7e4 into
// NaN. magnitude: the bits of |x|, finite. The result may be infinity_bits.
const fp16 = 1u;
const bf16 = 2u;

// To a multiple of 2^n_bit of the last place. A carry moves into the exponent, as it should.
fn round_last(magnitude: u32, n_bit: u32) -> u32 {
  let even = (magnitude >> n_bit) & 1u;
  return ((magnitude + (1u << (n_bit - 1u)) - 1u + even) >> n_bit) << n_bit;
}

fn round_fp16(magnitude: u32) -> u32 {
  let exponent = magnitude >> 23u;
  if (exponent >= 113u) { // normal in fp16: at least 2^-14
    let rounded = round_last(magnitude, 13u);
    return select(rounded, infinity_bits, rounded >= 0x47800000u); // 65,536 and beyond
  }
  if (exponent < 102u) { return 0u; } // below half of the smallest subnormal, 2^-25
  // Subnormal: a multiple of 2^-24.
  let n_bit = 126u - exponent;
  let unit = round_last((magnitude & 0x7fffffu) | 0x800000u, n_bit) >> n_bit;
  return bitcast<u32>(f32(unit) * 0x1p-24f);
}

fn round_bits(magnitude: u32) -> u32 {
  if (params.format == fp16) { return round_fp16(magnitude); }
  return round_last(magnitude, 16u);
}

// The value rounded; Inf and NaN stay.
struct Rounded {
  bits: u32,
  overflows: bool,
}
fn round_value(bits: u32) -> Rounded {
  let magnitude = bits & 0x7fffffffu;
  if (magnitude >= infinity_bits || params.format == 0u) { return Rounded(bits, false); }
  let rounded = round_bits(magnitude);
  return Rounded((bits & 0x80000000u) | rounded, rounded == infinity_bits);
}
