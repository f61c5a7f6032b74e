// DyT (Zhu et al. 2025): y = gamma tanh(alpha x) + beta, with no statistics at all.
#include <vector>

#include "cpu/column_sums.h"
#include "cpu/kernels.h"
#include "cpu/lane_math.h"

namespace normscope::cpu {
namespace {

// 1 - tanh²(u) as 4 e / (1 + e)², e = e^(-2|u|): the difference would lose its digits where tanh is near 1.
template <class T>
Vec<T> tanh_slope(const Vec<T>& u) {
  const Vec<T> e = exp_lanes(abs_lanes<T>(u) * T(-2)), sum = e + T(1);
  return T(4) * e / (sum * sum);
}

}  // namespace

template <class T>
void dyt_forward(const DyTParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[2], *beta = operand[3];
  const T alpha = operand[1][0];
  T* y = operand[4];
  for (size_t row = 0; row < p.n_row; ++row)
    for_lanes(p.d, [&](uint32_t i, uint32_t k) {
      const size_t at = row * p.d + i;
      store_n(y + at, madd(load_n(gamma + i, k), tanh_lanes(load_n(x + at, k) * alpha), load_n(beta + i, k)), k);
    });
}

template <class T>
void dyt_backward_x(const DyTParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[2], *dy = operand[3];
  const T alpha = operand[1][0];
  T* dx = operand[4];
  for (size_t row = 0; row < p.n_row; ++row)
    for_lanes(p.d, [&](uint32_t i, uint32_t k) {
      const size_t at = row * p.d + i;
      Vec<T> g = load_n(gamma + i, k) * load_n(dy + at, k) * (tanh_slope<T>(load_n(x + at, k) * alpha) * alpha);
      if (p.accumulate & 1) g += load_n(dx + at, k);
      store_n(dx + at, g, k);
    });
}

// dgamma = Σ dy tanh(alpha x), dbeta = Σ dy, dalpha = Σ gamma dy x (1 - tanh²(alpha x)), first column by column.
template <class T>
void dyt_backward_params(const DyTParams& p, T* const* operand) {
  const T *x = operand[0], *gamma = operand[2], *dy = operand[3];
  const T alpha = operand[1][0];
  std::vector<T> column(p.d);
  sum_columns<T, 3>(p.n_row, p.d, p.accumulate & ~1u, {column.data(), operand[5], operand[6]},
                    [&](size_t row, uint32_t i, uint32_t n, Vec<T>* value) {
                      const Vec<T> g = load_n(dy + row * p.d + i, n), v = load_n(x + row * p.d + i, n), u = v * alpha;
                      value[0] = g * (v * tanh_slope<T>(u));
                      value[1] = g * tanh_lanes(u);
                      value[2] = g;
                    });
  sum_values<T>(p.d, p.accumulate & 1, operand[4], [&](size_t j) { return gamma[j] * column[j]; });
}

NORMSCOPE_INSTANTIATE(dyt_forward, DyTParams)
NORMSCOPE_INSTANTIATE(dyt_backward_x, DyTParams)
NORMSCOPE_INSTANTIATE(dyt_backward_params, DyTParams)

}  // namespace normscope::cpu
