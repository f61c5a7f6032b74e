#include "model/transformer.h"

#include <algorithm>

#include "model/residual_step.h"
#include "ops/activation.h"
#include "ops/attention.h"
#include "ops/embedding.h"
#include "ops/linear.h"
#include "ops/loss.h"
#include "ops/optimizer.h"

namespace normscope {
namespace {

// Linear layer with its parameters `name`.weight [n_out, n_in] and `name`.bias.
TensorId add_linear(Builder& b, const std::string& name, TensorId x, uint32_t n_in, uint32_t n_out) {
  const TensorId weight = b.parameter(name + ".weight", {n_out, n_in}), bias = b.parameter(name + ".bias", {n_out});
  return linear(b, name, x, weight, bias);
}

Activation activation_kind(const ModelSpec& spec) {
  if (spec.activation == "relu") return Activation::relu;
  if (spec.activation == "gelu_erf") return Activation::gelu_erf;
  return spec.activation == "tanh" ? Activation::tanh : Activation::gelu_tanh;
}

TensorId attention_branch(Builder& b, StepContext& c, const std::string& name, TensorId x) {
  const ModelSpec& spec = c.spec;
  const uint32_t d = spec.d_model;
  TensorId q = add_linear(b, name + ".q_proj", x, d, d), k = add_linear(b, name + ".k_proj", x, d, d),
           v = add_linear(b, name + ".v_proj", x, d, d);
  if (spec.qk_norm != "none") {
    q = add_head_norm(b, c, name + ".q_norm", q);
    k = add_head_norm(b, c, name + ".k_norm", k);
    if (spec.qk_norm == "qkv") v = add_head_norm(b, c, name + ".v_norm", v);
  }
  const AttentionShape shape{spec.n_batch, spec.n_ctx, spec.n_ctx, spec.n_head, d / spec.n_head, spec.causal};
  return add_linear(b, name + ".out_proj", attention(b, name, q, k, v, no_tensor, shape), d, d);
}

TensorId mlp_branch(Builder& b, const ModelSpec& spec, const std::string& name, TensorId x) {
  const TensorId hidden = add_linear(b, name + ".fc1", x, spec.d_model, spec.mlp_width());
  return add_linear(b, name + ".fc2", activation(b, name + ".act", hidden, activation_kind(spec)), spec.mlp_width(),
                    spec.d_model);
}

// Residual step `step` of the model, counted from 0 over all blocks.
TensorId add_step(Builder& b, StepContext& c, uint32_t step, const StepWiring& wiring, TensorId x) {
  const std::string block = "blocks." + std::to_string(step / steps_per_block(c.spec));
  if (c.spec.block == "sublayer")
    return residual_step(b, c, {block + ".ln", block + ".scale", block + ".resid_post"}, wiring, x, [&](TensorId n) {
      return add_linear(b, block + ".sublayer", n, c.spec.d_model, c.spec.d_model);
    });
  if (step % 2 == 0)
    return residual_step(b, c, {block + ".ln_attn", block + ".scale_attn", block + ".resid_mid"}, wiring, x,
                         [&](TensorId n) { return attention_branch(b, c, block + ".attn", n); });
  return residual_step(b, c, {block + ".ln_mlp", block + ".scale_mlp", block + ".resid_post"}, wiring, x,
                       [&](TensorId n) { return mlp_branch(b, c.spec, block + ".mlp", n); });
}

TensorId add_block(Builder& b, StepContext& c, uint32_t layer, TensorId x) {
  const uint32_t n = steps_per_block(c.spec);
  for (uint32_t step = layer * n; step < (layer + 1) * n; ++step)
    x = add_step(b, c, step, step_wiring(c.spec, step), x);
  return x;
}

// The final norm, the head and the loss on `targets`.
TensorId add_head(Builder& b, StepContext& c, TensorId x, TensorId targets, uint32_t n_vocab) {
  if (c.spec.norm_final) x = add_norm(b, c, "ln_final", x).y;
  const TensorId logits = add_linear(b, "head", x, c.spec.d_model, n_vocab);
  b.rename(logits, "logits");
  return cross_entropy(b, "loss", logits, targets, -100, static_cast<float>(c.spec.z_loss));
}

StepContext make_context(Builder& b, const ModelSpec& spec) {
  const TensorId control = b.add("control", Role::state, {8}), seed = b.add("seed", Role::input, {2}),
                 latch = b.add("latch", Role::state, {8}), zeros = b.add("zeros", Role::constant, {spec.d_model});
  StepContext c{spec, control, seed, latch, zeros};
  c.constants[{spec.d_model, 0.0f}] = zeros;
  return c;
}

// All parameters created since the last group form the next one.
void close_group(const Builder& b, ModelLayout& layout, std::string name, TensorId& seen, TensorId n_tensor) {
  for (; seen < n_tensor; ++seen)
    if (b[seen].role == Role::parameter) layout.parameters.push_back(seen);
  const uint32_t begin = layout.group_end.empty() ? 0 : layout.group_end.back();
  if (layout.parameters.size() == begin) return;
  layout.groups.push_back(std::move(name));
  layout.group_end.push_back(static_cast<uint32_t>(layout.parameters.size()));
}

// s ⊙ gain where the branch has a scale.
TensorId scaled_for_bound(Builder& b, const char* what, TensorId gain, TensorId s) {
  if (s == no_tensor) return gain;
  const uint32_t d = b[gain].shape[0];
  const TensorId y = b.add(b[s].name + what, Role::statistic, {d});
  b.emit(Kernel::channel_scale, {gain, s, y}, ChannelScaleParams{1, d, b[s].shape[0], 0}, {1, d});
  return y;
}

void observe(Builder& b, const StepContext& c, const ModelLayout& layout, TensorId loss, const UpdateState& state) {
  b.begin(Phase::observe);
  const TensorId ring = b.add("ring", Role::statistic, {n_ring, layout.row_width});
  const uint32_t n_parameter = static_cast<uint32_t>(layout.parameters.size());
  const Format format = c.spec.number_format();
  const float roundoff = format == Format::fp16 ? 0x1p-11f : format == Format::bf16 ? 0x1p-8f : 0.0f;
  b.emit(Kernel::observe_header, {loss, state.partial, state.hyper, c.control, c.latch, ring},
         HeaderParams{n_parameter, n_ring, layout.row_width}, {1});
  const auto point_slot = [](uint32_t i) { return n_header_slot + n_point_slot * i; };
  for (uint32_t i = 0; i < c.points.size(); ++i) {
    const uint32_t n_row = c.spec.n_batch * c.spec.n_ctx;
    b.emit(Kernel::observe_moments, {c.points[i], c.control, ring},
           MomentParams{n_row, c.spec.d_model, point_slot(i), n_ring, layout.row_width, i == 0},
           {n_row, c.spec.d_model});
    if (i == 0) continue;
    const StepContext::Bound& bound = c.bounds[i - 1];
    const bool has_gain = bound.gamma != no_tensor;
    const TensorId gamma = has_gain ? scaled_for_bound(b, ".gain", bound.gamma, bound.branch_scale) : c.zeros;
    const TensorId beta = has_gain ? scaled_for_bound(b, ".shift", bound.beta, bound.branch_scale) : b.unused();
    b.emit(Kernel::observe_bound, {gamma, beta, c.control, ring},
           BoundParams{c.spec.d_model, point_slot(i - 1), point_slot(i), n_ring, layout.row_width, has_gain, bound.keep,
                       bound.step, roundoff},
           {1});
  }
  const uint32_t first_group = point_slot(static_cast<uint32_t>(c.points.size()));
  for (uint32_t i = 0; i < layout.groups.size(); ++i) {
    const uint32_t begin = i == 0 ? 0 : layout.group_end[i - 1];
    b.emit(Kernel::observe_group_norm, {state.partial, c.control, ring},
           GroupNormParams{begin, layout.group_end[i] - begin, first_group + i, n_ring, layout.row_width}, {1});
  }
}

void update(Builder& b, const StepContext& c, const ModelLayout& layout, const UpdateState& state) {
  const ModelSpec& spec = c.spec;
  const DecayRule decay{spec.decay1d, spec.decay_gamma ? c.gains : std::vector<TensorId>{}};
  if (spec.optimizer == "sgd")
    sgd(b, layout.parameters, state, {spec.momentum, decay});
  else
    adamw(b, layout.parameters, state, {spec.beta1, spec.beta2, spec.adam_eps, decay});
}

}  // namespace

ModelLayout build_transformer(Builder& b, const ModelSpec& spec, uint32_t n_vocab) {
  ModelLayout layout;
  StepContext c = make_context(b, spec);
  TensorId seen = 0;
  const auto close = [&](std::string name) { close_group(b, layout, std::move(name), seen, b.n_tensor()); };

  const TensorId tokens = b.input("tokens", {spec.n_batch, spec.n_ctx}),
                 targets = b.input("targets", {spec.n_batch, spec.n_ctx});
  const TensorId token_table = b.parameter("token_embedding.weight", {n_vocab, spec.d_model});
  const TensorId position_table = b.parameter("position_embedding.weight", {spec.n_ctx, spec.d_model});
  TensorId x = embedding(b, "embedding", tokens, token_table, position_table);
  if (spec.norm_embedding) x = add_norm(b, c, "ln_embedding", x).y;
  b.rename(x, "resid_embedding");
  round_in_place(b, x, c.control, c.latch, spec.number_format(), 0);
  c.points.push_back(x);
  close("embedding");

  for (uint32_t layer = 0; layer < spec.n_layer; ++layer) {
    x = add_block(b, c, layer, x);
    close("blocks." + std::to_string(layer));
  }
  const TensorId loss = add_head(b, c, x, targets, n_vocab);
  close("head");
  b.backward();

  layout.points = c.points;
  layout.row_width = n_header_slot + n_point_slot * static_cast<uint32_t>(c.points.size()) +
                     static_cast<uint32_t>(layout.groups.size());
  const UpdateState state{b.add("hyper", Role::input, {8}), c.control,
                          b.add("partial", Role::statistic, {static_cast<uint32_t>(layout.parameters.size()), 2})};
  if (!b.status().ok()) return layout;
  grad_square_sums(b, layout.parameters, state.partial);
  observe(b, c, layout, loss, state);
  update(b, c, layout, state);
  return layout;
}

ModelLayout build_blocks(Builder& b, const ModelSpec& spec) {
  ModelLayout layout;
  StepContext c = make_context(b, spec);
  TensorId seen = 0, x = b.input("x", {spec.n_batch, spec.n_ctx, spec.d_model}, true);
  c.points.push_back(x);
  for (uint32_t layer = 0; layer < spec.n_layer; ++layer) {
    x = add_block(b, c, layer, x);
    close_group(b, layout, "blocks." + std::to_string(layer), seen, b.n_tensor());
  }
  b.rename(x, "y");
  b.seed_grad(x);
  b.backward();
  layout.points = c.points;
  return layout;
}

void build_step(Builder& b, const ModelSpec& spec, uint32_t step, bool branch_only) {
  StepContext c = make_context(b, spec);
  StepWiring wiring = step_wiring(spec, step);
  if (branch_only) wiring.skip = 0, wiring.norms.stream = false;
  c.points.push_back(b.input("x", {spec.n_batch, spec.n_ctx, spec.d_model}, true));
  const TensorId y = add_step(b, c, step, wiring, c.points.back());
  b.rename(y, "y");
  b.seed_grad(y);
  b.backward();
}

void build_head(Builder& b, const ModelSpec& spec, uint32_t n_vocab) {
  StepContext c = make_context(b, spec);
  const TensorId x = b.input("x", {spec.n_batch, spec.n_ctx, spec.d_model}, true);
  add_head(b, c, x, b.input("targets", {spec.n_batch, spec.n_ctx}), n_vocab);
  b.backward();
}

}  // namespace normscope
