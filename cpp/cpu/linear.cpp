// Linear layer y = x W^T + b (weight [n_out, n_in], as in PyTorch) and its three gradients.
#include "cpu/column_sums.h"
#include "cpu/gemm.h"
#include "cpu/kernels.h"

namespace normscope::cpu {

template <class T>
void linear_forward(const LinearParams& p, T* const* operand) {
  const T *x = operand[0], *weight = operand[1], *bias = operand[2];
  gemm<T>(p.n_row, p.n_out, p.n_in, {x, p.n_in, 1}, {weight, 1, p.n_in}, p.has_bias ? bias : nullptr, p.accumulate & 1,
          operand[3]);
}

template <class T>
void linear_backward_x(const LinearParams& p, T* const* operand) {
  const T *dy = operand[0], *weight = operand[1];
  gemm<T>(p.n_row, p.n_in, p.n_out, {dy, p.n_out, 1}, {weight, p.n_in, 1}, nullptr, p.accumulate & 1, operand[2]);
}

template <class T>
void linear_backward_weight(const LinearParams& p, T* const* operand) {
  const T *x = operand[0], *dy = operand[1];
  gemm<T>(p.n_out, p.n_in, p.n_row, {dy, 1, p.n_out}, {x, p.n_in, 1}, nullptr, p.accumulate & 1, operand[2]);
}

template <class T>
void linear_backward_bias(const LinearParams& p, T* const* operand) {
  const T* dy = operand[0];
  sum_columns<T, 1>(
      p.n_row, p.n_out, p.accumulate, {operand[1]},
      [&](size_t row, uint32_t i, uint32_t n, Vec<T>* value) { value[0] = load_n(dy + row * p.n_out + i, n); });
}

NORMSCOPE_INSTANTIATE(linear_forward, LinearParams)
NORMSCOPE_INSTANTIATE(linear_backward_x, LinearParams)
NORMSCOPE_INSTANTIATE(linear_backward_weight, LinearParams)
NORMSCOPE_INSTANTIATE(linear_backward_bias, LinearParams)

}  // namespace normscope::cpu
