// LayerNorm (Ba et al. 2016): y = gamma (x - mean) / sqrt(variance + eps) + beta over the features of each row.
#include "cpu/column_sums.h"
#include "cpu/kernels.h"
#include "cpu/norm_row.h"

namespace normscope::cpu {
namespace {

template <class T>
void write_row(const T* x, const T* gamma, const T* beta, const RowStats<T>& stats, uint32_t d, T* y) {
  for_lanes(d, [&](uint32_t i, uint32_t k) {
    store_n(y + i, madd(load_n(gamma + i, k), stats.x_hat(load_n(x + i, k)), load_n(beta + i, k)), k);
  });
}

}  // namespace

template <class T>
void layernorm_forward(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[1], *beta = operand[2];
  T *y = operand[3], *stats = operand[4];
  for (size_t row = 0; row < p.n_row; ++row) {
    const RowStats<T> s = layernorm_stats(x + row * p.d, p.d, static_cast<T>(p.eps));
    store_stats(stats + row * 4, s);
    write_row(x + row * p.d, gamma, beta, s, p.d, y + row * p.d);
  }
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

// Residual addition and LayerNorm in one pass over the row: sum = alpha skip + dt branch, y = LN(sum).
template <class T>
void residual_layernorm_forward(const ResidualNormParams& p, T* const* operand) {
  const T *skip = operand[0], *branch = operand[1], *gamma = operand[2], *beta = operand[3];
  T *sum = operand[4], *y = operand[5], *stats = operand[6];
  const Vec<T> dt = splat(static_cast<T>(p.dt));
  for (size_t row = 0; row < p.n_row; ++row) {
    const size_t at = row * p.d;
    for_lanes(p.d, [&](uint32_t i, uint32_t k) {
      store_n(sum + at + i, madd(dt, load_n(branch + at + i, k), load_n(skip + at + i, k) * static_cast<T>(p.alpha)),
              k);
    });
    const RowStats<T> s = layernorm_stats(sum + at, p.d, static_cast<T>(p.eps));
    store_stats(stats + row * 4, s);
    write_row(sum + at, gamma, beta, s, p.d, y + at);
  }
}

NORMSCOPE_INSTANTIATE(layernorm_forward, NormParams)
NORMSCOPE_INSTANTIATE(layernorm_backward_x, NormParams)
NORMSCOPE_INSTANTIATE(layernorm_backward_params, NormParams)
NORMSCOPE_INSTANTIATE(residual_layernorm_forward, ResidualNormParams)

}  // namespace normscope::cpu
