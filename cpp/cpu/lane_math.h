// exp, log, tanh, erf, expm1 on four lanes. Float: own polynomials (Chebyshev fits, errors below 2e-9 before rounding),
// because libm differs between systems. Double: the library's functions, because finite differences need smoothness.
#pragma once
#include <cmath>

#include "cpu/lanes.h"

namespace normscope {

namespace detail {
template <class V>
inline V polynomial(const V&, const V& value) {
  return value;
}
// Horner's scheme, highest coefficient first.
template <class V, class... Rest>
inline V polynomial(const V& x, const V& value, float next, Rest... rest) {
  return polynomial(x, value * x + next, rest...);
}
template <class V, class... Rest>
inline V horner(const V& x, float first, Rest... rest) {
  return polynomial(x, V{} + first, rest...);
}
template <class F>
inline Vec<double> each(const Vec<double>& x, F f) {
  return Vec<double>{f(x[0]), f(x[1]), f(x[2]), f(x[3])};
}
}  // namespace detail

// e^x; 0 below -87.3 (the smallest normal), about 3e38 above 88.7, NaN stays.
inline Vec<float> exp_lanes(const Vec<float>& x_in) {
  using V = Vec<float>;
  V x = select<float>(x_in > splat(88.72f), splat(88.72f), x_in);
  x = select<float>(x_in < splat(-87.33f), splat(-87.33f), x);
  const V magic = splat(12582912.0f);  // 1.5 · 2^23: rounds to the nearest integer
  const V shifted = x * 1.44269504f + magic;
  const V n = shifted - magic;
  const V r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  const V p = detail::horner(r, 0.00139412131f, 0.008375210201f, 0.04166635164f, 0.1666641451f, 0.5000000047f,
                             1.000000038f, 1.0f);
  // 2^n in two halves, so that n = 128 does not overflow before the product does.
  Bits<float> bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  const Bits<float> whole = (bits & 0x7fffff) - 0x400000;  // n as an integer
  const Bits<float> half = whole >> 1;
  const Bits<float> low = (half + 127) << 23, high = (whole - half + 127) << 23;
  V scale_low, scale_high;
  std::memcpy(&scale_low, &low, sizeof low);
  std::memcpy(&scale_high, &high, sizeof high);
  const V y = p * scale_low * scale_high;
  return select<float>(x_in < splat(-87.33f), V{}, select<float>(x_in == x_in, y, x_in));
}
inline Vec<double> exp_lanes(const Vec<double>& x) {
  return detail::each(x, [](double v) { return std::exp(v); });
}

inline Vec<float> tanh_lanes(const Vec<float>& x) {
  using V = Vec<float>;
  const V a = abs_lanes<float>(x);
  const V u = x * x;
  const V small = x + x * u *
                          detail::horner(u, 0.00237076564f, -0.008410070802f, 0.021788322f, -0.05396155178f,
                                         0.1333331287f, -0.3333333323f);
  const V clamped = select<float>(a > splat(10.0f), splat(10.0f), a);
  const V large = splat(1.0f) - 2.0f / (exp_lanes(clamped + clamped) + 1.0f);
  return select<float>(a < splat(0.6f), small, select<float>(x < V{}, -large, large));
}
inline Vec<double> tanh_lanes(const Vec<double>& x) {
  return detail::each(x, [](double v) { return std::tanh(v); });
}

// 1 + erf(x), without cancellation for negative x.
inline Vec<float> one_plus_erf_lanes(const Vec<float>& x) {
  using V = Vec<float>;
  const V a = abs_lanes<float>(x);
  const V u = x * x;
  const V inner = x * detail::horner(u, 7.875875063e-5f, -0.0008016864287f, 0.005189087423f, -0.02685421201f,
                                     0.1128359472f, -0.3761262667f, 1.128379166f);
  const V clamped = select<float>(a > splat(9.4f), splat(9.4f), a);  // there e^-a² is 0
  const V t = 1.0f / (clamped * 0.5f + 1.0f);
  const V scaled = detail::horner(t, 0.0740661851f, -0.1626377456f, -0.00626017353f, 0.1296518832f, 0.1466077767f,
                                  0.2562982718f, 0.2804047092f, 0.2822562863f, -6.433822951e-6f);
  const V erfc = scaled * exp_lanes(-(clamped * clamped));
  return select<float>(a < splat(1.0f), inner + 1.0f, select<float>(x < V{}, erfc, 2.0f - erfc));
}
inline Vec<double> one_plus_erf_lanes(const Vec<double>& x) {
  return detail::each(x, [](double v) { return std::erfc(-v); });
}

// Natural logarithm of a positive normal number.
inline float log_positive(float x) {
  int32_t bits;
  std::memcpy(&bits, &x, 4);
  const int32_t exponent = (bits - 0x3f3504f3) >> 23;  // so that the mantissa lies in [√½, √2)
  bits -= exponent << 23;
  float m;
  std::memcpy(&m, &bits, 4);
  const float s = (m - 1.0f) / (m + 1.0f), u = s * s;
  const float p = ((0.1167097169f * u + 0.1427519848f) * u + 0.200000628f) * u + 0.3333333327f;
  const float e = static_cast<float>(exponent);
  return e * 0.693359375f + (2.0f * s + (2.0f * s * u * p - e * 2.12194440e-4f));
}
inline double log_positive(double x) { return std::log(x); }

// e^x - 1 for x <= 0, without cancellation near 0.
inline float expm1_negative(float x) {
  if (x < -0.5f) return exp_lanes(splat(x))[0] - 1.0f;
  const float p =
      (((((2.492243643e-5f * x + 0.0001996217623f) * x + 0.001388873772f) * x + 0.008333182072f) * x + 0.04166666714f) *
           x +
       0.1666666714f) *
          x +
      0.5f;
  return x + x * x * p;
}
inline double expm1_negative(double x) { return std::expm1(x); }

inline Vec<float> sqrt_lanes(const Vec<float>& x) {
  return Vec<float>{__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])};
}
inline Vec<double> sqrt_lanes(const Vec<double>& x) {
  return detail::each(x, [](double v) { return std::sqrt(v); });
}
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return std::sqrt(x); }

}  // namespace normscope
