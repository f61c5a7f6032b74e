// Combines the partial sums of grad_square_sum, { scale, Σ (g / scale)² } per tensor, into one norm without overflow.
#pragma once
#include "cpu/lane_math.h"

namespace normscope::cpu {

// norm = scale · root; root is finite exactly when all gradients are.
template <class T>
struct PartialNorm {
  T scale, root;
  T value() const { return scale * root; }
};

template <class T>
inline PartialNorm<T> partial_norm(const T* partial, uint32_t first, uint32_t n) {
  T scale = 0;
  for (uint32_t i = first; i < first + n; ++i)
    if (partial[2 * i] > scale) scale = partial[2 * i];
  if (scale == 0) return {1, 0};
  T sum = 0;
  for (uint32_t i = first; i < first + n; ++i) {
    const T ratio = partial[2 * i] / scale;
    sum += ratio * ratio * partial[2 * i + 1];
  }
  return {scale, square_root(sum)};
}

}  // namespace normscope::cpu
