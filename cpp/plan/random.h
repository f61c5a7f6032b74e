// Philox4x32-10 (Salmon et al. 2011), a counter-based generator: a number depends only on (seed, purpose, stream, step,
// index), so placements share weights and batches, and the CPU and the GPU draw the same bits.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace normscope {

enum class Purpose : uint32_t {
  parameter = 1,
  batch = 2,
  dropout = 3,
  task = 4,
  held_out = 5,
  sample = 6,
  analysis = 7
};

inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * counter[0], b = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// FNV-1a of a tensor's name.
constexpr uint32_t stream_of(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Words 4 block … 4 block + 3 of the stream.
inline std::array<uint32_t, 4> random_block(uint32_t seed, Purpose purpose, uint32_t stream, uint32_t step,
                                            uint32_t block) {
  return philox({block, step, stream, 0}, {seed, static_cast<uint32_t>(purpose)});
}

// Word `index` of the stream.
inline uint32_t random_word(uint32_t seed, Purpose purpose, uint32_t stream, uint32_t step, uint32_t index) {
  return random_block(seed, purpose, stream, step, index / 4)[index % 4];
}

// Uniform in [0, n), by multiplication: the bias is below n / 2^32.
inline uint32_t uniform_index(uint32_t word, uint32_t n) { return static_cast<uint32_t>((uint64_t{word} * n) >> 32); }

// Uniform in (0, 1) with 24 bits.
inline double uniform_unit(uint32_t word) { return ((word >> 8) + 0.5) * (1.0 / 16777216.0); }

}  // namespace normscope
