#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/jacobian.h"
#include "analysis/norm_jacobian.h"
#include "analysis/parts.h"

namespace normscope {
namespace {

constexpr Eigen::Index most_dense = 256;  // inputs up to which every row of the Jacobian is computed

double norm_of(Linearization& map) {
  if (map.n_in() > most_dense) return spectral_norm(map);
  return spectral_norm(map.dense());
}

// How many sequences a Jacobian is of: one, or the batch where BatchNorm ties them together.
uint32_t n_sequence(const ModelSpec& spec) { return spec.norm_kind == "batchnorm" ? spec.n_batch : 1; }

double product_error(Linearization& map) { return product_disagreement(map, 7); }

// The norm that the plan of the whole computes first: its tensor's name, and what it reads.
struct FirstNorm {
  std::string name;
  Vector x;
};
FirstNorm first_norm(Base& base, uint32_t d_model) {
  const Plan& plan = base.net.plan.plan();
  for (const Dispatch& d : plan[Phase::forward]) {
    const bool fused = d.kernel == Kernel::residual_layernorm_forward || d.kernel == Kernel::residual_rmsnorm_forward;
    if (!fused && d.kernel != Kernel::layernorm_forward && d.kernel != Kernel::rmsnorm_forward) continue;
    const TensorId x = operand_named(d, fused ? "sum" : "x"), gamma = operand_named(d, "gamma"),
                   y = operand_named(d, "y");
    if (plan.tensors[gamma].n_per_model != d_model) continue;  // a norm of heads
    std::string name = plan.tensors[gamma].name;
    const size_t dot = name.rfind(".weight");
    name = dot == std::string::npos ? plan.tensors[y].name : name.substr(0, dot);
    return {name, base.net.plan.rows(x).row(0).transpose()};
  }
  return {};
}

// Jᵀ by the plan's own reverse pass: a step that is nothing but the stream norm, all weights 0.
Matrix jacobian_by_plan(const AnalysisModel& model, const Vector& x, const Vector& gamma, const Vector& beta) {
  ModelSpec spec;
  spec.block = "sublayer";
  spec.norm_input = spec.norm_output = false;
  spec.norm_stream = true;
  spec.n_layer = 1;
  spec.n_head = 1;
  spec.n_batch = spec.n_ctx = 1;
  spec.d_model = model.spec.d_model;
  spec.norm_kind = model.spec.norm_kind;
  spec.norm_affine = true;
  spec.eps = model.spec.eps;
  Builder b;
  build_step(b, spec, 0);
  DoublePlan plan(b.finish());
  if (plan.has("blocks.0.ln_stream.weight")) plan.values("blocks.0.ln_stream.weight") = gamma;
  if (plan.has("blocks.0.ln_stream.bias")) plan.values("blocks.0.ln_stream.bias") = beta;
  return Linearization(plan, x).dense();
}

std::vector<json::Raw> eigenvalues(const Matrix& matrix) {
  std::vector<json::Raw> out;
  if (!matrix.allFinite()) return out;
  Eigen::VectorXcd values = Eigen::EigenSolver<Eigen::MatrixXd>(matrix, false).eigenvalues();
  std::sort(values.data(), values.data() + values.size(), [](auto a, auto b) { return std::abs(a) > std::abs(b); });
  for (const auto& value : values) out.push_back(json::object({{"re", value.real()}, {"im", value.imag()}}));
  return out;
}

}  // namespace

json::Raw sensitivity(const AnalysisModel& model, Base& base, const Options& options) {
  const double wish = options.number("step", -1);
  const uint32_t n = n_sequence(model.spec);
  if (wish < 0) {
    if (n_residual_step(model.spec) == 0) return json::object({{"wholeNet", 1}});
    DoublePlan plan = blocks_map(model, n);
    Linearization map(plan, base.sequence(0, model.spec, n));
    return json::object({{"wholeNet", norm_of(map)}});
  }
  const uint32_t step = static_cast<uint32_t>(wish);
  const Vector x = base.sequence(step, model.spec, n);
  DoublePlan whole = step_map(model, step, n), branch = branch_map(model, step, n);
  Linearization step_at(whole, x), branch_at(branch, x);
  return json::object({{"method", x.size() > most_dense ? "power" : "dense"},
                       {"step", norm_of(step_at)},
                       {"branch", norm_of(branch_at)},
                       {"disagreement", std::max(product_error(step_at), product_error(branch_at))}});
}

json::Raw scaled_step(const AnalysisModel& scaled, Base& base, Base& scaled_base, const Options& options) {
  const uint32_t step = static_cast<uint32_t>(options.number("step", 0));
  const uint32_t n = n_sequence(scaled.spec);
  DoublePlan whole = step_map(scaled, step, n), branch = branch_map(scaled, step, n);
  Linearization step_at(whole, scaled_base.sequence(step, scaled.spec, n)),
      branch_at(branch, base.sequence(step, scaled.spec, n));
  return json::object({{"branch", spectral_norm(branch_at)}, {"step", spectral_norm(step_at)}});
}

json::Raw scaled_net(const AnalysisModel& scaled, Base& scaled_base) {
  double gain = 1;
  if (n_residual_step(scaled.spec) > 0) {
    DoublePlan plan = blocks_map(scaled);
    const Matrix x = scaled_base.point(0);
    Linearization map(plan, Eigen::Map<const Vector>(x.data(), x.size()));
    const Vector direction = random_normals(map.n_in(), 1, 3);
    gain = map.jvp(direction).norm() / direction.norm();
  }
  return json::object({{"moments", moments(scaled_base)}, {"loss", scaled_base.loss}, {"gain", gain}});
}

json::Raw layer_norm_jacobian(const AnalysisModel& model, Base& base, const Options& options) {
  const FirstNorm first = first_norm(base, model.spec.d_model);
  if (first.name.empty()) return {"null"};
  const Eigen::Index d = model.spec.d_model;
  const std::vector<double> given = options.numbers("vector");
  if (!given.empty() && static_cast<Eigen::Index>(given.size()) != d) return {"null"};
  const Vector x = given.empty() ? first.x : Vector(Eigen::Map<const Vector>(given.data(), d));
  const Vector gamma = parameter_or(model, first.name + ".weight", 1),
               beta = parameter_or(model, first.name + ".bias", 0);
  const NormJacobian jacobian = norm_jacobian(model.spec.norm_kind, x, gamma, model.spec.eps);
  const Matrix by_plan = jacobian_by_plan(model, x, gamma, beta);
  const double size = jacobian.matrix.cwiseAbs().maxCoeff();
  return json::object({{"norm", first.name},
                       {"kind", model.spec.norm_kind},
                       {"x", x},
                       {"rstd", jacobian.rstd},
                       {"matrix", jacobian.matrix},
                       {"eigenvalues", eigenvalues(jacobian.matrix)},
                       {"singularValues", singular_values(jacobian.matrix)},
                       {"disagreement", (jacobian.matrix - by_plan).cwiseAbs().maxCoeff() / (size > 0 ? size : 1)}});
}

}  // namespace normscope
