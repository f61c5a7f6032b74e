#include <cmath>
#include <limits>

#include "analysis/jacobian.h"
#include "analysis/parts.h"

namespace normscope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string bias_of(const std::string& weight) { return weight.substr(0, weight.size() - 6) + "bias"; }

double loss_of(const AnalysisModel& model) {
  WholeNet net = whole_net(model);
  net.plan.run(Phase::forward);
  return net.plan.values("loss")[0];
}

}  // namespace

std::vector<std::string> matrix_names(const AnalysisModel& model) {
  std::vector<std::string> names;
  Plan plan;
  ModelLayout layout;
  plan_whole(model.spec, model.n_vocab, plan, layout);
  for (const TensorId id : layout.parameters)
    if (plan.tensors[id].shape.size() == 2) names.push_back(plan.tensors[id].name);
  return names;
}

json::Raw matrix(const AnalysisModel& model, Base& base, const Options& options) {
  const std::string name = matrix_names(model)[static_cast<size_t>(options.number("index", 0))], bias = bias_of(name);
  const Matrix w = base.net.plan.rows(name), g = base.net.plan.rows(name + ".grad");
  const bool has_bias = model.parameters.count(bias) > 0;
  AnalysisModel doubled = model;
  doubled.parameters[name] *= 2;
  double inner = w.cwiseProduct(g).sum(), square = w.squaredNorm(), grad_square = g.squaredNorm();
  if (has_bias) {
    const Vector b = base.net.plan.values(bias), db = base.net.plan.values(bias + ".grad");
    inner += b.dot(db), square += b.squaredNorm(), grad_square += db.squaredNorm();
    doubled.parameters[bias] *= 2;
  }
  const Vector s = singular_values(w);
  const double scale = std::sqrt(square * grad_square);
  const TensorId id = base.net.plan.plan().find(name);
  return json::object({{"name", name},
                       {"shape", base.net.plan.plan().tensors[id].shape},
                       {"norm", w.norm()},
                       {"gradNorm", g.norm()},
                       {"product", w.norm() * g.norm()},
                       {"spectralNorm", s.size() ? s[0] : 0.0},
                       {"effectiveRank", effective_rank(s)},
                       {"alignment", scale > 0 ? inner / scale : nan},
                       {"lossChange", std::fabs(loss_of(doubled) - base.loss) / base.loss}});
}

json::Raw output_gains(const AnalysisModel& model, Base& base) {
  std::vector<double> mean, rms, most, least;
  for (uint32_t step = 0; step < base.wiring.size(); ++step) {
    const bool has = base.wiring[step].norm_output;
    const Vector size = output_gain(model, step).gamma.cwiseAbs();
    mean.push_back(has ? size.mean() : nan);
    rms.push_back(has ? size.norm() / std::sqrt(static_cast<double>(size.size())) : nan);
    most.push_back(has ? size.maxCoeff() : nan);
    least.push_back(has ? size.minCoeff() : nan);
  }
  return json::object({{"meanAbs", mean}, {"rms", rms}, {"maxAbs", most}, {"minAbs", least}});
}

json::Raw gradients(const AnalysisModel& model, Base& base) {
  std::vector<double> last, group;
  const uint32_t per_block = steps_per_block(model.spec);
  for (uint32_t layer = 0; layer < model.spec.n_layer; ++layer)
    last.push_back(base.net.plan.values(last_linear(model.spec, (layer + 1) * per_block - 1) + ".weight.grad").norm());
  const ModelLayout& layout = base.net.layout;
  for (size_t i = 0, at = 0; i < layout.groups.size(); ++i) {
    double square = 0;
    for (; at < layout.group_end[i]; ++at)
      square += base.net.plan.values(base.net.plan.plan().tensors[layout.parameters[at]].name + ".grad").squaredNorm();
    group.push_back(std::sqrt(square));
  }
  return json::object({{"lastMatrix", last}, {"group", layout.groups}, {"groupNorm", group}});
}

}  // namespace normscope
