#include "analysis/norm_jacobian.h"

#include <cmath>

namespace normscope {

NormJacobian norm_jacobian(const std::string& kind, const Vector& x, const Vector& gamma, double eps) {
  const Eigen::Index n = x.size();
  const double d = static_cast<double>(n);
  const bool centred = kind == "layernorm";
  const Vector c = centred ? Vector(x.array() - x.mean()) : x;
  const double rstd = 1 / std::sqrt(c.squaredNorm() / d + eps);
  const Vector x_hat = c * rstd;
  Matrix core = Matrix::Identity(n, n) - x_hat * x_hat.transpose() / d;
  if (centred) core.array() -= 1 / d;
  return {rstd, rstd * gamma.asDiagonal() * core};
}

}  // namespace normscope
