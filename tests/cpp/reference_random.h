// Philox4x32-10 from its description (Salmon et al. 2011, section 3.3), written with 64-bit products on named words.
#pragma once
#include <cstdint>
#include <vector>

namespace reference {

struct PhiloxBlock {
  uint32_t word[4];
};

inline PhiloxBlock philox(PhiloxBlock counter, uint32_t key_low, uint32_t key_high) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t left = static_cast<uint64_t>(counter.word[0]) * 3528531795u;
    const uint64_t right = static_cast<uint64_t>(counter.word[2]) * 3449720151u;
    PhiloxBlock next;
    next.word[0] = static_cast<uint32_t>(right >> 32) ^ counter.word[1] ^ key_low;
    next.word[1] = static_cast<uint32_t>(right & 0xffffffffu);
    next.word[2] = static_cast<uint32_t>(left >> 32) ^ counter.word[3] ^ key_high;
    next.word[3] = static_cast<uint32_t>(left & 0xffffffffu);
    counter = next;
    key_low += 2654435769u;   // the golden ratio
    key_high += 3144134277u;  // sqrt(3) - 1
  }
  return counter;
}

// Which of n values dropout keeps: value i looks at word i mod 4 of the block at (i / 4, step, stream, 0), key (seed,
// 3). It is kept when the word, read as a fraction of 2^32, is not below the rate.
inline std::vector<bool> dropout_mask(uint32_t n, uint32_t seed, uint32_t stream, uint32_t step, double rate) {
  std::vector<bool> kept;
  for (uint32_t i = 0; i < n; ++i) {
    const PhiloxBlock block = philox({{i / 4, step, stream, 0}}, seed, 3);
    kept.push_back(static_cast<double>(block.word[i % 4]) / 4294967296.0 >= rate);
  }
  return kept;
}

}  // namespace reference
