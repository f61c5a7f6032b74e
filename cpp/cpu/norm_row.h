// What LayerNorm and RMSNorm share: the statistics of one row and the gradient through x_hat.
#pragma once
#include <cmath>

#include "cpu/lane_math.h"
#include "plan/kernel_params.h"

namespace normscope::cpu {

// x_hat = ((x * inv_scale - mean) - delta) * rstd; see NormParams.
template <class T>
struct RowStats {
  T mean, delta, rstd, inv_scale;

  Vec<T> x_hat(const Vec<T>& x) const { return ((x * inv_scale - mean) - delta) * rstd; }
};

template <class T>
inline RowStats<T> load_stats(const T* stats) {
  return {stats[0], stats[1], stats[2], stats[3]};
}
template <class T>
inline void store_stats(T* stats, const RowStats<T>& s) {
  stats[0] = s.mean, stats[1] = s.delta, stats[2] = s.rstd, stats[3] = s.inv_scale;
}

template <class T>
constexpr T largest_plain_square = std::numeric_limits<T>::max() / T(1u << 20);

template <class T>
constexpr T smallest_plain_square = std::numeric_limits<T>::min() * T(1u << 24) * T(1u << 24);

// Whether squares may have overflowed, or underflowed where eps does not hide it.
template <class T>
inline bool needs_scale(T sum_square, T eps) {
  return !(sum_square < largest_plain_square<T>) ||
         (sum_square < smallest_plain_square<T> && eps < smallest_plain_square<T>);
}

// A power of two that brings the largest |x| to about 2^20, so that squares and their sums stay numbers. NaN for NaN or
// Inf.
template <class T>
inline T inverse_scale(T largest) {
  if (!is_finite(largest)) return largest - largest;
  if (largest == 0) return 1;
  int exponent;
  std::frexp(largest, &exponent);
  const int wanted = 20 - exponent, most = std::numeric_limits<T>::max_exponent - 2;
  return std::ldexp(T(1), wanted < most ? wanted : most);
}

// eps belongs to the unscaled variance. It must not vanish in the scaling, or constant rows would divide by zero.
template <class T>
inline T reciprocal_root(T variance, T eps, T inv_scale) {
  if (variance == 0 && eps > 0) {
    const T root = square_root(eps) * inv_scale, least = std::numeric_limits<T>::min() * 4;
    return 1 / (root > least ? root : least);
  }
  if (inv_scale != 1) eps = eps * inv_scale * inv_scale;
  return 1 / square_root(variance + eps);
}

// Mean, and the variance in the corrected two-pass form. `spread` returns Σ(x - m)², or something not finite or too
// large when the squares overflow.
template <class T>
inline RowStats<T> centred_stats(const T* x, uint32_t d, T eps, T inv_scale, T& sum_square) {
  const T n = static_cast<T>(d);
  const T first = x[0] * inv_scale;  // a first guess of the mean: a common offset leaves the sum before it is taken
  const T mean = first + sum_row<T, 1>(
                             d,
                             [&](uint32_t i, uint32_t k, Vec<T>* s) {
                               const Vec<T> c = load_n(x + i, k) * inv_scale - first;
                               s[0] += k == n_lane ? c : keep_first<T>(c, k);
                             }).sum[0] /
                             n;
  const auto centred = sum_row<T, 2>(d, [&](uint32_t i, uint32_t k, Vec<T>* s) {
    Vec<T> c = load_n(x + i, k) * inv_scale - mean;
    if (k != n_lane) c = keep_first<T>(c, k);
    s[0] += c;
    s[1] = madd(c, c, s[1]);
  });
  const T delta = centred.sum[0] / n;
  sum_square = centred.sum[1];
  T variance = centred.sum[1] / n - delta * delta;
  if (variance < 0) variance = 0;
  return {mean, delta, reciprocal_root(variance, eps, inv_scale), inv_scale};
}

template <class T>
inline RowStats<T> layernorm_stats(const T* x, uint32_t d, T eps) {
  T sum_square;
  const RowStats<T> plain = centred_stats<T>(x, d, eps, 1, sum_square);
  if (!needs_scale(sum_square, eps)) return plain;
  return centred_stats<T>(x, d, eps, inverse_scale(max_abs(x, d)), sum_square);
}

template <class T>
inline RowStats<T> rmsnorm_stats(const T* x, uint32_t d, T eps) {
  const auto sum_square = [&](T inv_scale) {
    return sum_row<T, 1>(d,
                         [&](uint32_t i, uint32_t k, Vec<T>* s) {
                           const Vec<T> v = load_n(x + i, k) * inv_scale;
                           s[0] = madd(v, v, s[0]);
                         })
        .sum[0];
  };
  const T plain = sum_square(1);
  const T inv_scale = needs_scale(plain, eps) ? inverse_scale(max_abs(x, d)) : T(1);
  const T square = inv_scale == 1 ? plain : sum_square(inv_scale);
  return {0, 0, reciprocal_root(square / static_cast<T>(d), eps, inv_scale), inv_scale};
}

// The smallest widths leave x_hat no direction but ±1: all that passes is what eps leaves, 1 - x_hat² = eps r², and the
// general formula would be nothing but cancellation.
template <class T, bool centred>
inline void one_direction_backward(const T* gamma, const T* dy, const RowStats<T>& stats, T eps, bool accumulate,
                                   T* dx) {
  const T r = stats.rstd * stats.inv_scale;
  const T passed = (centred ? (gamma[0] * dy[0] - gamma[1] * dy[1]) / 2 : gamma[0] * dy[0]) * (eps * r * r) * r;
  dx[0] = accumulate ? dx[0] + passed : passed;
  if (centred) dx[1] = accumulate ? dx[1] - passed : -passed;
}

// dx = r (h - mean(h) - x_hat mean(h x_hat)), h = gamma dy; without the mean(h) term for RMSNorm.
template <class T, bool centred>
inline void norm_backward_row(const T* x, const T* gamma, const T* dy, const RowStats<T>& stats, uint32_t d, T eps,
                              bool accumulate, T* dx) {
  if (d == (centred ? 2 : 1)) return one_direction_backward<T, centred>(gamma, dy, stats, eps, accumulate, dx);
  const auto h = [&](uint32_t i, uint32_t k) { return load_n(gamma + i, k) * load_n(dy + i, k); };
  const auto sums = sum_row<T, 2>(d, [&](uint32_t i, uint32_t k, Vec<T>* s) {
    const Vec<T> hi = h(i, k);
    Vec<T> term = hi * stats.x_hat(load_n(x + i, k));
    if (k != n_lane) term = keep_first<T>(term, k);
    s[0] += hi;
    s[1] += term;
  });
  const T mean_h = centred ? sums.sum[0] / static_cast<T>(d) : T(0);
  const T mean_hx = sums.sum[1] / static_cast<T>(d);
  const T r = stats.rstd * stats.inv_scale;
  for_lanes(d, [&](uint32_t i, uint32_t k) {
    const Vec<T> x_hat = stats.x_hat(load_n(x + i, k));
    Vec<T> g = ((h(i, k) - mean_h) - x_hat * mean_hx) * r;
    if (accumulate) g += load_n(dx + i, k);
    store_n(dx + i, g, k);
  });
}

// Residual addition and a norm in one pass: each row of sum = alpha skip + dt branch goes to norm(row) while it is
// near.
template <class T, class F>
inline void norm_of_sums(const ResidualNormParams& p, const T* skip, const T* branch, T* sum, F norm) {
  const Vec<T> dt = splat(static_cast<T>(p.dt));
  for (size_t row = 0; row < p.n_row; ++row) {
    const size_t at = row * p.d;
    for_lanes(p.d, [&](uint32_t i, uint32_t k) {
      const Vec<T> kept = load_n(skip + at + i, k) * static_cast<T>(p.alpha);
      store_n(sum + at + i, madd(dt, load_n(branch + at + i, k), kept), k);
    });
    norm(row);
  }
}

}  // namespace normscope::cpu
