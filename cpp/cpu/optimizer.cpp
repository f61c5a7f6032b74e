// Global gradient norm, clipping with the non-finite rule, AdamW (Loshchilov & Hutter 2019), and SGD with
// momentum (Polyak 1964).
#include <cmath>

#include "cpu/kernels.h"
#include "cpu/lane_math.h"
#include "cpu/partial_norm.h"

namespace normscope::cpu {

template <class T>
void grad_square_sum(const GradSquareParams& p, T* const* operand) {
  const T* g = operand[0];
  T* out = operand[1] + size_t{p.slot} * 2;
  const T largest = max_abs(g, p.n);
  if (largest == 0 || !is_finite(largest)) {
    out[0] = largest == 0 ? T(0) : T(1);
    out[1] = largest - largest;  // 0, or NaN
    return;
  }
  int exponent;
  std::frexp(largest, &exponent);
  if (exponent < -119) exponent = -119;  // keeps the reciprocal of the scale finite
  out[0] = std::ldexp(T(1), exponent - 1);
  const T inverse = std::ldexp(T(1), 1 - exponent);
  out[1] = sum_row<T, 1>(p.n, [&](uint32_t i, uint32_t k, Vec<T>* s) {
             const Vec<T> v = load_n(g + i, k) * inverse;
             s[0] = madd(v, v, s[0]);
           }).sum[0];
}

template <class T>
void update_control(const ControlParams& p, T* const* operand) {
  const T *partial = operand[0], *hyper = operand[1];
  T* control = operand[2];
  const PartialNorm<T> norm = partial_norm(partial, 0, p.n_slot);
  const T limit = hyper[2];
  control[1] = norm.value();
  // The norm of finite gradients may lie beyond the largest number: divide by its two factors.
  control[2] = limit > 0 && norm.value() > limit ? limit / norm.scale / norm.root : T(1);
  control[3] = is_finite(norm.root) ? 1 : 0;
  if (!is_finite(norm.root)) {
    control[6] += 1;
    return;
  }
  control[0] += 1;
  control[4] = -expm1_negative(control[0] * static_cast<T>(p.log_beta1));
  control[5] = -expm1_negative(control[0] * static_cast<T>(p.log_beta2));
}

template <class T>
void adamw(const AdamWParams& p, T* const* operand) {
  const T *g = operand[0], *hyper = operand[1], *control = operand[2];
  T *param = operand[3], *m = operand[4], *v = operand[5];
  if (control[3] == 0) return;
  const T lr = hyper[0], shrink = p.decay ? 1 - lr * hyper[1] : T(1), clip = control[2];
  const T first = static_cast<T>(p.one_minus_beta1), second = static_cast<T>(p.one_minus_beta2);
  const T step = lr / control[4], root_bias2 = 1 / square_root(control[5]), eps = static_cast<T>(p.eps);
  // Of a v too small for a number: gradients whose squares are lost make small steps, and 0 / 0 is no step.
  const Vec<T> least_root = splat(square_root(std::numeric_limits<T>::min()));
  const Vec<T> most = splat(std::numeric_limits<T>::max());
  for_lanes(p.n, [&](uint32_t i, uint32_t k) {
    const Vec<T> gi = load_n(g + i, k) * clip;
    const Vec<T> mi = load_n(m + i, k), vi = load_n(v + i, k);
    const Vec<T> m_new = (mi - mi * first) + gi * first, sum = (vi - vi * second) + gi * second * gi;
    const Vec<T> v_new = select<T>(sum > most, most, sum);
    store_n(m + i, m_new, k);
    const Vec<T> root = sqrt_lanes(v_new), safe_root = select<T>(root < least_root, least_root, root);
    store_n(v + i, v_new, k);
    store_n(param + i, load_n(param + i, k) * shrink - m_new * step / (safe_root * root_bias2 + eps), k);
  });
}

template <class T>
void sgd(const SgdParams& p, T* const* operand) {
  const T *g = operand[0], *hyper = operand[1], *control = operand[2];
  T *param = operand[3], *v = operand[4];
  if (control[3] == 0) return;
  const T lr = hyper[0], shrink = p.decay ? 1 - lr * hyper[1] : T(1), clip = control[2];
  const T momentum = static_cast<T>(p.momentum);
  const Vec<T> most = splat(std::numeric_limits<T>::max());
  for_lanes(p.n, [&](uint32_t i, uint32_t k) {
    const Vec<T> sum = load_n(v + i, k) * momentum + load_n(g + i, k) * clip;
    const Vec<T> v_new = select<T>(sum > most, most, select<T>(sum < -most, -most, sum));
    store_n(v + i, v_new, k);
    store_n(param + i, load_n(param + i, k) * shrink - v_new * lr, k);
  });
}

NORMSCOPE_INSTANTIATE(grad_square_sum, GradSquareParams)
NORMSCOPE_INSTANTIATE(update_control, ControlParams)
NORMSCOPE_INSTANTIATE(adamw, AdamWParams)
NORMSCOPE_INSTANTIATE(sgd, SgdParams)

}  // namespace normscope::cpu
