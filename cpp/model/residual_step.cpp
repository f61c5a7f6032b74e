#include "model/residual_step.h"

#include <cmath>

#include "ops/activation.h"
#include "ops/channel_scale.h"
#include "ops/norm.h"
#include "ops/residual.h"

namespace normscope {
namespace {

struct NormParameters {
  std::string name;
  TensorId gamma, beta, alpha;
};

TensorId constant(Builder& b, StepContext& c, uint32_t width, float value) {
  TensorId& id = c.constants.emplace(std::pair{width, value}, no_tensor).first->second;
  if (id == no_tensor)
    id = b.add((value == 0 ? "zeros." : "ones.") + std::to_string(width), Role::constant, {width}, value);
  return id;
}

NormParameters norm_parameters(Builder& b, StepContext& c, const std::string& name, const std::string& kind,
                               uint32_t width) {
  const bool affine = c.spec.norm_affine;
  const TensorId gamma = affine ? b.parameter(name + ".weight", {width}, 1) : constant(b, c, width, 1);
  if (affine) c.gains.push_back(gamma);
  const TensorId beta = affine && kind != "rmsnorm" ? b.parameter(name + ".bias", {width}) : constant(b, c, width, 0);
  const TensorId alpha =
      kind == "dyt" ? b.parameter(name + ".alpha", {1}, static_cast<float>(c.spec.dyt_alpha)) : no_tensor;
  return {name, gamma, beta, alpha};
}

NormParameters norm_parameters(Builder& b, StepContext& c, const std::string& name) {
  return norm_parameters(b, c, name, c.spec.norm_kind, c.spec.d_model);
}

Norm apply_norm(Builder& b, const StepContext& c, const std::string& name, TensorId x, const NormParameters& p) {
  const float eps = stabiliser(c.spec.eps);
  const auto normed = [&] {
    if (c.spec.norm_kind == "dyt") return dyt(b, name, x, p.alpha, p.gamma, p.beta);
    if (c.spec.norm_kind == "rmsnorm") return rmsnorm(b, name, x, p.gamma, eps);
    if (c.spec.norm_kind == "batchnorm")
      return batchnorm(b, name, x, p.gamma, p.beta, eps, static_cast<float>(c.spec.bn_momentum), c.control, p.name);
    return layernorm(b, name, x, p.gamma, p.beta, eps);
  };
  return {normed(), p.gamma, p.beta};
}

void round_stream(Builder& b, const StepContext& c, TensorId x) {
  round_in_place(b, x, c.control, c.latch, c.spec.number_format(), static_cast<uint32_t>(c.points.size()));
}

// What is to be added, s ⊙ N_out(dropout(f(c · N_in(x)))), where the skip path starts, and the bound of their sum.
struct StepParts {
  TensorId skip, branch;
  StepContext::Bound bound;
};

StepParts step_parts(Builder& b, StepContext& c, const StepNames& names, const StepWiring& wiring, TensorId x,
                     const Branch& f) {
  const ModelSpec& spec = c.spec;
  const TensorId input = wiring.norms.input ? add_norm(b, c, names.norms + "_in", x).y : x;
  StepParts parts{wiring.normed_skip ? input : x, input, {}};
  TensorId& y = parts.branch;
  if (wiring.norms.input && wiring.input_gain != 1)
    y = scaled(b, names.norms + "_in.scaled", y, static_cast<float>(wiring.input_gain));
  y = f(y);
  if (spec.dropout > 0)
    y = dropout(b, names.point + ".dropout", y, c.control, c.seed, static_cast<float>(spec.dropout));
  if (wiring.norms.output) {
    const Norm out = add_norm(b, c, names.norms + "_out", y);
    y = out.y;
    // A skip path from N_in(x) would need the bound of a second norm: none is stated.
    if (parts.skip == x || wiring.skip == 0)
      parts.bound = {out.gamma, out.beta, no_tensor, static_cast<float>(std::fabs(wiring.skip)),
                     static_cast<float>(std::fabs(spec.dt))};
  }
  if (spec.branch_scale != "none") {
    const TensorId s = b.parameter(names.branch_scale, {spec.branch_scale == "scalar" ? 1 : spec.d_model},
                                   static_cast<float>(spec.branch_scale_init));
    y = channel_scale(b, names.point + ".branch", y, s);
    parts.bound.branch_scale = s;
  }
  round_stream(b, c, y);
  return parts;
}

// skip factor · skip + dt · branch
TensorId step_sum(Builder& b, const StepContext& c, const std::string& name, const StepWiring& wiring,
                  const StepParts& parts) {
  const float dt = static_cast<float>(c.spec.dt);
  const TensorId sum = wiring.skip != 0
                           ? residual_add(b, name, parts.skip, parts.branch, static_cast<float>(wiring.skip), dt)
                           : scaled(b, name, parts.branch, dt);
  round_stream(b, c, sum);
  return sum;
}

// N_stream of the sum; plan/fuse.h makes it one pass where nothing is rounded.
Norm stream_norm(Builder& b, StepContext& c, const StepNames& names, const StepWiring& wiring, const StepParts& parts) {
  const TensorId sum = step_sum(b, c, names.point + ".sum", wiring, parts);
  const Norm out = apply_norm(b, c, names.point, sum, norm_parameters(b, c, names.norms + "_stream"));
  round_stream(b, c, out.y);
  return out;
}

}  // namespace

Norm add_norm(Builder& b, StepContext& c, const std::string& name, TensorId x) {
  if (c.spec.norm_kind == "none") return {x, no_tensor, no_tensor};
  return apply_norm(b, c, name, x, norm_parameters(b, c, name));
}

TensorId add_head_norm(Builder& b, StepContext& c, const std::string& name, TensorId x) {
  if (c.spec.norm_kind == "none") return x;
  const bool centred = c.spec.norm_kind == "layernorm";
  const uint32_t width = c.spec.d_model / c.spec.n_head;
  const NormParameters p = norm_parameters(b, c, name, centred ? "layernorm" : "rmsnorm", width);
  const float eps = stabiliser(c.spec.eps);
  return centred ? layernorm(b, name, x, p.gamma, p.beta, eps, width) : rmsnorm(b, name, x, p.gamma, eps, width);
}

TensorId residual_step(Builder& b, StepContext& c, const StepNames& names, const StepWiring& wiring, TensorId x,
                       const Branch& f) {
  const StepParts parts = step_parts(b, c, names, wiring, x, f);
  StepContext::Bound bound = parts.bound;
  TensorId next;
  if (wiring.norms.stream && c.spec.norm_kind != "none") {
    const Norm out = stream_norm(b, c, names, wiring, parts);
    next = out.y;
    bound = {out.gamma, out.beta, no_tensor, 0, 1};
  } else {
    next = step_sum(b, c, names.point, wiring, parts);
  }
  c.points.push_back(next);
  c.bounds.push_back(bound);
  return next;
}

}  // namespace normscope
