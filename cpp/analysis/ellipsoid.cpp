#include "analysis/ellipsoid.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace normscope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.14159265358979323846;

bool has_ellipsoid(const OutputNorm& norm) { return norm.kind == "layernorm" || norm.kind == "rmsnorm"; }
bool is_centred(const OutputNorm& norm) { return norm.kind == "layernorm"; }

// γ⊙p, centred over the features for LayerNorm: minus the direction in which the support is reached.
Matrix directions(const OutputNorm& norm, const Matrix& p) {
  Matrix g = p * norm.gamma.asDiagonal();
  if (is_centred(norm)) g.colwise() -= Vector(g.rowwise().mean());
  return g;
}

double largest(const Vector& values) {
  double most = values.size() ? values[0] : nan;
  for (const double value : values)
    if (!(value <= most)) most = value;
  return most;
}

// Unit vectors of w/√d: circle of an orthonormal pair.
Matrix circle(const Vector& a, const Vector& b, int n) {
  Matrix points(n, a.size());
  for (int i = 0; i < n; ++i) points.row(i) = std::cos(2 * pi * i / n) * a + std::sin(2 * pi * i / n) * b;
  return points;
}

Matrix sphere(int n_latitude, int n_longitude) {
  Matrix points(n_latitude * n_longitude, 3);
  for (int i = 0; i < n_latitude; ++i)
    for (int j = 0; j < n_longitude; ++j) {
      const double polar = pi * (i + 0.5) / n_latitude, around = 2 * pi * j / n_longitude;
      points.row(i * n_longitude + j) << std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around),
          std::cos(polar);
    }
  return points;
}

// Unit vectors w/√d that the norm can reach when ε is 0.
Matrix reachable(bool centred, Eigen::Index d) {
  if (d == 1 && centred) return Matrix::Zero(1, 1);
  if (d == 1) return (Matrix(2, 1) << 1, -1).finished();
  if (d == 2 && centred) return (Matrix(2, 2) << 1, -1, -1, 1).finished() / std::sqrt(2.0);
  if (d == 2) return circle(Vector::Unit(2, 0), Vector::Unit(2, 1), 64);
  if (centred)
    return circle((Vector(3) << 1, -1, 0).finished() / std::sqrt(2.0),
                  (Vector(3) << 1, 1, -2).finished() / std::sqrt(6.0), 96);
  return sphere(12, 24);
}

}  // namespace

double support(const OutputNorm& norm, const Matrix& p) {
  const double shift = -(p * norm.beta).sum(), d = static_cast<double>(p.cols());
  const Matrix g = directions(norm, p);
  if (has_ellipsoid(norm)) return shift + std::sqrt(d) * g.rowwise().norm().sum();
  if (norm.kind == "dyt") return shift + g.cwiseAbs().sum();
  if (norm.kind != "batchnorm") return nan;
  const Matrix centred = g.rowwise() - g.colwise().mean();
  return shift + std::sqrt(static_cast<double>(p.rows())) * centred.colwise().norm().sum();
}

Matrix maximizers(const OutputNorm& norm, const Matrix& p) {
  Matrix w = -directions(norm, p);
  if (norm.kind == "dyt")
    w = w.cwiseSign();
  else if (has_ellipsoid(norm))
    for (Eigen::Index row = 0; row < w.rows(); ++row) {
      const double size = w.row(row).norm();
      if (size > 0) w.row(row) *= std::sqrt(static_cast<double>(w.cols())) / size;
    }
  else
    return Matrix(0, p.cols());
  return (w * norm.gamma.asDiagonal()).rowwise() + norm.beta.transpose();
}

Lemma check_lemma(const OutputNorm& norm, const Matrix& outputs) {
  if (!has_ellipsoid(norm) || (norm.gamma.array() == 0).any()) return {nan, nan};
  const double d = static_cast<double>(outputs.cols());
  const Matrix w = (outputs.rowwise() - norm.beta.transpose()) * norm.gamma.cwiseInverse().asDiagonal();
  const Vector excess = (w.rowwise().squaredNorm().array() - d) / d, plane = w.rowwise().sum().cwiseAbs() / d;
  return {largest(excess), is_centred(norm) ? largest(plane) : nan};
}

std::vector<Eigen::Index> shown_features(const OutputNorm& norm) {
  std::vector<Eigen::Index> order(static_cast<size_t>(norm.gamma.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  if (order.size() <= 3) return order;
  // A NaN has no place in an order.
  const auto gain = [&](Eigen::Index i) { return std::isnan(norm.gamma[i]) ? 0 : std::fabs(norm.gamma[i]); };
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return gain(a) != gain(b) ? gain(a) > gain(b) : a < b; });
  order.resize(3);
  std::sort(order.begin(), order.end());
  return order;
}

Matrix projected_body(const OutputNorm& norm, const std::vector<Eigen::Index>& features) {
  const Eigen::Index k = static_cast<Eigen::Index>(features.size());
  const double d = static_cast<double>(norm.gamma.size());
  Matrix plane = Matrix::Identity(k, k);
  if (is_centred(norm)) plane.array() -= 1 / d;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(plane);
  const Matrix root = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                      solver.eigenvectors().transpose();
  Vector gamma(k);
  for (Eigen::Index i = 0; i < k; ++i) gamma[i] = norm.gamma[features[static_cast<size_t>(i)]];
  return std::sqrt(d) * gamma.asDiagonal() * root;
}

Matrix outline(const OutputNorm& norm) {
  const Eigen::Index d = norm.gamma.size();
  if (d > 3 || !has_ellipsoid(norm)) return Matrix(0, d);
  const Matrix w = std::sqrt(static_cast<double>(d)) * reachable(is_centred(norm), d);
  return (w * norm.gamma.asDiagonal()).rowwise() + norm.beta.transpose();
}

}  // namespace normscope
