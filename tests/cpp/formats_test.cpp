// Rounding of the stream to fp16 and bf16, and the latch that remembers the first overflow.
#include <cstring>
#include <limits>

#include "arena.h"
#include "ops/activation.h"
#include "plan/builder.h"
#include "reference_formats.h"

namespace normscope {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

struct Rounded {
  std::vector<double> x, latch;
};

Rounded rounded(const std::vector<double>& x, Format format, uint32_t d = 1, double step = 0, int n_run = 1) {
  Builder b;
  const TensorId id = b.input("x", {static_cast<uint32_t>(x.size() / d), d}),
                 control = b.add("control", Role::state, {8}), latch = b.add("latch", Role::state, {8});
  round_in_place(b, id, control, latch, format, 6);
  const Plan plan = b.finish();
  Arena<float> arena(plan);
  for (int run = 0; run < n_run; ++run) {
    arena.write("x", x);
    arena.at("control")[0] = static_cast<float>(step + run);
    arena.run(Phase::forward);
  }
  return {arena.read("x"), arena.read("latch")};
}

// Floats of every size and sign: random bit patterns, and every neighbourhood of a tie.
std::vector<double> probes(const reference::FormatTable& table, double least) {
  std::vector<double> out{0, -0.0, table.largest(), inf, -inf};
  uint32_t bits = 12345;
  for (int i = 0; i < 200000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    float x;
    std::memcpy(&x, &bits, sizeof x);
    if (std::isfinite(x)) out.push_back(x);
  }
  for (double x = least / 4; x < table.largest(); x *= 1.0625) {
    const double tie = (table.round(x) + table.round(x * (1 + 1.0 / 128))) / 2;
    for (const float near : {std::nextafter(static_cast<float>(tie), 0.0f), static_cast<float>(tie),
                             std::nextafter(static_cast<float>(tie), std::numeric_limits<float>::infinity())}) {
      out.push_back(near);
      out.push_back(-near);
    }
  }
  return out;
}

void expect_nearest(Format format, const reference::FormatTable& table, double least) {
  const std::vector<double> x = probes(table, least), got = rounded(x, format).x;
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], table.round(x[i])) << x[i];
}

TEST(RoundFormat, Fp16IsTheNearestOfAllHalfValues) { expect_nearest(Format::fp16, reference::fp16(), 6e-8); }
TEST(RoundFormat, Bf16IsTheNearestOfAllBfloatValues) { expect_nearest(Format::bf16, reference::bf16(), 1e-38); }

TEST(RoundFormat, TiesGoToTheEvenValue) {
  EXPECT_EQ(rounded({2049, 2051, -2049, 65519, 65520, -65520}, Format::fp16).x,
            (std::vector<double>{2048, 2052, -2048, 65504, inf, -inf}));
  EXPECT_EQ(rounded({257, 259, -257, 1000, 1002}, Format::bf16).x, (std::vector<double>{256, 260, -256, 1000, 1000}));
}

TEST(RoundFormat, NanStaysNanAndIsNoOverflow) {
  for (const Format format : {Format::fp16, Format::bf16}) {
    const Rounded r = rounded({std::numeric_limits<double>::quiet_NaN(), 1}, format);
    EXPECT_TRUE(std::isnan(r.x[0]));
    EXPECT_EQ(r.x[1], 1);
    EXPECT_EQ(r.latch, std::vector<double>(8, 0));
  }
}

TEST(RoundFormat, TheFirstOverflowIsLatchedWithStepPointChannelAndValue) {
  const Rounded r = rounded({1, 2, 3, 4, 7e4, -8e4}, Format::fp16, 3, 41, 2);
  EXPECT_EQ(r.latch[0], 4) << "two values in each of two runs";
  EXPECT_EQ(r.latch[1], 41);
  EXPECT_EQ(r.latch[2], 6);
  EXPECT_EQ(r.latch[3], 1);
  EXPECT_EQ(r.latch[4], 7e4f);
}

TEST(RoundFormat, Bf16ReachesFurtherThanFp16) {
  EXPECT_EQ(rounded({7e4, 3e38}, Format::bf16).latch[0], 0);
  EXPECT_EQ(rounded({3.4e38}, Format::bf16).latch[0], 1);
}

TEST(RoundFormat, Fp32ChangesNothing) {
  EXPECT_EQ(rounded({1.00000012, 3e38}, Format::fp32).x, (std::vector<double>{1.00000012f, 3e38f}));
}

}  // namespace
}  // namespace normscope
