#include "analysis/model.h"

#include <cstring>

#include "model/initial_values.h"

namespace normscope {
namespace {

std::string block_name(const ModelSpec& spec, uint32_t step) {
  return "blocks." + std::to_string(step / steps_per_block(spec));
}

// Which branch of its block a step is.
enum class Branch { sublayer, attention, mlp };
Branch branch_of(const ModelSpec& spec, uint32_t step) {
  if (steps_per_block(spec) == 1) return Branch::sublayer;
  return step % 2 == 0 ? Branch::attention : Branch::mlp;
}

template <class Build>
DoublePlan plan_part(const AnalysisModel& model, uint32_t n_batch, const Build& build) {
  ModelSpec spec = model.spec;
  if (n_batch) spec.n_batch = n_batch;
  Builder b;
  build(b, spec);
  DoublePlan plan(b.finish());
  plan.drop_parameter_gradients();
  load(model, plan);
  return plan;
}

Vector initial_vector(const ModelSpec& spec, const Tensor& t) {
  std::vector<float> values(t.n_per_model, t.fill);
  initial_values(spec, t, 0, t.n_per_model, values.data());
  return Eigen::Map<Eigen::VectorXf>(values.data(), static_cast<Eigen::Index>(values.size())).cast<double>();
}

}  // namespace

Status plan_whole(const ModelSpec& spec, uint32_t n_vocab, Plan& plan, ModelLayout& layout) {
  Limits limits;
  limits.max_float /= 2;  // in double
  Builder b(limits);
  layout = build_transformer(b, spec, n_vocab);
  if (b.status().ok()) plan = b.finish();
  return b.status();
}

Status make_model(const ModelSpec& wish, const Dataset& data, uint32_t step, AnalysisModel& model) {
  model.spec = wish;
  model.spec.dropout = 0;
  model.spec.format = "fp32";
  model.n_vocab = wish.n_vocab ? wish.n_vocab : data.n_symbol ? data.n_symbol : 32;
  Plan plan;
  ModelLayout layout;
  const Status status = plan_whole(model.spec, model.n_vocab, plan, layout);
  if (!status.ok()) return status;
  if (!DoublePlan::fits(plan))
    return {"out-of-memory", "the analysis needs " + std::to_string((plan.n_float * sizeof(double)) >> 20) +
                                 " MiB for the whole model in double and the memory could not be had; use a smaller "
                                 "batch, width or depth"};
  for (const Tensor& t : plan.tensors)
    if (t.role == Role::parameter) model.parameters[t.name] = initial_vector(model.spec, t);
  draw_tokens(data, step, model);
  return {};
}

void draw_tokens(const Dataset& data, uint32_t step, AnalysisModel& model) {
  const ModelSpec& spec = model.spec;
  const uint32_t n = spec.n_batch * spec.n_ctx;
  std::vector<float> tokens(n), targets(n);
  if (data.kind.empty())
    for (uint32_t i = 0; i < n; ++i)
      tokens[i] = static_cast<float>(i % spec.n_ctx % model.n_vocab),
      targets[i] = static_cast<float>((i % spec.n_ctx + 1) % model.n_vocab);
  else
    draw_batch(data, spec.seed, Split::train, step, spec.n_batch, spec.n_ctx, tokens.data(), targets.data());
  model.tokens = Eigen::Map<Eigen::VectorXf>(tokens.data(), n).cast<double>();
  model.targets = Eigen::Map<Eigen::VectorXf>(targets.data(), n).cast<double>();
}

uint32_t n_row(const AnalysisModel& model) { return model.spec.n_batch * model.spec.n_ctx; }

void load(const AnalysisModel& model, DoublePlan& plan) {
  for (const Tensor& t : plan.plan().tensors)
    if (t.role == Role::parameter) plan.values(t.name) = model.parameters.at(t.name);
  for (const auto& [name, values] : {std::pair<const char*, const Vector*>{"tokens", &model.tokens},
                                     std::pair<const char*, const Vector*>{"targets", &model.targets}})
    if (plan.has(name) && plan.values(name).size() == values->size()) plan.values(name) = *values;
}

WholeNet whole_net(const AnalysisModel& model) {
  Plan plan;
  ModelLayout layout;
  plan_whole(model.spec, model.n_vocab, plan, layout);
  WholeNet net{DoublePlan(std::move(plan)), std::move(layout)};
  load(model, net.plan);
  return net;
}

DoublePlan step_map(const AnalysisModel& model, uint32_t step, uint32_t n_batch) {
  return plan_part(model, n_batch, [&](Builder& b, const ModelSpec& spec) { build_step(b, spec, step); });
}

DoublePlan branch_map(const AnalysisModel& model, uint32_t step, uint32_t n_batch) {
  return plan_part(model, n_batch, [&](Builder& b, const ModelSpec& spec) { build_step(b, spec, step, true); });
}

DoublePlan blocks_map(const AnalysisModel& model, uint32_t n_batch) {
  return plan_part(model, n_batch, [&](Builder& b, const ModelSpec& spec) { build_blocks(b, spec); });
}

DoublePlan head_map(const AnalysisModel& model) {
  return plan_part(model, 0, [&](Builder& b, const ModelSpec& spec) { build_head(b, spec, model.n_vocab); });
}

std::string last_linear(const ModelSpec& spec, uint32_t step) {
  const char* const names[] = {".sublayer", ".attn.out_proj", ".mlp.fc2"};
  return block_name(spec, step) + names[static_cast<int>(branch_of(spec, step))];
}

std::string norm_prefix(const ModelSpec& spec, uint32_t step) {
  const char* const names[] = {".ln", ".ln_attn", ".ln_mlp"};
  return block_name(spec, step) + names[static_cast<int>(branch_of(spec, step))];
}

std::string branch_scale_name(const ModelSpec& spec, uint32_t step) {
  const char* const names[] = {".scale", ".scale_attn", ".scale_mlp"};
  return block_name(spec, step) + names[static_cast<int>(branch_of(spec, step))];
}

AnalysisModel scaled_branches(const AnalysisModel& model, double c) {
  AnalysisModel scaled = model;
  for (uint32_t step = 0; step < n_residual_step(model.spec); ++step)
    for (const char* part : {".weight", ".bias"}) {
      const auto found = scaled.parameters.find(last_linear(model.spec, step) + part);
      if (found != scaled.parameters.end()) found->second *= c;
    }
  return scaled;
}

std::vector<StepFacts> read_wiring(const AnalysisModel& model, const WholeNet& net) {
  const Plan& plan = net.plan.plan();
  std::vector<StepFacts> wiring;
  for (const Dispatch& d : plan[Phase::observe]) {
    if (d.kernel != Kernel::observe_bound) continue;
    BoundParams p;
    std::memcpy(&p, d.param.data(), sizeof p);
    const uint32_t step = static_cast<uint32_t>(wiring.size());
    const std::string prefix = norm_prefix(model.spec, step);
    StepFacts w;
    w.norm_input = net.plan.has(prefix + "_in");
    w.norm_output = net.plan.has(prefix + "_out");
    w.norm_stream = net.plan.has(plan.tensors[net.layout.points[step + 1]].name + ".sum");
    w.bounded = p.has_gain != 0;
    w.keep = p.keep;
    w.step = p.step;
    w.gamma = p.has_gain ? d.operand[0] : no_tensor;
    wiring.push_back(w);
  }
  return wiring;
}

Vector parameter_or(const AnalysisModel& model, const std::string& name, double otherwise) {
  const auto found = model.parameters.find(name);
  return found == model.parameters.end() ? Vector::Constant(model.spec.d_model, otherwise) : found->second;
}

OutputGain output_gain(const AnalysisModel& model, uint32_t step) {
  const std::string norm = norm_prefix(model.spec, step) + "_out";
  OutputGain gain{parameter_or(model, norm + ".weight", 1), parameter_or(model, norm + ".bias", 0)};
  const auto scale = model.parameters.find(branch_scale_name(model.spec, step));
  if (scale == model.parameters.end()) return gain;
  const Vector s = scale->second.size() == 1 ? Vector::Constant(model.spec.d_model, scale->second[0]) : scale->second;
  return {gain.gamma.cwiseProduct(s), gain.beta.cwiseProduct(s)};
}

}  // namespace normscope
