#include "analysis/training_path.h"

#include <cmath>
#include <limits>

#include "model/machine.h"

namespace normscope {

TrainingPath::TrainingPath(const AnalysisModel& model, const Dataset& data, uint32_t first_step, bool renormalise)
    : model_(model), data_(data), net_(whole_net(model)), facts_(read_wiring(model, net_)), renormalise_(renormalise) {
  net_.plan.values("control")[0] = first_step;
  for (uint32_t step = 0; step < facts_.size(); ++step) start_.push_back(joint_norm(step));
}

void TrainingPath::take_step() {
  const ModelSpec& spec = model_.spec;
  const uint32_t step = static_cast<uint32_t>(net_.plan.values("control")[0]);
  draw_tokens(data_, step, model_);
  net_.plan.values("tokens") = model_.tokens;
  net_.plan.values("targets") = model_.targets;
  Eigen::Map<Vector> hyper = net_.plan.values("hyper");
  const uint32_t n_total = spec.schedule == "cosine" ? spec.total_steps : 0;
  hyper[0] = scheduled_rate(step, spec.learning_rate, spec.final_learning_rate, spec.warmup, n_total);
  hyper[1] = spec.weight_decay;
  hyper[2] = spec.max_grad_norm;
  for (const Phase phase : {Phase::forward, Phase::backward, Phase::update}) net_.plan.run(phase);
  if (renormalise_) hold_norms();
}

double TrainingPath::joint_norm(uint32_t step) {
  const std::string name = last_linear(model_.spec, step);
  return std::sqrt(net_.plan.values(name + ".weight").squaredNorm() + net_.plan.values(name + ".bias").squaredNorm());
}

void TrainingPath::hold_norms() {
  for (uint32_t step = 0; step < facts_.size(); ++step) {
    if (!facts_[step].norm_output || model_.spec.norm_kind == "dyt") continue;
    const std::string name = last_linear(model_.spec, step);
    const double factor = start_[step] / joint_norm(step);
    for (const char* part : {".weight", ".bias"}) net_.plan.values(name + part) *= factor;
  }
}

json::Raw TrainingPath::advance(uint32_t n_step) {
  double loss = 0;
  for (uint32_t i = 0; i < n_step; ++i) {
    take_step();
    loss += net_.plan.values("loss")[0] / n_step;
  }
  std::vector<double> norm, grad_norm, rms, most;
  for (const Tensor& t : net_.plan.plan().tensors)
    if (t.role == Role::parameter) model_.parameters[t.name] = net_.plan.values(t.name);
  for (uint32_t step = 0; step < facts_.size(); ++step) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string name = last_linear(model_.spec, step) + ".weight";
    const Vector gamma = output_gain(model_, step).gamma;
    const bool has = facts_[step].norm_output;
    norm.push_back(net_.plan.values(name).norm());
    grad_norm.push_back(net_.plan.values(name + ".grad").norm());
    rms.push_back(has ? gamma.norm() / std::sqrt(static_cast<double>(gamma.size())) : nan);
    most.push_back(has ? gamma.cwiseAbs().maxCoeff() : nan);
  }
  return json::object({{"step", net_.plan.values("control")[0]},
                       {"rate", net_.plan.values("hyper")[0]},
                       {"loss", loss},
                       {"norm", norm},
                       {"gradNorm", grad_norm},
                       {"gammaRms", rms},
                       {"gammaMax", most}});
}

}  // namespace normscope
