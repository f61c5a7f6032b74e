// The residual addition y = alpha skip + dt branch (He et al. 2015; dt is the Euler step).
#pragma once
#include "plan/builder.h"

namespace normscope {

TensorId residual_add(Builder& b, const std::string& name, TensorId skip, TensorId branch, float alpha, float dt);

// y = scale x
TensorId scaled(Builder& b, const std::string& name, TensorId x, float scale);

}  // namespace normscope
