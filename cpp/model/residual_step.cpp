#include "model/residual_step.h"

#include <cmath>

#include "ops/activation.h"
#include "ops/norm.h"
#include "ops/residual.h"

namespace normscope {
namespace {

struct NormParameters {
  TensorId gamma, beta;
};

NormParameters norm_parameters(Builder& b, const StepContext& c, const std::string& name) {
  const TensorId gamma = b.parameter(name + ".weight", {c.spec.d_model}, 1);
  const TensorId beta = c.spec.norm_kind == "rmsnorm" ? c.zeros : b.parameter(name + ".bias", {c.spec.d_model});
  return {gamma, beta};
}

Norm apply_norm(Builder& b, const StepContext& c, const std::string& name, TensorId x, NormParameters p) {
  const float eps = stabiliser(c.spec.eps);
  if (c.spec.norm_kind == "rmsnorm") return {rmsnorm(b, name, x, p.gamma, eps), p.gamma, p.beta};
  if (c.spec.norm_kind == "batchnorm") return {batchnorm(b, name, x, p.gamma, p.beta, eps), p.gamma, p.beta};
  return {layernorm(b, name, x, p.gamma, p.beta, eps), p.gamma, p.beta};
}

}  // namespace

Norm add_norm(Builder& b, const StepContext& c, const std::string& name, TensorId x) {
  if (c.spec.norm_kind == "none") return {x, no_tensor, no_tensor};
  return apply_norm(b, c, name, x, norm_parameters(b, c, name));
}

TensorId residual_step(Builder& b, StepContext& c, const std::string& norm_prefix, const std::string& point_name,
                       TensorId x, const Branch& f) {
  const ModelSpec& spec = c.spec;
  const Format format = spec.number_format();
  const uint32_t point = static_cast<uint32_t>(c.points.size());
  const float alpha = spec.residual ? static_cast<float>(spec.alpha) : 0, dt = static_cast<float>(spec.dt);
  const auto round = [&](TensorId t) { round_in_place(b, t, c.control, c.latch, format, point); };
  StepContext::Bound bound;

  TensorId branch = f(spec.norm_input ? add_norm(b, c, norm_prefix + "_in", x).y : x);
  if (spec.dropout > 0)
    branch = dropout(b, point_name + ".dropout", branch, c.control, c.seed, static_cast<float>(spec.dropout));
  if (spec.norm_output) {
    const Norm out = add_norm(b, c, norm_prefix + "_out", branch);
    branch = out.y;
    bound = {out.gamma, out.beta, std::fabs(alpha), std::fabs(dt)};
  }
  round(branch);

  const bool fused = spec.norm_stream && spec.residual && format == Format::fp32 && spec.norm_kind == "layernorm";
  TensorId next;
  if (fused) {
    const NormParameters p = norm_parameters(b, c, norm_prefix + "_stream");
    next = residual_layernorm(b, point_name + ".sum", point_name, x, branch, p.gamma, p.beta, alpha, dt,
                              stabiliser(spec.eps))
               .y;
    bound = {p.gamma, p.beta, 0, 1};
  } else {
    const bool stream_norm = spec.norm_stream && spec.norm_kind != "none";
    const std::string sum_name = stream_norm ? point_name + ".sum" : point_name;
    next = spec.residual ? residual_add(b, sum_name, x, branch, alpha, dt) : scaled(b, sum_name, branch, dt);
    round(next);
    if (stream_norm) {
      const NormParameters p = norm_parameters(b, c, norm_prefix + "_stream");
      next = apply_norm(b, c, point_name, next, p).y;
      bound = {p.gamma, p.beta, 0, 1};
      round(next);
    }
  }
  c.points.push_back(next);
  c.bounds.push_back(bound);
  return next;
}

}  // namespace normscope
