// Residual addition, scaled copies, activations, dropout.
#include <type_traits>

#include "cpu/kernels.h"
#include "cpu/lane_math.h"
#include "plan/random.h"

namespace normscope::cpu {
namespace {

// y (+)= f(i, k) over n values.
template <class T, class F>
void write(uint32_t n, bool accumulate, T* y, F f) {
  for_lanes(n, [&](uint32_t i, uint32_t k) {
    const Vec<T> v = f(i, k);
    store_n(y + i, accumulate ? load_n(y + i, k) + v : v, k);
  });
}

constexpr double root_2_over_pi = 0.7978845608028654, cubic = 0.044715, inverse_root_2 = 0.7071067811865476,
                 inverse_root_2_pi = 0.3989422804014327;

// x within ±12, where the GELU has long reached its limits: its powers stay finite.
template <class T>
Vec<T> within_12(const Vec<T>& x) {
  const Vec<T> low = select<T>(x < splat(T(-12)), splat(T(-12)), x);
  return select<T>(low > splat(T(12)), splat(T(12)), low);
}

// 1 + tanh(√(2/π) (x + 0.044715 x³)) of the approximate GELU (Hendrycks & Gimpel 2016), as 2 / (1 + e^(-2u)): no
// cancellation for negative u; far out exactly 0, else a huge x would magnify the rest. limited: within_12(x).
template <class T>
Vec<T> one_plus_tanh(const Vec<T>& x, const Vec<T>& limited) {
  const Vec<T> u = limited * T(root_2_over_pi) * (T(1) + limited * limited * T(cubic));
  return select<T>(x < splat(T(-12)), Vec<T>{}, T(2) / (T(1) + exp_lanes(u * T(-2))));
}

template <Activation kind, class T>
Vec<T> activation(const Vec<T>& x) {
  if constexpr (kind == Activation::relu) return select<T>(x > Vec<T>{}, x, select<T>(x == x, Vec<T>{}, x));
  if constexpr (kind == Activation::gelu_tanh) return x * T(0.5) * one_plus_tanh<T>(x, within_12<T>(x));
  if constexpr (kind == Activation::gelu_erf) return x * T(0.5) * one_plus_erf_lanes(x * T(inverse_root_2));
  if constexpr (kind == Activation::tanh) return tanh_lanes(x);
}

template <Activation kind, class T>
Vec<T> derivative(const Vec<T>& x) {
  if constexpr (kind == Activation::relu) return select<T>(x > Vec<T>{}, splat(T(1)), select<T>(x == x, Vec<T>{}, x));
  if constexpr (kind == Activation::gelu_tanh) {
    const Vec<T> limited = within_12<T>(x), s = one_plus_tanh<T>(x, limited);
    // far out s is exactly 0 or 2 and the second term vanishes
    const Vec<T> slope = T(root_2_over_pi) * (T(1) + limited * limited * T(3 * cubic));
    return s * T(0.5) + limited * T(0.5) * s * (T(2) - s) * slope;
  }
  if constexpr (kind == Activation::gelu_erf) {
    const Vec<T> limited = select<T>(abs_lanes<T>(x) > splat(T(40)), splat(T(40)), x);
    return one_plus_erf_lanes(x * T(inverse_root_2)) * T(0.5) +
           limited * T(inverse_root_2_pi) * exp_lanes(limited * limited * T(-0.5));
  }
  if constexpr (kind == Activation::tanh) {
    const Vec<T> y = tanh_lanes(x);
    return T(1) - y * y;
  }
}

// Calls f with the kind as a constant, so that the choice is made once and not for every four values.
template <class F>
void with_kind(uint32_t kind, F f) {
  switch (static_cast<Activation>(kind)) {
    case Activation::relu:
      return f(std::integral_constant<Activation, Activation::relu>{});
    case Activation::gelu_tanh:
      return f(std::integral_constant<Activation, Activation::gelu_tanh>{});
    case Activation::gelu_erf:
      return f(std::integral_constant<Activation, Activation::gelu_erf>{});
    case Activation::tanh:
      return f(std::integral_constant<Activation, Activation::tanh>{});
  }
}

// Keep mask of values i … i+3 (i a multiple of 4): one Philox block. Kept when the word, as a fraction, is at least
// `rate`.
template <class T>
void dropout(const DropoutParams& p, const T* x, const T* control, const T* seed_halves, T* y) {
  const uint32_t seed = (static_cast<uint32_t>(seed_halves[0]) << 16) | static_cast<uint32_t>(seed_halves[1]);
  const uint32_t step = static_cast<uint32_t>(control[0]);
  const uint32_t threshold = static_cast<uint32_t>(static_cast<double>(p.rate) * 4294967296.0);
  const T scale = 1 / (1 - static_cast<T>(p.rate));
  write<T>(p.n, p.accumulate & 1, y, [&](uint32_t i, uint32_t k) {
    const Vec<T> v = load_n(x + i, k);
    if (!p.train || p.rate == 0) return v;
    const auto words = random_block(seed, Purpose::dropout, p.stream, step, i / 4);
    Vec<T> kept = {};
    for (uint32_t lane = 0; lane < k; ++lane)
      if (words[lane] >= threshold) kept[lane] = v[lane] * scale;
    return kept;
  });
}

}  // namespace

template <class T>
void residual_add(const ResidualParams& p, T* const* operand) {
  const T *skip = operand[0], *branch = operand[1];
  const Vec<T> dt = splat(static_cast<T>(p.dt));
  const T alpha = static_cast<T>(p.alpha);
  write<T>(p.n, p.accumulate & 1, operand[2],
           [&](uint32_t i, uint32_t k) { return madd(dt, load_n(branch + i, k), load_n(skip + i, k) * alpha); });
}

template <class T>
void scale_add(const ScaleParams& p, T* const* operand) {
  const T* x = operand[0];
  write<T>(p.n, p.accumulate & 1, operand[1],
           [&](uint32_t i, uint32_t k) { return load_n(x + i, k) * static_cast<T>(p.scale); });
}

template <class T>
void activation_forward(const ActivationParams& p, T* const* operand) {
  const T* x = operand[0];
  with_kind(p.kind, [&](auto kind) {
    write<T>(p.n, p.accumulate & 1, operand[1],
             [&](uint32_t i, uint32_t k) { return activation<kind.value, T>(load_n(x + i, k)); });
  });
}

template <class T>
void activation_backward(const ActivationParams& p, T* const* operand) {
  const T *x = operand[0], *dy = operand[1];
  with_kind(p.kind, [&](auto kind) {
    write<T>(p.n, p.accumulate & 1, operand[2],
             [&](uint32_t i, uint32_t k) { return load_n(dy + i, k) * derivative<kind.value, T>(load_n(x + i, k)); });
  });
}

template <class T>
void dropout_forward(const DropoutParams& p, T* const* operand) {
  dropout(p, operand[0], operand[1], operand[2], operand[3]);
}

template <class T>
void dropout_backward(const DropoutParams& p, T* const* operand) {
  dropout(p, operand[0], operand[1], operand[2], operand[3]);  // the same mask on the gradient
}

NORMSCOPE_INSTANTIATE(residual_add, ResidualParams)
NORMSCOPE_INSTANTIATE(scale_add, ScaleParams)
NORMSCOPE_INSTANTIATE(activation_forward, ActivationParams)
NORMSCOPE_INSTANTIATE(activation_backward, ActivationParams)
NORMSCOPE_INSTANTIATE(dropout_forward, DropoutParams)
NORMSCOPE_INSTANTIATE(dropout_backward, DropoutParams)

}  // namespace normscope::cpu
