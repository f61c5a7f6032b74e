// Normalizations over the last axis (LayerNorm, RMSNorm) or over all rows (BatchNorm), and DyT, which needs no
// statistics. x: [..., d]; gamma, beta: [d].
#pragma once
#include <limits>

#include "plan/builder.h"

namespace normscope {

// A positive eps that is too small for a float becomes the smallest normal one: 0 would make constant rows NaN.
inline float stabiliser(double eps) {
  constexpr float least = std::numeric_limits<float>::min();
  return eps > 0 && eps < least ? least : static_cast<float>(eps);
}

// d: width of the groups that are normalized, each for itself; it divides the last axis, 0 is the whole of it. With the
// width of a head, queries and keys are normalized per head (QK-norm, Henry et al. 2020).
TensorId layernorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps,
                   uint32_t d = 0);
TensorId rmsnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, float eps, uint32_t d = 0);

// With the statistics of the batch, in `evaluate` too.
TensorId batchnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps);
// With running statistics for `evaluate`: state `state_name`.running_mean (0 at first) and .running_var (1), [d], which
// each finite update moves by `momentum` towards the batch's; see TrackParams. state_name: `name` where empty.
TensorId batchnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps,
                   float momentum, TensorId control, const std::string& state_name = "");

// y = gamma tanh(alpha x) + beta (Zhu et al. 2025). alpha: [1].
TensorId dyt(Builder& b, const std::string& name, TensorId x, TensorId alpha, TensorId gamma, TensorId beta);

}  // namespace normscope
