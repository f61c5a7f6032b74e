// LayerNorm (Ba et al. 2016): y = gamma (x - mean) / sqrt(variance + eps) + beta over the features of each row.
#include "cpu/column_sums.h"
#include "cpu/kernels.h"
#include "cpu/norm_row.h"

namespace normscope::cpu {
namespace {

// x, y: one row; stats: its four floats.
template <class T>
void normalize_row(const T* x, const T* gamma, const T* beta, uint32_t d, float eps, T* y, T* stats) {
  const RowStats<T> s = layernorm_stats(x, d, static_cast<T>(eps));
  store_stats(stats, s);
  for_lanes(d, [&](uint32_t i, uint32_t k) {
    store_n(y + i, madd(load_n(gamma + i, k), s.x_hat(load_n(x + i, k)), load_n(beta + i, k)), k);
  });
}

}  // namespace

template <class T>
void layernorm_forward(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[1], *beta = operand[2];
  T *y = operand[3], *stats = operand[4];
  for (size_t row = 0; row < p.n_row; ++row)
    normalize_row(x + row * p.d, gamma, beta, p.d, p.eps, y + row * p.d, stats + row * 4);
}

template <class T>
void layernorm_backward_x(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[1], *dy = operand[2], *stats = operand[3];
  T* dx = operand[4];
  for (size_t row = 0; row < p.n_row; ++row)
    norm_backward_row<T, true>(x + row * p.d, gamma, dy + row * p.d, load_stats(stats + row * 4), p.d,
                               static_cast<T>(p.eps), p.accumulate & 1, dx + row * p.d);
}

template <class T>
void layernorm_backward_params(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *dy = operand[1], *stats = operand[2];
  sum_columns<T, 2>(p.n_row, p.d, p.accumulate, {operand[3], operand[4]},
                    [&](size_t row, uint32_t i, uint32_t n, Vec<T>* value) {
                      const size_t at = row * p.d + i;
                      value[1] = load_n(dy + at, n);
                      value[0] = value[1] * load_stats(stats + row * 4).x_hat(load_n(x + at, n));
                    });
}

template <class T>
void residual_layernorm_forward(const ResidualNormParams& p, T* const* operand) {
  const T *gamma = operand[2], *beta = operand[3];
  T *sum = operand[4], *y = operand[5], *stats = operand[6];
  norm_of_sums<T>(p, operand[0], operand[1], sum, [&](size_t row) {
    normalize_row(sum + row * p.d, gamma, beta, p.d, p.eps, y + row * p.d, stats + row * 4);
  });
}

NORMSCOPE_INSTANTIATE(layernorm_forward, NormParams)
NORMSCOPE_INSTANTIATE(layernorm_backward_x, NormParams)
NORMSCOPE_INSTANTIATE(layernorm_backward_params, NormParams)
NORMSCOPE_INSTANTIATE(residual_layernorm_forward, ResidualNormParams)

}  // namespace normscope::cpu
