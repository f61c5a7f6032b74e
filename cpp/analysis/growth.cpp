#include "analysis/growth.h"

#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <vector>

namespace normscope {
namespace {

Fit fit_line(const std::vector<double>& s, const std::vector<double>& log_value) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Eigen::Index n = static_cast<Eigen::Index>(s.size());
  Matrix a(n, 2);
  a.col(0).setOnes();
  a.col(1) = Eigen::Map<const Vector>(s.data(), n);
  if (n < 2 || a.col(1).maxCoeff() == a.col(1).minCoeff()) return {nan, nan, nan};
  const Vector b = Eigen::Map<const Vector>(log_value.data(), n);
  const Eigen::Vector2d line = Eigen::MatrixXd(a).colPivHouseholderQr().solve(b);
  return {std::exp(line[0]), line[1], (a * line - b).norm() / std::sqrt(static_cast<double>(n))};
}

template <class Scale>
Fit fit(const Vector& x, const Vector& value, const Scale& scale) {
  std::vector<double> s, log_value;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (!(value[i] > 0) || !std::isfinite(value[i]) || !std::isfinite(scale(x[i]))) continue;
    s.push_back(scale(x[i]));
    log_value.push_back(std::log(value[i]));
  }
  return fit_line(s, log_value);
}

}  // namespace

Fit fit_power(const Vector& x, const Vector& value) {
  return fit(x, value, [](double at) { return std::log(at); });
}

Fit fit_exponential(const Vector& x, const Vector& value) {
  return fit(x, value, [](double at) { return at; });
}

}  // namespace normscope
