// Four lanes of float or double on compiler vector extensions: the same source becomes WASM SIMD, SSE and NEON.
// The order of every sum is fixed here, so that all builds give the same bits.
#pragma once
#include <cstdint>
#include <cstring>
#include <limits>

namespace normscope {

constexpr uint32_t n_lane = 4;

template <class T>
struct LaneTypes;
template <>
struct LaneTypes<float> {
  typedef float Vec __attribute__((vector_size(16)));
  typedef int32_t Bits __attribute__((vector_size(16)));
};
template <>
struct LaneTypes<double> {
  typedef double Vec __attribute__((vector_size(32)));
  typedef int64_t Bits __attribute__((vector_size(32)));
};
template <class T>
using Vec = typename LaneTypes<T>::Vec;
template <class T>
using Bits = typename LaneTypes<T>::Bits;

template <class T>
inline Vec<T> load(const T* p) {
  Vec<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class T>
inline void store(T* p, const Vec<T>& v) {
  std::memcpy(p, &v, sizeof v);
}

// The first n (1 … 4) lanes; the others are 0.
template <class T>
inline Vec<T> load_first(const T* p, uint32_t n) {
  Vec<T> v = {};
  for (uint32_t i = 0; i < n; ++i) v[i] = p[i];
  return v;
}

template <class T>
inline void store_first(T* p, const Vec<T>& v, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) p[i] = v[i];
}

template <class T>
inline Vec<T> splat(T x) {
  return Vec<T>{x, x, x, x};
}

// a b + c. Two roundings in the exact module, one where relaxed SIMD was asked for.
inline Vec<float> madd(const Vec<float>& a, const Vec<float>& b, const Vec<float>& c) {
#if defined(NORMSCOPE_FAST_MATH) && defined(__wasm_relaxed_simd__)
  return __builtin_wasm_relaxed_madd_f32x4(a, b, c);
#else
  return a * b + c;
#endif
}
inline Vec<double> madd(const Vec<double>& a, const Vec<double>& b, const Vec<double>& c) { return a * b + c; }

// mask lanes are all ones or all zeros, as comparisons give them.
template <class T>
inline Vec<T> select(const Bits<T>& mask, const Vec<T>& yes, const Vec<T>& no) {
  Bits<T> a, b;
  std::memcpy(&a, &yes, sizeof a);
  std::memcpy(&b, &no, sizeof b);
  const Bits<T> r = (a & mask) | (b & ~mask);
  Vec<T> v;
  std::memcpy(&v, &r, sizeof v);
  return v;
}

template <class T>
inline Vec<T> keep_first(const Vec<T>& v, uint32_t n) {
  Vec<T> r = {};
  for (uint32_t i = 0; i < n; ++i) r[i] = v[i];
  return r;
}

// NaN in a stays NaN.
template <class T>
inline Vec<T> max_lanes(const Vec<T>& a, const Vec<T>& b) {
  return select<T>(b > a, b, a);
}

template <class T>
inline Vec<T> abs_lanes(const Vec<T>& a) {
  return select<T>(a < Vec<T>{}, -a, a);
}

template <class T>
inline T sum_lanes(const Vec<T>& v) {
  return (v[0] + v[2]) + (v[1] + v[3]);
}

template <class T>
inline bool is_finite(T x) {
  return x - x == T(0);
}

// Calls f(i, n) for i = 0, 4, 8, …; n is 4, or the rest at the end.
template <class F>
inline void for_lanes(uint32_t n, F f) {
  uint32_t i = 0;
  for (; i + n_lane <= n; i += n_lane) f(i, n_lane);
  if (i < n) f(i, n - i);
}

// Loads and stores that take the whole vector where they may.
template <class T>
inline Vec<T> load_n(const T* p, uint32_t n) {
  return n == n_lane ? load(p) : load_first(p, n);
}
template <class T>
inline void store_n(T* p, const Vec<T>& v, uint32_t n) {
  if (n == n_lane)
    store(p, v);
  else
    store_first(p, v, n);
}

// N sums over n values at once. term(i, n, sums) adds the lanes i … to sums[0 … N-1]; lanes beyond n must add 0.
// Four accumulators, emptied every 2,048 values: the error does not grow with the row's length.
template <class T, int N>
struct RowSums {
  T sum[N];
};
template <class T, int N, class F>
inline RowSums<T, N> sum_row(uint32_t n, F term) {
  constexpr uint32_t stride = 4 * n_lane, block = 2048;
  RowSums<T, N> total{};
  for (uint32_t begin = 0; begin < n; begin += block) {
    const uint32_t end = n - begin < block ? n : begin + block;
    Vec<T> sums[4][N] = {};
    uint32_t i = begin;
    for (; i + stride <= end; i += stride)
      for (uint32_t j = 0; j < 4; ++j) term(i + j * n_lane, n_lane, sums[j]);
    for (; i + n_lane <= end; i += n_lane) term(i, n_lane, sums[0]);
    if (i < end) term(i, end - i, sums[1]);
    for (int k = 0; k < N; ++k) total.sum[k] += sum_lanes<T>((sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]));
  }
  return total;
}

// The largest magnitude; NaN when there is one.
template <class T>
inline T max_abs(const T* x, uint32_t n) {
  Vec<T> most = {};
  Bits<T> broken = {};
  for_lanes(n, [&](uint32_t i, uint32_t k) {
    const Vec<T> a = abs_lanes<T>(load_n(x + i, k));
    most = max_lanes<T>(most, a);
    broken |= a != a;
  });
  if (broken[0] | broken[1] | broken[2] | broken[3]) return std::numeric_limits<T>::quiet_NaN();
  const T low = most[0] > most[1] ? most[0] : most[1], high = most[2] > most[3] ? most[2] : most[3];
  return low > high ? low : high;
}

}  // namespace normscope
