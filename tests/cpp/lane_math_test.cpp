// The core's own exp, log, tanh, erf and expm1 against the C library in double.
#include "cpu/lane_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace normscope {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

float exp_of(float x) { return exp_lanes(splat(x))[1]; }
float tanh_of(float x) { return tanh_lanes(splat(x))[2]; }
float one_plus_erf_of(float x) { return one_plus_erf_lanes(splat(x))[3]; }

// Distance to the exact value in units of the last place of a float of that size.
double ulps(float got, double exact) {
  const float near = static_cast<float>(std::fabs(exact));
  const double ulp = std::nextafter(near, inf) - near;
  return std::fabs(got - exact) / ulp;
}

// The worst of `error` over a dense, uneven grid.
double worst(float from, float to, const std::function<double(float)>& error) {
  constexpr int n = 400000;
  double most = 0;
  for (int i = 0; i <= n; ++i) {
    const float x = static_cast<float>(from + (static_cast<double>(to) - from) * i / n * (1 + 1e-7 * (i % 7)));
    const double e = error(x);
    if (!(e <= most)) most = e;
  }
  return most;
}

TEST(LaneMath, ExpIsWithinTwoUnitsOfTheLastPlace) {
  EXPECT_LE(worst(-87.3f, 88.7f, [](float x) { return ulps(exp_of(x), std::exp(static_cast<double>(x))); }), 2);
  EXPECT_LE(worst(-1e-3f, 1e-3f, [](float x) { return ulps(exp_of(x), std::exp(static_cast<double>(x))); }), 1);
}

TEST(LaneMath, ExpKeepsItsLimits) {
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exp_of(-0.0f), 1);
  EXPECT_EQ(exp_of(-88), 0);
  EXPECT_EQ(exp_of(-inf), 0);
  EXPECT_EQ(exp_of(-3e38f), 0);
  EXPECT_GT(exp_of(3e38f), 2.9e38f);
  EXPECT_GT(exp_of(inf), 2.9e38f);
  EXPECT_TRUE(std::isnan(exp_of(nan)));
}

TEST(LaneMath, LogIsWithinTwoUnitsOfTheLastPlace) {
  const auto error = [](float x) { return ulps(log_positive(x), std::log(static_cast<double>(x))); };
  EXPECT_LE(worst(1e-3f, 0.9f, error), 2);
  EXPECT_LE(worst(1.1f, 1e6f, error), 2);
  // Near 1 the result is near 0.
  EXPECT_LE(worst(0.9f, 1.1f, [](float x) { return std::fabs(log_positive(x) - std::log(static_cast<double>(x))); }),
            2e-8);
  for (int exponent = -126; exponent <= 127; ++exponent) {
    const float x = std::ldexp(1.3f, exponent);
    EXPECT_LE(error(x), 2) << x;
  }
  EXPECT_EQ(log_positive(1.0f), 0);
}

TEST(LaneMath, TanhIsWithinThreeUnitsOfTheLastPlaceAndNeverAboveOne) {
  EXPECT_LE(worst(-10, 10, [](float x) { return ulps(tanh_of(x), std::tanh(static_cast<double>(x))); }), 3);
  EXPECT_LE(
      worst(-1e-2f, 1e-2f, [](float x) { return x == 0 ? 0 : ulps(tanh_of(x), std::tanh(static_cast<double>(x))); }),
      3);
  EXPECT_LE(worst(-100, 100, [](float x) { return std::fabs(tanh_of(x)); }), 1);
  EXPECT_EQ(tanh_of(inf), 1);
  EXPECT_EQ(tanh_of(-inf), -1);
  EXPECT_EQ(tanh_of(3e38f), 1);
  EXPECT_EQ(tanh_of(0), 0);
  EXPECT_TRUE(std::isnan(tanh_of(nan)));
}

TEST(LaneMath, OnePlusErfKeepsTheDigitsOfTheLeftTail) {
  const auto exact = [](float x) { return std::erfc(-static_cast<double>(x)); };
  EXPECT_LE(
      worst(-9, 9, [&](float x) { return std::fabs(one_plus_erf_of(x) - exact(x)) / std::fmin(exact(x) + 1e-37, 1); }),
      5e-6);
  EXPECT_LE(worst(-1, 6, [&](float x) { return ulps(one_plus_erf_of(x), exact(x)); }), 12);
  EXPECT_EQ(one_plus_erf_of(0), 1);
  EXPECT_EQ(one_plus_erf_of(inf), 2);
  EXPECT_EQ(one_plus_erf_of(-inf), 0);
  EXPECT_EQ(one_plus_erf_of(-9.5f), 0) << "the smallest trace, times a huge x, is no GELU";
  EXPECT_TRUE(std::isnan(one_plus_erf_of(nan)));
}

TEST(LaneMath, Expm1DoesNotCancelNearZero) {
  const auto error = [](float x) { return ulps(expm1_negative(x), std::expm1(static_cast<double>(x))); };
  EXPECT_LE(worst(-20, -1e-4f, error), 3);
  for (float x = -1e-4f; x < -1e-30f; x /= 3) EXPECT_LE(error(x), 3) << x;
  EXPECT_EQ(expm1_negative(0.0f), 0);
  EXPECT_EQ(expm1_negative(-200.0f), -1);
}

TEST(LaneMath, TreatsEveryLaneAlike) {
  const Vec<float> x{-2.5f, 0.125f, 7, -30}, e = exp_lanes(x), t = tanh_lanes(x), g = one_plus_erf_lanes(x);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(e[i], exp_of(x[i]));
    EXPECT_EQ(t[i], tanh_of(x[i]));
    EXPECT_EQ(g[i], one_plus_erf_of(x[i]));
  }
}

}  // namespace
}  // namespace normscope
