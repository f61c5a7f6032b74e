// Softmax and softmax cross-entropy, with the row's maximum subtracted before anything is exponentiated.
#include "cpu/kernels.h"
#include "cpu/lane_math.h"

namespace normscope::cpu {
namespace {

// The largest value; NaN when there is one.
template <class T>
T largest(const T* x, uint32_t n) {
  T m = x[0];
  for (uint32_t i = 1; i < n; ++i)
    if (x[i] > m || x[i] != x[i]) m = x[i];
  return m;
}

template <class T>
T sum_of_exp(const T* z, uint32_t n, T shift) {
  return sum_row<T, 1>(n,
                       [&](uint32_t i, uint32_t k, Vec<T>* s) {
                         const Vec<T> e = exp_lanes(load_n(z + i, k) - shift);
                         s[0] += k == n_lane ? e : keep_first<T>(e, k);
                       })
      .sum[0];
}

}  // namespace

template <class T>
void softmax_forward(const SoftmaxParams& p, T* const* operand) {
  for (size_t row = 0; row < p.n_row; ++row) {
    const T* z = operand[0] + row * p.n_col;
    T* out = operand[1] + row * p.n_col;
    const T shift = largest(z, p.n_col), inverse = 1 / sum_of_exp(z, p.n_col, shift);
    for_lanes(p.n_col, [&](uint32_t i, uint32_t k) {
      Vec<T> v = exp_lanes(load_n(z + i, k) - shift) * inverse;
      if (p.accumulate & 1) v += load_n(out + i, k);
      store_n(out + i, v, k);
    });
  }
}

// dz = p (dp - Σ p dp)
template <class T>
void softmax_backward(const SoftmaxParams& p, T* const* operand) {
  for (size_t row = 0; row < p.n_row; ++row) {
    const T *probs = operand[0] + row * p.n_col, *dp = operand[1] + row * p.n_col;
    T* dz = operand[2] + row * p.n_col;
    const T weighted = sum_row<T, 1>(p.n_col, [&](uint32_t i, uint32_t k, Vec<T>* s) {
                         s[0] = madd(load_n(probs + i, k), load_n(dp + i, k), s[0]);
                       }).sum[0];
    for_lanes(p.n_col, [&](uint32_t i, uint32_t k) {
      Vec<T> v = load_n(probs + i, k) * (load_n(dp + i, k) - weighted);
      if (p.accumulate & 1) v += load_n(dz + i, k);
      store_n(dz + i, v, k);
    });
  }
}

// loss = log Σ exp(z - max) - (z[target] - max): nothing large is subtracted from something large. With z-loss also
// z_loss (log Z)², log Z = max + log Σ exp(z - max).
template <class T>
void cross_entropy_forward(const CrossEntropyParams& p, T* const* operand) {
  const T *logits = operand[0], *targets = operand[1];
  for (size_t row = 0; row < p.n_row; ++row) {
    const T* z = logits + row * p.n_class;
    T* out = operand[2] + row * 4;
    const bool counted = targets[row] != static_cast<T>(p.ignore_index);
    const T shift = largest(z, p.n_class), log_sum = log_positive(sum_of_exp(z, p.n_class, shift));
    out[0] = shift, out[1] = log_sum;
    out[2] = counted ? log_sum - (z[static_cast<size_t>(targets[row])] - shift) : 0;
    out[3] = counted ? 1 : 0;
    const T log_z = shift + log_sum;
    if (counted && p.z_loss != 0) out[2] += static_cast<T>(p.z_loss) * log_z * log_z;
  }
}

// Mean over the counted rows; 0 when none counts.
template <class T>
void cross_entropy_mean(const CrossEntropyParams& p, T* const* operand) {
  const T* rows = operand[0];
  T* loss = operand[1];
  T sum = 0, lost = 0, count = 0;
  for (size_t row = 0; row < p.n_row; ++row) {
    const T v = rows[row * 4 + 2] - lost, t = sum + v;
    lost = is_finite(t) ? (t - sum) - v : 0;  // an infinite loss stays one
    sum = t;
    count += rows[row * 4 + 3];
  }
  loss[0] = count > 0 ? sum / count : 0;
  loss[1] = count, loss[2] = sum, loss[3] = 0;
}

// dz = (p - onehot(target)) / n_counted; z-loss adds its slope 2 z_loss log Z times p.
template <class T>
void cross_entropy_backward(const CrossEntropyParams& p, T* const* operand) {
  const T *logits = operand[0], *targets = operand[1], *rows = operand[2], *loss = operand[3];
  for (size_t row = 0; row < p.n_row; ++row) {
    const T* z = logits + row * p.n_class;
    T* dz = operand[4] + row * p.n_class;
    const bool counted = rows[row * 4 + 3] != 0;
    const T shift = rows[row * 4], weight = counted ? 1 / loss[1] : T(0);
    T inverse = 1 / sum_of_exp(z, p.n_class, shift);
    if (p.z_loss != 0) inverse *= 1 + 2 * static_cast<T>(p.z_loss) * (shift + rows[row * 4 + 1]);
    for_lanes(p.n_class, [&](uint32_t i, uint32_t k) {
      Vec<T> g = {};
      if (counted) {
        g = exp_lanes(load_n(z + i, k) - shift) * inverse;
        const uint32_t target = static_cast<uint32_t>(targets[row]);
        if (target >= i && target < i + k) g[target - i] -= 1;
        g *= weight;
      }
      if (p.accumulate & 1) g += load_n(dz + i, k);
      store_n(dz + i, g, k);
    });
  }
}

NORMSCOPE_INSTANTIATE(softmax_forward, SoftmaxParams)
NORMSCOPE_INSTANTIATE(softmax_backward, SoftmaxParams)
NORMSCOPE_INSTANTIATE(cross_entropy_forward, CrossEntropyParams)
NORMSCOPE_INSTANTIATE(cross_entropy_mean, CrossEntropyParams)
NORMSCOPE_INSTANTIATE(cross_entropy_backward, CrossEntropyParams)

}  // namespace normscope::cpu
