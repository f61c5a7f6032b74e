// Linear layer y = x W^T + b (weight [n_out, n_in], as in PyTorch) and its three gradients.
#include "cpu/gemm.h"
#include "cpu/kernels.h"
#include "cpu/norm_row.h"

namespace normscope::cpu {

template <class T>
void linear_forward(const LinearParams& p, T* const* operand) {
  const T *x = operand[0], *weight = operand[1], *bias = operand[2];
  gemm<T>(p.n_row, p.n_out, p.n_in, {x, p.n_in, 1}, {weight, 1, p.n_in}, p.has_bias ? bias : nullptr, p.accumulate & 1, operand[3]);
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
  T* dbias = operand[1];
  for_lanes(p.n_out, [&](uint32_t i, uint32_t k) {
    ColumnSum<T> sum;
    for (size_t row = 0; row < p.n_row; ++row) sum.add(load_n(dy + row * p.n_out + i, k));
    store_column(dbias + i, sum.sum, k, p.accumulate & 1);
  });
}

NORMSCOPE_INSTANTIATE(linear_forward, LinearParams)
NORMSCOPE_INSTANTIATE(linear_backward_x, LinearParams)
NORMSCOPE_INSTANTIATE(linear_backward_weight, LinearParams)
NORMSCOPE_INSTANTIATE(linear_backward_bias, LinearParams)

}  // namespace normscope::cpu
