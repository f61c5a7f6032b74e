// Statistics of a training step, written to a ring of rows: nothing here feeds back into training.
#include "cpu/kernels.h"
#include "cpu/norm_row.h"
#include "cpu/partial_norm.h"

namespace normscope::cpu {
namespace {

template <class T>
T* ring_row(T* ring, const T* control, uint32_t n_ring, uint32_t row_width) {
  return ring + static_cast<size_t>(static_cast<uint64_t>(control[0]) % n_ring) * row_width;
}

// Mean over the tokens of the variance over features.
template <class T>
T entry_variance(const T* x, uint32_t n_row, uint32_t d) {
  T sum = 0;
  for (size_t row = 0; row < n_row; ++row) {
    T sum_square;
    const RowStats<T> s = centred_stats<T>(x + row * d, d, 0, 1, sum_square);
    sum += sum_square / static_cast<T>(d) - s.delta * s.delta;
  }
  return sum / static_cast<T>(n_row);
}

// Mean over the features of the variance over tokens.
template <class T>
T data_variance(const T* x, uint32_t n_row, uint32_t d) {
  T total = 0;
  for_lanes(d, [&](uint32_t i, uint32_t k) {
    Vec<T> sum = {}, shift = {}, square = {};
    for (size_t row = 0; row < n_row; ++row) sum += load_n(x + row * d + i, k);
    const Vec<T> mean = sum / static_cast<T>(n_row);
    for (size_t row = 0; row < n_row; ++row) {
      const Vec<T> c = load_n(x + row * d + i, k) - mean;
      shift += c;
      square = madd(c, c, square);
    }
    const Vec<T> delta = shift / static_cast<T>(n_row);
    total += sum_lanes<T>(square / static_cast<T>(n_row) - delta * delta);
  });
  return total / static_cast<T>(d);
}

}  // namespace

template <class T>
void observe_header(const HeaderParams& p, T* const* operand) {
  const T *loss = operand[0], *partial = operand[1], *hyper = operand[2], *control = operand[3], *latch = operand[4];
  T* row = ring_row(operand[5], control, p.n_ring, p.row_width);
  row[0] = control[0], row[1] = loss[0], row[2] = partial_norm(partial, 0, p.n_slot).value(), row[3] = hyper[0],
  row[4] = loss[1];
  for (int i = 0; i < 5; ++i) row[5 + i] = latch[i];
}

template <class T>
void observe_moments(const MomentParams& p, T* const* operand) {
  const T *x = operand[0], *control = operand[1];
  T* out = ring_row(operand[2], control, p.n_ring, p.row_width) + p.slot;
  const uint32_t n = p.n_row * p.d;
  const T sum =
      sum_row<T, 1>(n, [&](uint32_t i, uint32_t k, Vec<T>* s) { s[0] += abs_lanes<T>(load_n(x + i, k)); }).sum[0];
  const T largest = max_abs(x, n);
  uint32_t at = 0;
  while (at + 1 < n && !(x[at] == largest || x[at] == -largest || x[at] != x[at])) ++at;
  out[0] = sum / static_cast<T>(n);
  out[1] = entry_variance(x, p.n_row, p.d);
  out[2] = data_variance(x, p.n_row, p.d);
  out[3] = largest;
  out[7] = static_cast<T>(at % p.d);
  if (p.slot_is_start) out[4] = out[0], out[5] = square_root(out[1]), out[6] = square_root(out[2]);
}

template <class T>
void observe_bound(const BoundParams& p, T* const* operand) {
  const T *gamma = operand[0], *beta = operand[1], *control = operand[2];
  T* row = ring_row(operand[3], control, p.n_ring, p.row_width);
  const T* before = row + p.slot_previous;
  T* after = row + p.slot;
  if (!p.has_gain) {
    after[4] = after[5] = after[6] = std::numeric_limits<T>::quiet_NaN();
    return;
  }
  const T d = static_cast<T>(p.d);
  const auto sums = sum_row<T, 3>(p.d, [&](uint32_t i, uint32_t k, Vec<T>* s) {
    const Vec<T> g = load_n(gamma + i, k), b = load_n(beta + i, k);
    s[0] = madd(g, g, s[0]);
    s[1] += abs_lanes<T>(b);
    s[2] += b;
  });
  const T mean_beta = sums.sum[2] / d;
  const T beta_square = sum_row<T, 1>(p.d, [&](uint32_t i, uint32_t k, Vec<T>* s) {
                          Vec<T> c = load_n(beta + i, k) - mean_beta;
                          if (k != n_lane) c = keep_first<T>(c, k);
                          s[0] = madd(c, c, s[0]);
                        }).sum[0];
  const T largest = max_abs(gamma, p.d), keep = static_cast<T>(p.keep), step = static_cast<T>(p.step);
  const T grow = 1 + static_cast<T>(p.roundoff);  // once for the rounded branch, once for the rounded sum
  // keep 0 starts anew, also where there was no bound.
  const auto next = [&](T bound, T gain) { return ((keep == 0 ? 0 : keep * bound) + step * gain * grow) * grow; };
  after[4] = next(before[4], square_root(sums.sum[0] / d) + sums.sum[1] / d);
  after[5] = next(before[5], largest + square_root(beta_square / d));
  after[6] = next(before[6], largest);
}

template <class T>
void observe_group_norm(const GroupNormParams& p, T* const* operand) {
  const T *partial = operand[0], *control = operand[1];
  ring_row(operand[2], control, p.n_ring, p.row_width)[p.slot] = partial_norm(partial, p.first_slot, p.n_slot).value();
}

NORMSCOPE_INSTANTIATE(observe_header, HeaderParams)
NORMSCOPE_INSTANTIATE(observe_moments, MomentParams)
NORMSCOPE_INSTANTIATE(observe_bound, BoundParams)
NORMSCOPE_INSTANTIATE(observe_group_norm, GroupNormParams)

}  // namespace normscope::cpu
