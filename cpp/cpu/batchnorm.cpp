// BatchNorm with batch statistics (Ioffe & Szegedy 2015): each feature is normalized over all rows of the batch.
// It is LayerNorm of the transposed matrix with gamma and beta constant along the row, and is computed as that.
#include <vector>

#include "cpu/kernels.h"
#include "cpu/norm_row.h"

namespace normscope::cpu {
namespace {

template <class T>
void gather(const T* matrix, uint32_t n_row, uint32_t d, uint32_t column, std::vector<T>& out) {
  out.resize(n_row);
  for (size_t row = 0; row < n_row; ++row) out[row] = matrix[row * d + column];
}

}  // namespace

template <class T>
void batchnorm_forward(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[1], *beta = operand[2];
  T *y = operand[3], *stats = operand[4];
  std::vector<T> column;
  for (uint32_t j = 0; j < p.d && p.n_row > 0; ++j) {
    gather(x, p.n_row, p.d, j, column);
    const RowStats<T> s = layernorm_stats(column.data(), p.n_row, static_cast<T>(p.eps));
    store_stats(stats + size_t{j} * 4, s);
    for_lanes(p.n_row, [&](uint32_t i, uint32_t k) {
      const Vec<T> v = madd(splat(gamma[j]), s.x_hat(load_n(column.data() + i, k)), splat(beta[j]));
      for (uint32_t lane = 0; lane < k; ++lane) y[size_t{i + lane} * p.d + j] = v[lane];
    });
  }
}

template <class T>
void batchnorm_backward_x(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[1], *dy = operand[2], *stats = operand[3];
  T* dx = operand[4];
  std::vector<T> column, upstream, result(p.n_row);
  for (uint32_t j = 0; j < p.d && p.n_row > 0; ++j) {
    gather(x, p.n_row, p.d, j, column);
    gather(dy, p.n_row, p.d, j, upstream);
    const std::vector<T> gains(p.n_row, gamma[j]);
    norm_backward_row<T, true>(column.data(), gains.data(), upstream.data(), load_stats(stats + size_t{j} * 4), p.n_row, false,
                               result.data());
    for (size_t row = 0; row < p.n_row; ++row) {
      T& out = dx[row * p.d + j];
      out = p.accumulate & 1 ? out + result[row] : result[row];
    }
  }
}

template <class T>
void batchnorm_backward_params(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *dy = operand[1], *stats = operand[2];
  T *dgamma = operand[3], *dbeta = operand[4];
  for_lanes(p.d, [&](uint32_t i, uint32_t k) {
    ColumnSum<T> gamma_sum, beta_sum;
    Vec<T> part[4] = {};  // mean, delta, rstd, inv_scale of these features
    for (uint32_t lane = 0; lane < k; ++lane)
      for (uint32_t s = 0; s < 4; ++s) part[s][lane] = stats[size_t{i + lane} * 4 + s];
    for (size_t row = 0; row < p.n_row; ++row) {
      const Vec<T> g = load_n(dy + row * p.d + i, k);
      gamma_sum.add(g * (((load_n(x + row * p.d + i, k) * part[3] - part[0]) - part[1]) * part[2]));
      beta_sum.add(g);
    }
    store_column(dgamma + i, gamma_sum.sum, k, p.accumulate & 1);
    store_column(dbeta + i, beta_sum.sum, k, p.accumulate & 2);
  });
}

NORMSCOPE_INSTANTIATE(batchnorm_forward, NormParams)
NORMSCOPE_INSTANTIATE(batchnorm_backward_x, NormParams)
NORMSCOPE_INSTANTIATE(batchnorm_backward_params, NormParams)

}  // namespace normscope::cpu
