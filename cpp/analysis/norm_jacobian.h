// The Jacobian of LayerNorm and RMSNorm at one vector, in closed form: diag(γ) r (Π − x̂x̂ᵀ/d), for RMSNorm without Π.
#pragma once
#include <string>

#include "analysis/double_plan.h"

namespace normscope {

struct NormJacobian {
  double rstd;
  Matrix matrix;  // [d, d]
};
// kind: "layernorm" or "rmsnorm"
NormJacobian norm_jacobian(const std::string& kind, const Vector& x, const Vector& gamma, double eps);

}  // namespace normscope
