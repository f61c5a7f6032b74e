// Normalizations over the last axis (LayerNorm, RMSNorm) or over all rows (BatchNorm). x: [..., d]; gamma, beta: [d].
#pragma once
#include <limits>

#include "plan/builder.h"

namespace normscope {

// A positive eps that is too small for a float becomes the smallest normal one: 0 would make constant rows NaN.
inline float stabiliser(double eps) {
  constexpr float least = std::numeric_limits<float>::min();
  return eps > 0 && eps < least ? least : static_cast<float>(eps);
}

TensorId layernorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps);
TensorId rmsnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, float eps);
TensorId batchnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps);

struct ResidualNorm {
  TensorId sum, y;
};
// sum = alpha skip + dt branch, y = LayerNorm(sum), in one pass.
ResidualNorm residual_layernorm(Builder& b, const std::string& sum_name, const std::string& name, TensorId skip,
                                TensorId branch, TensorId gamma, TensorId beta, float alpha, float dt, float eps);

}  // namespace normscope
