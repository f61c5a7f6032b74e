// BatchNorm with batch statistics (Ioffe & Szegedy 2015): each feature is normalized over all rows of the batch.
// It is LayerNorm of the transposed matrix with gamma and beta constant along the row, and is computed as that.
#include <vector>

#include "cpu/column_sums.h"
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
    norm_backward_row<T, true>(column.data(), gains.data(), upstream.data(), load_stats(stats + size_t{j} * 4), p.n_row,
                               static_cast<T>(p.eps), false, result.data());
    for (size_t row = 0; row < p.n_row; ++row) {
      T& out = dx[row * p.d + j];
      out = p.accumulate & 1 ? out + result[row] : result[row];
    }
  }
}

template <class T>
void batchnorm_backward_params(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *dy = operand[1], *stats = operand[2];
  const auto part = [&](uint32_t i, uint32_t n, uint32_t which) {
    Vec<T> v = {};
    for (uint32_t lane = 0; lane < n; ++lane) v[lane] = stats[size_t{i + lane} * 4 + which];
    return v;
  };
  sum_columns<T, 2>(
      p.n_row, p.d, p.accumulate, {operand[3], operand[4]}, [&](size_t row, uint32_t i, uint32_t n, Vec<T>* value) {
        const size_t at = row * p.d + i;
        value[1] = load_n(dy + at, n);
        value[0] = value[1] * (((load_n(x + at, n) * part(i, n, 3) - part(i, n, 0)) - part(i, n, 1)) * part(i, n, 2));
      });
}

NORMSCOPE_INSTANTIATE(batchnorm_forward, NormParams)
NORMSCOPE_INSTANTIATE(batchnorm_backward_x, NormParams)
NORMSCOPE_INSTANTIATE(batchnorm_backward_params, NormParams)

}  // namespace normscope::cpu
