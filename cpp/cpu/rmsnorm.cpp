// RMSNorm (Zhang & Sennrich 2019): y = gamma x / sqrt(mean(x²) + eps) over the features of each row.
#include "cpu/column_sums.h"
#include "cpu/kernels.h"
#include "cpu/norm_row.h"

namespace normscope::cpu {

template <class T>
void rmsnorm_forward(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[1];
  T *y = operand[2], *stats = operand[3];
  for (size_t row = 0; row < p.n_row; ++row) {
    const size_t at = row * p.d;
    const RowStats<T> s = rmsnorm_stats(x + at, p.d, static_cast<T>(p.eps));
    store_stats(stats + row * 4, s);
    for_lanes(p.d, [&](uint32_t i, uint32_t k) {
      store_n(y + at + i, load_n(gamma + i, k) * s.x_hat(load_n(x + at + i, k)), k);
    });
  }
}

template <class T>
void rmsnorm_backward_x(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[1], *dy = operand[2], *stats = operand[3];
  T* dx = operand[4];
  for (size_t row = 0; row < p.n_row; ++row)
    norm_backward_row<T, false>(x + row * p.d, gamma, dy + row * p.d, load_stats(stats + row * 4), p.d,
                                static_cast<T>(p.eps), p.accumulate & 1, dx + row * p.d);
}

template <class T>
void rmsnorm_backward_params(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *dy = operand[1], *stats = operand[2];
  sum_columns<T, 1>(p.n_row, p.d, p.accumulate, {operand[3]}, [&](size_t row, uint32_t i, uint32_t n, Vec<T>* value) {
    const size_t at = row * p.d + i;
    value[0] = load_n(dy + at, n) * load_stats(stats + row * 4).x_hat(load_n(x + at, n));
  });
}

NORMSCOPE_INSTANTIATE(rmsnorm_forward, NormParams)
NORMSCOPE_INSTANTIATE(rmsnorm_backward_x, NormParams)
NORMSCOPE_INSTANTIATE(rmsnorm_backward_params, NormParams)

}  // namespace normscope::cpu
