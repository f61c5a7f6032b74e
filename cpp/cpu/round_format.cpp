// Rounding to fp16 and bf16 on the bits of a float, to nearest even, with overflow found before an Inf arises.
#include "cpu/kernels.h"
#include "cpu/lanes.h"

namespace normscope::cpu {
namespace {

constexpr uint32_t infinity_bits = 0x7f800000u;

// magnitude: the bits of |x|, finite. The result may be infinity_bits.
uint32_t round_bf16(uint32_t magnitude) { return (magnitude + 0x7fffu + ((magnitude >> 16) & 1)) & 0xffff0000u; }

uint32_t round_fp16(uint32_t magnitude) {
  const uint32_t exponent = magnitude >> 23;
  if (exponent >= 113) {  // normal in fp16: at least 2^-14
    const uint32_t rounded = (magnitude + 0xfffu + ((magnitude >> 13) & 1)) & ~0x1fffu;
    return rounded >= 0x47800000u ? infinity_bits : rounded;  // 65,536 and beyond
  }
  if (exponent < 102) return 0;  // below half of the smallest subnormal, 2^-25
  // Subnormal: multiples of 2^-24. Adding 0.5 puts the unit of a float's last place there and rounds to even.
  float x;
  std::memcpy(&x, &magnitude, 4);
  volatile float shifted = x + 0.5f;
  const float rounded = shifted - 0.5f;
  uint32_t bits;
  std::memcpy(&bits, &rounded, 4);
  return bits;
}

}  // namespace

template <class T>
void round_format(const RoundParams& p, T* const* operand) {
  const auto format = static_cast<Format>(p.format);
  if (format == Format::fp32) return;
  const T* control = operand[0];
  T *x = operand[1], *latch = operand[2];
  for (size_t i = 0; i < p.n; ++i) {
    const float value = static_cast<float>(x[i]);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    const uint32_t sign = bits & 0x80000000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= infinity_bits) continue;  // already Inf or NaN
    const uint32_t rounded = format == Format::fp16 ? round_fp16(magnitude) : round_bf16(magnitude);
    if (rounded == infinity_bits) {
      if (latch[0] == 0) {
        latch[1] = control[0], latch[2] = static_cast<T>(p.point);
        latch[3] = static_cast<T>(i % p.d), latch[4] = x[i];
      }
      latch[0] += 1;
    }
    bits = sign | rounded;
    float result;
    std::memcpy(&result, &bits, 4);
    x[i] = result;
  }
}

NORMSCOPE_INSTANTIATE(round_format, RoundParams)

}  // namespace normscope::cpu
