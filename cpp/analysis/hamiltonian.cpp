#include <cmath>
#include <limits>

#include "analysis/ellipsoid.h"
#include "analysis/parts.h"

namespace normscope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Eigen::Index most_shown = 256;

// ∂L/∂(the new point), [n_row, d]. v is the branch without dt; with a stream norm the whole step x_{i+1} − x_i.
Matrix adjoint(Base& base, uint32_t step) { return base.net.plan.rows(base.point_name(step + 1) + ".grad"); }

// What the last linear map of the branch reads, [n_row, n_in].
Matrix last_input(Base& base, const std::string& linear) {
  const Plan& plan = base.net.plan.plan();
  const TensorId weight = plan.find(linear + ".weight");
  for (const Dispatch& d : plan[Phase::forward])
    if (d.kernel == Kernel::linear_forward && d.operand[1] == weight) return base.net.plan.rows(d.operand[0]);
  return {};
}

// v at the states of the base model, [n_row, d].
Matrix velocity(const AnalysisModel& model, Base& base, uint32_t step) {
  const bool stream = base.wiring[step].norm_stream;
  AnalysisModel unit = model;
  if (!stream) unit.spec.dt = 1;
  DoublePlan plan = stream ? step_map(unit, step) : branch_map(unit, step);
  const Matrix x = base.point(step);
  plan.rows("x") = x;
  plan.run(Phase::forward);
  return stream ? Matrix(plan.rows("y") - x) : Matrix(plan.rows("y"));
}

double power(const AnalysisModel& model, Base& base, uint32_t step, const Matrix& p) {
  return -p.cwiseProduct(velocity(model, base, step)).sum();
}

// The last linear map of one step replaced by `weight` and `bias`.
AnalysisModel with_last(const AnalysisModel& model, const std::string& linear, const Vector& weight,
                        const Vector& bias) {
  AnalysisModel changed = model;
  changed.parameters[linear + ".weight"] = weight;
  if (changed.parameters.count(linear + ".bias")) changed.parameters[linear + ".bias"] = bias;
  return changed;
}

// Weight and bias of the norm that they have, in the direction in which −p·v grows most: against their gradient, or
// along it where v is the branch alone and dt < 0 turns it round. NaN when there is no gradient.
std::pair<Vector, Vector> steepest(const AnalysisModel& model, Base& base, uint32_t step, const std::string& linear) {
  const Vector &weight = model.parameters.at(linear + ".weight"), &bias = model.parameters.at(linear + ".bias");
  const Vector dweight = base.net.plan.values(linear + ".weight.grad"),
               dbias = base.net.plan.values(linear + ".bias.grad");
  const double size =
      std::sqrt((weight.squaredNorm() + bias.squaredNorm()) / (dweight.squaredNorm() + dbias.squaredNorm()));
  const double factor = base.wiring[step].norm_stream || model.spec.dt >= 0 ? -size : size;
  return {factor * dweight, factor * dbias};
}

OutputNorm norm_named(const AnalysisModel& model, const std::string& name) {
  return {model.spec.norm_kind, parameter_or(model, name + ".weight", 1), parameter_or(model, name + ".bias", 0)};
}

OutputNorm output_norm(const AnalysisModel& model, uint32_t step) {
  const OutputGain gain = output_gain(model, step);
  return {model.spec.norm_kind, gain.gamma, gain.beta};
}

// sup of −p·v over everything that the step's last norm can give; NaN without one.
double support_of(const AnalysisModel& model, Base& base, uint32_t step, const Matrix& p) {
  const StepFacts& w = base.wiring[step];
  if (w.norm_stream)
    return support(norm_named(model, norm_prefix(model.spec, step) + "_stream"), p) +
           p.cwiseProduct(base.point(step)).sum();
  return w.norm_output ? support(output_norm(model, step), p) : nan;
}

// Of the norm itself, without the branch scale that may follow it.
json::Raw lemma(const AnalysisModel& model, Base& base, uint32_t step) {
  const std::string name = norm_prefix(model.spec, step) + "_out";
  const Lemma found = check_lemma(norm_named(model, name), base.net.plan.rows(name));
  return json::object({{"norm", name},
                       {"kind", model.spec.norm_kind},
                       {"radiusExcess", found.radius_excess},
                       {"planeResidual", found.plane_residual}});
}

Matrix shown(const Matrix& all, const std::vector<Eigen::Index>& features) {
  Matrix out(std::min(most_shown, all.rows()), static_cast<Eigen::Index>(features.size()));
  for (Eigen::Index k = 0; k < out.cols(); ++k) out.col(k) = all.col(features[static_cast<size_t>(k)]).head(out.rows());
  return out;
}

}  // namespace

json::Raw hamiltonian(const AnalysisModel& model, Base& base, const Options& options) {
  const uint32_t step = static_cast<uint32_t>(options.number("step", 0));
  const std::string linear = last_linear(model.spec, step);
  const Matrix p = adjoint(base, step), h = last_input(base, linear);
  const Vector weight = model.parameters.at(linear + ".weight"), bias = model.parameters.at(linear + ".bias");
  const auto [up, up_bias] = steepest(model, base, step, linear);
  std::vector<double> by_scale, by_steepest;
  for (const double c : options.numbers("scales")) {
    by_scale.push_back(power(with_last(model, linear, c * weight, c * bias), base, step, p));
    by_steepest.push_back(power(with_last(model, linear, c * up, c * up_bias), base, step, p));
  }
  const StepFacts& w = base.wiring[step];
  const double lambda = model.spec.weight_decay;
  double regularized = nan, per_token = nan;
  if (!w.norm_output && !w.norm_stream && lambda > 0) {
    const auto scale = model.parameters.find(branch_scale_name(model.spec, step));
    Matrix q = p;
    if (scale != model.parameters.end())
      q = scale->second.size() == 1 ? Matrix(p * scale->second[0]) : Matrix(p * scale->second.asDiagonal());
    regularized = (q.transpose() * h).squaredNorm() / (2 * lambda);
    per_token = q.rowwise().squaredNorm().dot(h.rowwise().squaredNorm()) / (2 * lambda);
  }
  return json::object({{"power", by_scale},
                       {"steepest", by_steepest},
                       {"support", support_of(model, base, step, p)},
                       {"regularized", regularized},
                       {"regularizedPerToken", per_token},
                       {"lemma1", w.norm_output ? lemma(model, base, step) : json::Raw{"null"}}});
}

json::Raw ellipsoid(const AnalysisModel& model, Base& base) {
  const std::string& kind = model.spec.norm_kind;
  if (kind != "layernorm" && kind != "rmsnorm") return {"null"};
  for (uint32_t step = 0; step < base.wiring.size(); ++step) {
    if (!base.wiring[step].norm_output || base.wiring[step].norm_stream) continue;
    const OutputNorm norm = output_norm(model, step);
    if (!norm.gamma.allFinite()) return {"null"};
    const std::vector<Eigen::Index> features = shown_features(norm);
    const Matrix p = adjoint(base, step);
    return json::object({{"norm", norm_prefix(model.spec, step) + "_out"},
                         {"projection", norm.gamma.size() <= 3 ? "exact" : "largest-axes"},
                         {"features", std::vector<int>(features.begin(), features.end())},
                         {"center", Vector(norm.beta(features))},
                         {"matrix", projected_body(norm, features)},
                         {"outline", outline(norm)},
                         {"outputs", shown(velocity(model, base, step), features)},
                         {"maximizers", shown(maximizers(norm, p), features)}});
  }
  return {"null"};
}

}  // namespace normscope
