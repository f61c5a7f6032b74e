#include <cmath>
#include <limits>

#include "analysis/distance.h"
#include "analysis/jacobian.h"
#include "analysis/parts.h"
#include "plan/random.h"

namespace normscope {
namespace {

Eigen::Index n_shown(const AnalysisModel& model, const Options& options) {
  return std::min<Eigen::Index>(n_row(model), static_cast<Eigen::Index>(options.number("n_point", 128)));
}

std::vector<Matrix> cloud_at_points(Base& base, Eigen::Index n) {
  std::vector<Matrix> cloud;
  for (size_t i = 0; i < base.n_point(); ++i) cloud.push_back(base.point(i).topRows(n));
  return cloud;
}

uint32_t seed_of(const Options& options) { return static_cast<uint32_t>(options.number("seed", 1)); }

}  // namespace

Clouds noisy_clouds(const AnalysisModel& model, Base& base, const Options& options) {
  const Eigen::Index n = n_shown(model, options), d = model.spec.d_model;
  Clouds clouds{cloud_at_points(base, n), {}};
  const Vector noise = options.number("noise", 0.01) * random_normals(n_row(model) * d, seed_of(options), 4);
  Matrix x = base.point(0) + Eigen::Map<const Matrix>(noise.data(), n_row(model), d);
  clouds.moved.push_back(x.topRows(n));
  for (uint32_t step = 0; step < n_residual_step(model.spec); ++step) {
    DoublePlan plan = step_map(model, step);
    plan.rows("x") = x;
    plan.run(Phase::forward);
    x = plan.rows("y");
    clouds.moved.push_back(x.topRows(n));
  }
  return clouds;
}

Clouds token_clouds(const AnalysisModel& model, Base& base, const Options& options) {
  const Eigen::Index n = n_shown(model, options);
  AnalysisModel other = model;
  for (Eigen::Index i = 0; i < other.tokens.size(); ++i)
    other.tokens[i] =
        uniform_index(random_word(seed_of(options), Purpose::analysis, 5, 0, static_cast<uint32_t>(i)), model.n_vocab);
  Base moved(other);
  return {cloud_at_points(base, n), cloud_at_points(moved, n)};
}

json::Raw distances(const Clouds& clouds, const Options& options) {
  const size_t point = static_cast<size_t>(options.number("point", 0));
  const Matrix &a = clouds.clean[point], &b = clouds.moved[point];
  const Vector mean = a.rowwise().mean();
  const double std = std::sqrt((a.colwise() - mean).squaredNorm() / static_cast<double>(a.size()));
  const uint32_t n_direction = static_cast<uint32_t>(options.number("n_direction", 64));
  return json::object({{"nPoint", static_cast<int>(a.rows())},
                       {"sliced", sliced_w2(a, b, n_direction, seed_of(options))},
                       {"exact", exact_w2(a, b)},
                       {"paired", paired_w2(a, b)},
                       {"std", std}});
}

json::Raw distance_bound(const AnalysisModel& model, Base& base, const Clouds& clouds) {
  std::vector<double> bound{exact_w2(clouds.clean[0], clouds.moved[0])};
  // Two branches lie on one ellipsoid, so they differ by at most its diameter, 2 √d max|γ|; that of a BatchNorm couples
  // rows.
  const bool has_diameter = model.spec.norm_kind != "batchnorm";
  const double diameter = 2 * std::sqrt(static_cast<double>(model.spec.d_model));
  for (const StepFacts& w : base.wiring) {
    const double gain = w.bounded && has_diameter ? base.net.plan.values(w.gamma).cwiseAbs().maxCoeff()
                                                  : std::numeric_limits<double>::quiet_NaN();
    bound.push_back((w.keep == 0 ? 0 : w.keep * bound.back()) + w.step * diameter * gain);
  }
  return json::object({{"bound", bound}});
}

}  // namespace normscope
