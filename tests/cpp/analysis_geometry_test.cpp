// The mathematics of cpp/analysis without a model: Jacobians of norms, ellipsoids, distances of clouds, fits.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/distance.h"
#include "analysis/ellipsoid.h"
#include "analysis/growth.h"
#include "analysis/jacobian.h"
#include "analysis/norm_jacobian.h"

namespace normscope {
namespace {

Matrix random_cloud(Eigen::Index n, Eigen::Index d, uint32_t stream) {
  const Vector values = random_normals(n * d, 11, stream);
  return Eigen::Map<const Matrix>(values.data(), n, d);
}

Vector layer_norm(const Vector& x, const Vector& gamma, bool centred, double eps) {
  const double mean = centred ? x.mean() : 0;
  double square = 0;
  for (const double value : x) square += (value - mean) * (value - mean) / static_cast<double>(x.size());
  Vector y(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) y[i] = gamma[i] * (x[i] - mean) / std::sqrt(square + eps);
  return y;
}

TEST(NormJacobian, IsTheSlopeOfTheNorm) {
  for (const bool centred : {true, false})
    for (const Eigen::Index d : {1, 2, 3, 8}) {
      const Vector x = random_normals(d, 5, 1), gamma = random_normals(d, 5, 2);
      const Matrix j = norm_jacobian(centred ? "layernorm" : "rmsnorm", x, gamma, 1e-2).matrix;
      for (Eigen::Index k = 0; k < d; ++k) {
        const Vector h = 1e-5 * Vector::Unit(d, k);
        const Vector slope = (layer_norm(x + h, gamma, centred, 1e-2) - layer_norm(x - h, gamma, centred, 1e-2)) / 2e-5;
        EXPECT_LT((j.col(k) - slope).norm(), 1e-6) << centred << " " << d;
      }
    }
}

TEST(NormJacobian, OfLayerNormHasRankTwoLessThanItsWidth) {
  const Vector x = random_normals(7, 5, 1);
  const NormJacobian jacobian = norm_jacobian("layernorm", x, Vector::Ones(7), 0);
  const Vector s = singular_values(jacobian.matrix);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(s[i], jacobian.rstd, 1e-12);
  EXPECT_LT(s[5], 1e-12);
  EXPECT_LT((jacobian.matrix * Vector::Ones(7)).norm(), 1e-12);
}

TEST(Lemma1, HoldsForOutputsAndFailsForAnythingElse) {
  for (const char* kind : {"layernorm", "rmsnorm"}) {
    const OutputNorm norm{kind, random_normals(9, 4, 1), random_normals(9, 4, 2)};
    Matrix outputs(20, 9);
    for (Eigen::Index i = 0; i < 20; ++i)
      outputs.row(i) =
          layer_norm(random_normals(9, 4, 10 + static_cast<uint32_t>(i)), norm.gamma, *kind == 'l', 1e-5) + norm.beta;
    const Lemma lemma = check_lemma(norm, outputs);
    EXPECT_LE(lemma.radius_excess, 1e-12);
    EXPECT_GT(lemma.radius_excess, -1e-3);
    if (*kind == 'l') {
      EXPECT_LT(lemma.plane_residual, 1e-12);
    }
    EXPECT_GT(check_lemma(norm, 1.1 * outputs).radius_excess, 1e-3);
  }
}

TEST(Support, IsReachedByTheMaximizersAndByNothingOnTheEllipsoidBeyond) {
  for (const char* kind : {"layernorm", "rmsnorm", "dyt"}) {
    const OutputNorm norm{kind, random_normals(6, 4, 1), random_normals(6, 4, 2)};
    const Matrix p = random_cloud(4, 6, 3), best = maximizers(norm, p);
    const double most = support(norm, p);
    EXPECT_NEAR(-p.cwiseProduct(best).sum(), most, 1e-12 * std::fabs(most)) << kind;
    if (std::string(kind) != "dyt") {
      EXPECT_NEAR(check_lemma(norm, best).radius_excess, 0, 1e-12) << kind;
      if (*kind == 'l') {
        EXPECT_LT(check_lemma(norm, best).plane_residual, 1e-12);
      }
    }
    for (uint32_t trial = 0; trial < 200; ++trial) {
      Matrix v(4, 6);
      for (Eigen::Index i = 0; i < 4; ++i) {
        const Vector x = random_normals(6, 9, 20 + 4 * trial + static_cast<uint32_t>(i));
        const Vector y = std::string(kind) == "dyt" ? Vector(norm.gamma.cwiseProduct(x.array().tanh().matrix()))
                                                    : layer_norm(x, norm.gamma, *kind == 'l', 0);
        v.row(i) = y + norm.beta;
      }
      EXPECT_LE(-p.cwiseProduct(v).sum(), most) << kind;
    }
  }
}

TEST(Support, OfBatchNormIsReachedByABatchAndPassedByNone) {
  const OutputNorm norm{"batchnorm", random_normals(5, 4, 1), random_normals(5, 4, 2)};
  const Matrix p = random_cloud(7, 5, 3);
  const double most = support(norm, p);
  const auto power = [&](const Matrix& x) {
    Matrix v(7, 5);
    for (Eigen::Index j = 0; j < 5; ++j)
      v.col(j) = norm.gamma[j] * layer_norm(x.col(j), Vector::Ones(7), true, 0).array() + norm.beta[j];
    return -p.cwiseProduct(v).sum();
  };
  EXPECT_NEAR(power(-p * norm.gamma.asDiagonal()), most, 1e-12 * std::fabs(most));
  for (uint32_t trial = 0; trial < 200; ++trial) EXPECT_LT(power(random_cloud(7, 5, 20 + trial)), most);
}

TEST(Ellipsoid, OutlineAndBodyAreTheSameForOneTwoAndThreeFeatures) {
  for (const char* kind : {"layernorm", "rmsnorm"})
    for (const Eigen::Index d : {1, 2, 3}) {
      const OutputNorm norm{kind, Vector::LinSpaced(d, 0.5, 1.5), Vector::LinSpaced(d, -1, 1)};
      const Matrix points = outline(norm);
      ASSERT_GT(points.rows(), 0);
      const bool single = d == 1 && *kind == 'l';
      if (!single) {
        EXPECT_NEAR(check_lemma(norm, points).radius_excess, 0, 1e-12);
      }
      const Matrix a = projected_body(norm, shown_features(norm));
      // Each point is β + A u with |u| = 1: its preimage under the pseudo-inverse of A has norm 1.
      for (Eigen::Index i = 0; i < points.rows(); ++i) {
        const Vector z = points.row(i).transpose() - norm.beta;
        const Vector u = Eigen::MatrixXd(a).completeOrthogonalDecomposition().solve(z);
        EXPECT_LT((a * u - z).norm(), 1e-9);
        EXPECT_NEAR(u.norm(), single ? 0 : 1, 1e-9) << kind << d;
      }
    }
}

double least_cost_by_trying(const Matrix& cost) {
  std::vector<int> order(static_cast<size_t>(cost.rows()));
  std::iota(order.begin(), order.end(), 0);
  double least = 1e300;
  do {
    double sum = 0;
    for (size_t i = 0; i < order.size(); ++i) sum += cost(static_cast<Eigen::Index>(i), order[i]);
    least = std::min(least, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(Assignment, CostsNoMoreThanTheBestOfAllPermutations) {
  for (uint32_t trial = 0; trial < 30; ++trial) {
    const Matrix cost = random_cloud(6, 6, 40 + trial);
    const std::vector<int> column = assignment(cost);
    double sum = 0;
    for (size_t i = 0; i < 6; ++i) sum += cost(static_cast<Eigen::Index>(i), column[i]);
    EXPECT_NEAR(sum, least_cost_by_trying(cost), 1e-12);
    EXPECT_TRUE(std::is_permutation(column.begin(), column.end(), std::vector<int>{0, 1, 2, 3, 4, 5}.begin()));
  }
}

TEST(Distance, SlicedIsBelowExactIsBelowPaired) {
  for (uint32_t trial = 0; trial < 10; ++trial) {
    const Matrix a = random_cloud(60, 5, 80 + trial), b = random_cloud(60, 5, 180 + trial).array() * 1.5 + 0.3;
    const double sliced = sliced_w2(a, b, 64, 1), exact = exact_w2(a, b), paired = paired_w2(a, b);
    EXPECT_LT(sliced, exact);
    EXPECT_LT(exact, paired);
  }
}

TEST(Distance, OfATranslatedCloudIsTheTranslation) {
  const Matrix a = random_cloud(50, 4, 7);
  Vector shift(4);
  shift << 3, -4, 12, 0;
  const Matrix b = a.rowwise() + shift.transpose();
  EXPECT_NEAR(exact_w2(a, b), 13, 1e-12);
  EXPECT_NEAR(paired_w2(a, b), 13, 1e-12);
  EXPECT_NEAR(sliced_w2(a, b, 4096, 1), 13 / std::sqrt(4.0), 0.2);
}

TEST(Distance, OfNumbersIsThatOfTheSortedOnes) {
  Matrix a = random_cloud(40, 1, 7), b = random_cloud(40, 1, 8);
  const double exact = exact_w2(a, b), sliced = sliced_w2(a, b, 3, 1);
  std::sort(a.data(), a.data() + 40);
  std::sort(b.data(), b.data() + 40);
  EXPECT_NEAR(exact, (a - b).norm() / std::sqrt(40.0), 1e-12);
  EXPECT_NEAR(sliced, exact, 1e-12);
}

TEST(Growth, FitsTellAPowerLawFromAnExponential) {
  const Vector x = Vector::LinSpaced(6, 2, 32), power = 3 * x.array().pow(1.5),
               exponential = 2 * (0.3 * x).array().exp();
  EXPECT_NEAR(fit_power(x, power).exponent, 1.5, 1e-12);
  EXPECT_NEAR(fit_power(x, power).factor, 3, 1e-10);
  EXPECT_LT(fit_power(x, power).residual, 1e-12);
  EXPECT_GT(fit_exponential(x, power).residual, 0.05);
  EXPECT_NEAR(fit_exponential(x, exponential).exponent, 0.3, 1e-12);
  EXPECT_LT(fit_exponential(x, exponential).residual, 1e-12);
  EXPECT_GT(fit_power(x, exponential).residual, 0.05);
  EXPECT_TRUE(std::isnan(fit_power(x.head(1), power.head(1)).exponent));
}

TEST(EffectiveRank, CountsEqualSingularValues) {
  EXPECT_NEAR(effective_rank(Vector::Constant(5, 0.3)), 5, 1e-12);
  EXPECT_NEAR(effective_rank(Vector::Unit(5, 2)), 1, 1e-12);
  EXPECT_TRUE(std::isnan(effective_rank(Vector::Zero(3))));
}

}  // namespace
}  // namespace normscope
