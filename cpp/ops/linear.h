#pragma once
#include "plan/builder.h"

namespace normscope {

// y[..., n_out] = x[..., n_in] weight^T + bias; weight: [n_out, n_in]; bias: [n_out] or no_tensor.
TensorId linear(Builder& b, const std::string& name, TensorId x, TensorId weight, TensorId bias);

}  // namespace normscope
