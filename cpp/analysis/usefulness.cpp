#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/parts.h"

namespace normscope {
namespace {

constexpr size_t n_top = 5;

double mean_cosine_distance(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    // 1 − cos by the half angle: exact to the last digits where the two are nearly parallel.
    const double na = a.row(i).norm(), nb = b.row(i).norm();
    sum += (a.row(i) / na - b.row(i) / nb).squaredNorm() / 2;
  }
  return sum / static_cast<double>(a.rows());
}

double mean_relative_change(const Matrix& a, const Matrix& b) {
  return ((b - a).rowwise().norm().array() / a.rowwise().norm().array()).mean();
}

// Mean cosine over all pairs of different tokens of a sequence: (‖Σ u‖² − n)/(n (n − 1)).
double token_similarity(const Matrix& x, Eigen::Index n_ctx) {
  if (n_ctx < 2) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  const Eigen::Index n_batch = x.rows() / n_ctx;
  const double n = static_cast<double>(n_ctx);
  for (Eigen::Index i = 0; i < n_batch; ++i) {
    const Matrix unit = x.middleRows(i * n_ctx, n_ctx).rowwise().normalized();
    sum += (unit.colwise().sum().squaredNorm() - n) / (n * (n - 1));
  }
  return sum / static_cast<double>(n_batch);
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

json::Raw massive_activations(const Matrix& x) {
  const Matrix size = x.cwiseAbs();
  if (!size.allFinite()) return json::object({{"maxOverMedian", std::nan("")}, {"top", std::vector<json::Raw>{}}});
  std::vector<Eigen::Index> channels(static_cast<size_t>(x.cols())), token_of(channels.size());
  std::iota(channels.begin(), channels.end(), Eigen::Index{0});
  for (const Eigen::Index c : channels) size.col(c).maxCoeff(&token_of[static_cast<size_t>(c)]);
  const auto peak = [&](Eigen::Index c) { return size(token_of[static_cast<size_t>(c)], c); };
  std::sort(channels.begin(), channels.end(),
            [&](Eigen::Index a, Eigen::Index b) { return peak(a) != peak(b) ? peak(a) > peak(b) : a < b; });
  std::vector<json::Raw> top;
  for (size_t k = 0; k < std::min(n_top, channels.size()); ++k) {
    const Eigen::Index channel = channels[k], token = token_of[static_cast<size_t>(channel)];
    top.push_back(json::object(
        {{"channel", static_cast<int>(channel)}, {"token", static_cast<int>(token)}, {"value", x(token, channel)}}));
  }
  const double middle = median(std::vector<double>(size.data(), size.data() + size.size()));
  return json::object({{"maxOverMedian", size.maxCoeff() / middle}, {"top", top}});
}

}  // namespace

json::Raw usefulness(const AnalysisModel& model, Base& base) {
  std::vector<double> cosine, change, similarity;
  std::vector<json::Raw> massive;
  for (size_t i = 0; i < base.n_point(); ++i) {
    const Matrix x = base.point(i);
    similarity.push_back(token_similarity(x, model.spec.n_ctx));
    massive.push_back(massive_activations(x));
    if (i + 1 == base.n_point()) break;
    cosine.push_back(mean_cosine_distance(x, base.point(i + 1)));
    change.push_back(mean_relative_change(x, base.point(i + 1)));
  }
  return json::object(
      {{"cosine", cosine}, {"relativeChange", change}, {"tokenSimilarity", similarity}, {"massive", massive}});
}

json::Raw drop_block(const AnalysisModel& model, Base& base, const Options& options) {
  const uint32_t per_block = steps_per_block(model.spec),
                 first = static_cast<uint32_t>(options.number("block", 0)) * per_block;
  Matrix x = base.point(first);
  for (uint32_t step = first + per_block; step < n_residual_step(model.spec); ++step) {
    DoublePlan plan = step_map(model, step);
    plan.rows("x") = x;
    plan.run(Phase::forward);
    x = plan.rows("y");
  }
  DoublePlan head = head_map(model);
  head.rows("x") = x;
  head.run(Phase::forward);
  return json::object({{"dropLoss", head.values("loss")[0] - base.loss}});
}

}  // namespace normscope
