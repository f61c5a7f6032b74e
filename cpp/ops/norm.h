// Normalizations over the last axis (LayerNorm, RMSNorm) or over all rows (BatchNorm). x: [..., d]; gamma, beta: [d].
#pragma once
#include "plan/builder.h"

namespace normscope {

TensorId layernorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps);
TensorId rmsnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, float eps);
TensorId batchnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps);

struct ResidualNorm {
  TensorId sum, y;
};
// sum = alpha skip + dt branch, y = LayerNorm(sum), in one pass.
ResidualNorm residual_layernorm(Builder& b, const std::string& sum_name, const std::string& name, TensorId skip, TensorId branch,
                                TensorId gamma, TensorId beta, float alpha, float dt, float eps);

}  // namespace normscope
