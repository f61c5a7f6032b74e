#include "analysis/jacobian.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include "model/initial_values.h"
#include "plan/random.h"

namespace normscope {
namespace {

constexpr double relative_step = 1e-5;
constexpr double ritz_tolerance = 1e-8;
constexpr int most_iterations = 60;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double root_mean_square(const Vector& x) { return x.size() ? x.norm() / std::sqrt(static_cast<double>(x.size())) : 0; }

// Largest eigenvalue of the tridiagonal matrix, and the last entry of its eigenvector.
std::pair<double, double> largest_ritz(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  const Eigen::Index n = static_cast<Eigen::Index>(diagonal.size());
  Matrix t = Matrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    t(i, i) = diagonal[static_cast<size_t>(i)];
    if (i + 1 < n) t(i, i + 1) = t(i + 1, i) = beside[static_cast<size_t>(i)];
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(t);
  return {solver.eigenvalues()[n - 1], solver.eigenvectors()(n - 1, n - 1)};
}

}  // namespace

Vector random_normals(Eigen::Index n, uint32_t seed, uint32_t stream) {
  Vector out(n);
  for (Eigen::Index i = 0; i < n; i += 4) {
    const auto words = random_block(seed, Purpose::analysis, stream, 0, static_cast<uint32_t>(i / 4));
    for (Eigen::Index k = 0; k < 4 && i + k < n; ++k) out[i + k] = standard_normal(words[static_cast<size_t>(k)]);
  }
  return out;
}

Linearization::Linearization(DoublePlan& plan, Vector x)
    : plan_(plan), x_(std::move(x)), n_out_(plan.values("y").size()) {}

Vector Linearization::value(const Vector& x) {
  plan_.values("x") = x;
  plan_.run(Phase::forward);
  at_x_ = false;
  return plan_.values("y");
}

Vector Linearization::vjp(const Vector& u) {
  if (!at_x_) value(x_);
  at_x_ = true;
  plan_.values("y.grad") = u;
  plan_.run(Phase::backward);
  return plan_.values("x.grad");
}

Vector Linearization::jvp(const Vector& v) {
  const double size = v.norm();
  if (size == 0) return Vector::Zero(n_out_);
  const double scale = root_mean_square(x_), h = relative_step * (scale > 0 ? scale : 1) / size;
  const Vector ahead = value(x_ + h * v);
  return (ahead - value(x_ - h * v)) / (2 * h);
}

Matrix Linearization::dense() {
  Matrix j(n_out_, n_in());
  for (Eigen::Index i = 0; i < n_out_; ++i) j.row(i) = vjp(Vector::Unit(n_out_, i)).transpose();
  return j;
}

double spectral_norm(Eigen::Index n_in, const std::function<Vector(const Vector&)>& jvp,
                     const std::function<Vector(const Vector&)>& vjp) {
  if (n_in == 0) return 0;
  std::vector<Vector> basis{random_normals(n_in, 1, 0).normalized()};
  std::vector<double> diagonal, beside;
  double theta = 0;
  for (int k = 0; k < most_iterations && k < n_in; ++k) {
    Vector w = vjp(jvp(basis.back()));
    if (!w.allFinite()) return nan;
    diagonal.push_back(basis.back().dot(w));
    for (int twice = 0; twice < 2; ++twice)
      for (const Vector& q : basis) w -= q.dot(w) * q;
    const double beta = w.norm();
    const auto [largest, last] = largest_ritz(diagonal, beside);
    theta = largest;
    if (theta <= 0 || beta * std::fabs(last) <= ritz_tolerance * theta) break;
    beside.push_back(beta);
    basis.push_back(w / beta);
  }
  return std::sqrt(std::fmax(theta, 0));
}

double spectral_norm(Linearization& map) {
  return spectral_norm(
      map.n_in(), [&](const Vector& v) { return map.jvp(v); }, [&](const Vector& u) { return map.vjp(u); });
}

Vector singular_values(const Matrix& m) {
  const Eigen::Index n = std::min(m.rows(), m.cols());
  if (!m.allFinite()) return Vector::Constant(n, nan);
  if (n == 0) return Vector(0);
  return Eigen::BDCSVD<Eigen::MatrixXd>(m).singularValues();
}

double spectral_norm(const Matrix& m) {
  const Vector s = singular_values(m);
  return s.size() ? s[0] : 0;
}

double effective_rank(const Vector& s) {
  const double sum = s.sum();
  if (!(sum > 0) || !std::isfinite(sum)) return nan;
  double entropy = 0;
  for (const double value : s)
    if (value > 0) entropy -= value / sum * std::log(value / sum);
  return std::exp(entropy);
}

double product_disagreement(Linearization& map, uint32_t seed) {
  const Vector v = random_normals(map.n_in(), seed, 1), u = random_normals(map.n_out(), seed, 2);
  const Vector jv = map.jvp(v);
  const double scale = u.norm() * jv.norm(), difference = std::fabs(u.dot(jv) - map.vjp(u).dot(v));
  return scale > 0 ? difference / scale : difference;
}

}  // namespace normscope
