// BatchNorm with batch statistics (Ioffe & Szegedy 2015): each feature is normalized over all rows of the batch.
// It is LayerNorm of the transposed matrix with gamma and beta constant along the row, and is computed as that. In
// `evaluate` running statistics of the batches seen in training may stand for those of the batch.
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

template <class T>
void batchnorm_track(const TrackParams& p, T* const* operand) {
  const T *stats = operand[0], *control = operand[1];
  T *running_mean = operand[2], *running_var = operand[3];
  if (control[3] == 0 || p.n_row == 0) return;
  const T step = static_cast<T>(p.momentum), n = static_cast<T>(p.n_row), most = std::numeric_limits<T>::max();
  const auto limited = [&](T v) { return v > most ? most : v; };
  for (uint32_t j = 0; j < p.d; ++j) {
    const RowStats<T> s = load_stats(stats + size_t{j} * 4);
    running_mean[j] = (1 - step) * running_mean[j] + step * ((s.mean + s.delta) / s.inv_scale);
    if (p.n_row == 1) continue;
    const T deviation = 1 / s.rstd, eps = static_cast<T>(p.eps) * s.inv_scale * s.inv_scale;
    const T variance = deviation * deviation > eps ? deviation * deviation - eps : T(0);
    const T unbiased = limited(variance / s.inv_scale / s.inv_scale / (n - 1) * n);
    running_var[j] = limited((1 - step) * running_var[j] + step * unbiased);
  }
}

template <class T>
void batchnorm_evaluate(const NormParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[1], *beta = operand[2], *mean = operand[3], *variance = operand[4];
  T* y = operand[5];
  for (size_t row = 0; row < p.n_row; ++row)
    for_lanes(p.d, [&](uint32_t i, uint32_t k) {
      const Vec<T> rstd = T(1) / sqrt_lanes(load_n(variance + i, k) + static_cast<T>(p.eps));
      const Vec<T> x_hat = (load_n(x + row * p.d + i, k) - load_n(mean + i, k)) * rstd;
      store_n(y + row * p.d + i, madd(load_n(gamma + i, k), x_hat, load_n(beta + i, k)), k);
    });
}

NORMSCOPE_INSTANTIATE(batchnorm_forward, NormParams)
NORMSCOPE_INSTANTIATE(batchnorm_backward_x, NormParams)
NORMSCOPE_INSTANTIATE(batchnorm_backward_params, NormParams)
NORMSCOPE_INSTANTIATE(batchnorm_track, TrackParams)
NORMSCOPE_INSTANTIATE(batchnorm_evaluate, NormParams)

}  // namespace normscope::cpu
