#include "plan/random.h"

#include <cmath>

#include "arena.h"
#include "model/initial_values.h"
#include "reference_random.h"

namespace normscope {
namespace {

using Block = std::array<uint32_t, 4>;

TEST(Random, PhiloxGivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, PhiloxEqualsItsDescription) {
  for (uint32_t i = 0; i < 1000; ++i) {
    const uint32_t a = i * 2654435761u, b = a ^ 0x9e3779b9u;
    const reference::PhiloxBlock expected = reference::philox({{a, b, i, ~a}}, b * 3, ~i);
    EXPECT_EQ(philox({a, b, i, ~a}, {b * 3, ~i}),
              (Block{expected.word[0], expected.word[1], expected.word[2], expected.word[3]}));
  }
}

TEST(Random, AWordDependsOnSeedPurposeStreamStepAndIndex) {
  const uint32_t word = random_word(1, Purpose::batch, 2, 3, 4);
  EXPECT_EQ(word, random_word(1, Purpose::batch, 2, 3, 4));
  EXPECT_NE(word, random_word(2, Purpose::batch, 2, 3, 4));
  EXPECT_NE(word, random_word(1, Purpose::dropout, 2, 3, 4));
  EXPECT_NE(word, random_word(1, Purpose::batch, 3, 3, 4));
  EXPECT_NE(word, random_word(1, Purpose::batch, 2, 4, 4));
  EXPECT_NE(word, random_word(1, Purpose::batch, 2, 3, 5));
}

TEST(Random, UniformIndexStaysInRangeAndReachesBothEnds) {
  for (const uint32_t n : {1u, 2u, 7u, 32u, 4096u}) {
    EXPECT_EQ(uniform_index(0, n), 0u);
    EXPECT_EQ(uniform_index(~0u, n), n - 1);
  }
}

TEST(Random, StandardNormalInvertsTheNormalDistribution) {
  double worst = 0;
  for (uint64_t word = 0; word < (uint64_t{1} << 32); word += 256 * 331) {
    const double p = uniform_unit(static_cast<uint32_t>(word)), x = standard_normal(static_cast<uint32_t>(word));
    const double phi = 0.5 * std::erfc(-x / std::sqrt(2.0)), tail = std::fmin(p, 1 - p);
    worst = std::fmax(worst, std::fabs(phi - p) / tail);
  }
  EXPECT_LE(worst, 2e-5);
  EXPECT_LE(standard_normal(0), -5);
  EXPECT_GE(standard_normal(~0u), 5);
}

TEST(Random, StandardNormalIsOddAndAscends) {
  float last = -100;
  for (uint64_t word = 128; word < (uint64_t{1} << 32); word += (1u << 20) + 256) {
    const float x = standard_normal(static_cast<uint32_t>(word));
    EXPECT_GE(x, last);
    EXPECT_NEAR(standard_normal(~static_cast<uint32_t>(word)), -x, 1e-6 * std::fabs(x) + 1e-7);
    last = x;
  }
}

}  // namespace
}  // namespace normscope
