#include "model/op_plan.h"

#include <cmath>
#include <limits>

#include "model/text_lines.h"
#include "ops/activation.h"
#include "ops/attention.h"
#include "ops/channel_scale.h"
#include "ops/embedding.h"
#include "ops/linear.h"
#include "ops/loss.h"
#include "ops/norm.h"
#include "ops/optimizer.h"
#include "ops/residual.h"

namespace normscope {
namespace {

// The op's parameters; a missing or bad one is the builder's status.
struct OpParams {
  Builder& b;
  std::vector<std::pair<std::string, std::string>> lines;

  double real(const std::string& key, double fallback) const {
    for (const auto& [name, text] : lines) {
      double value = 0;
      if (name != key) continue;
      if (read_number(text, value)) return value;
      b.fail("bad-spec", key + " must be a number, not '" + text + "'");
    }
    return fallback;
  }
  uint32_t count(const std::string& key, double fallback) const {
    const double value = real(key, fallback);
    if (value >= 0 && value <= 4294967295.0 && value == std::floor(value)) return static_cast<uint32_t>(value);
    b.fail("bad-size", key + " must be a whole number from 0 to 4294967295, not " + number_text(value));
    return 0;
  }
  uint32_t required(const std::string& key) const {
    for (const auto& line : lines)
      if (line.first == key) return count(key, 0);
    b.fail("bad-size", "the op needs the size " + key);
    return 0;
  }
  int32_t whole(const std::string& key, double fallback) const {
    const double value = real(key, fallback);
    if (value >= -2147483648.0 && value <= 2147483647.0 && value == std::floor(value))
      return static_cast<int32_t>(value);
    b.fail("bad-size", key + " must be a whole number, not " + number_text(value));
    return 0;
  }
  float eps() const {
    const double value = real("eps", 1e-5);
    if (!(value >= 0 && value <= 1e38))
      b.fail("bad-spec", "eps must be a number of at least 0, not " + number_text(value));
    return stabiliser(value);
  }
  bool flag(const std::string& key) const { return real(key, 0) != 0; }
};

// Makes `name` the gradient that the caller writes, and runs the tape.
void run_backward(Builder& b, TensorId y, const char* seed_name) {
  b.rename(b.seed_grad(y), seed_name);
  b.backward();
}

void rename_grad(Builder& b, TensorId x, const char* name) {
  if (b.has_grad(x)) b.rename(b.grad(x), name);
}

enum class NormKind { layernorm, rmsnorm, batchnorm };

TensorId one_norm(Builder& b, NormKind kind, TensorId x, TensorId gamma, TensorId beta, float eps) {
  if (kind == NormKind::rmsnorm) return rmsnorm(b, "y", x, gamma, eps);
  if (kind == NormKind::batchnorm) return batchnorm(b, "y", x, gamma, beta, eps);
  return layernorm(b, "y", x, gamma, beta, eps);
}

template <NormKind kind, bool with_backward>
void norm_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n_row = p.required("rows"), d = p.required("d");
  const TensorId x = b.input("x", {n_row, d}, with_backward), gamma = b.input("gamma", {d}, with_backward);
  const TensorId beta = kind == NormKind::rmsnorm ? no_tensor : b.input("beta", {d}, with_backward);
  const TensorId y = one_norm(b, kind, x, gamma, beta, p.eps());
  for (TensorId id = 0; id < b.n_tensor(); ++id)
    if (b[id].name == "y.stats") b.rename(id, "stats");
  if (!with_backward) return;
  run_backward(b, y, "dy");
  rename_grad(b, x, "dx");
  rename_grad(b, gamma, "dgamma");
  if (beta != no_tensor) rename_grad(b, beta, "dbeta");
}

// BatchNorm with its running statistics: `update` tracks them where control[3] (finite) is 1, `evaluate` uses them.
void batchnorm_running_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n_row = p.required("rows"), d = p.required("d");
  const double momentum = p.real("momentum", 0.1);
  if (!(momentum >= 0 && momentum <= 1))
    b.fail("bad-spec", "momentum must be a number from 0 to 1, not " + number_text(momentum));
  const TensorId x = b.input("x", {n_row, d}, true), gamma = b.input("gamma", {d}, true),
                 beta = b.input("beta", {d}, true), control = b.add("control", Role::state, {8});
  const TensorId y = batchnorm(b, "y", x, gamma, beta, p.eps(), static_cast<float>(momentum), control);
  run_backward(b, y, "dy");
  b.update();
  for (TensorId id = 0; id < b.n_tensor(); ++id) {
    if (b[id].name == "y.running_mean") b.rename(id, "running_mean");
    if (b[id].name == "y.running_var") b.rename(id, "running_var");
  }
  rename_grad(b, x, "dx");
  rename_grad(b, gamma, "dgamma");
  rename_grad(b, beta, "dbeta");
}

template <bool with_backward>
void dyt_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n_row = p.required("rows"), d = p.required("d");
  const TensorId x = b.input("x", {n_row, d}, with_backward), alpha = b.input("alpha", {1}, with_backward),
                 gamma = b.input("gamma", {d}, with_backward), beta = b.input("beta", {d}, with_backward);
  const TensorId y = dyt(b, "y", x, alpha, gamma, beta);
  if (!with_backward) return;
  run_backward(b, y, "dy");
  rename_grad(b, x, "dx");
  rename_grad(b, alpha, "dalpha");
  rename_grad(b, gamma, "dgamma");
  rename_grad(b, beta, "dbeta");
}

void channel_scale_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n_row = p.required("rows"), d = p.required("d"), n_scale = p.count("scales", d);
  if (n_scale != 1 && n_scale != d)
    b.fail("bad-size", "scales must be 1 or d, which is " + std::to_string(d) + ", not " + std::to_string(n_scale));
  const TensorId x = b.input("x", {n_row, d}, true), s = b.input("s", {n_scale}, true);
  run_backward(b, channel_scale(b, "y", x, s), "dy");
  rename_grad(b, x, "dx");
  rename_grad(b, s, "ds");
}

void residual_add_op(const OpParams& p) {
  const uint32_t n = p.required("n");
  const TensorId skip = p.b.input("skip", {n}, true), branch = p.b.input("branch", {n}, true);
  const TensorId y =
      residual_add(p.b, "y", skip, branch, static_cast<float>(p.real("alpha", 1)), static_cast<float>(p.real("dt", 1)));
  run_backward(p.b, y, "dy");
  rename_grad(p.b, skip, "dskip");
  rename_grad(p.b, branch, "dbranch");
}

// sum = alpha residual + dt x and its norm, which the plan joins into one kernel.
template <NormKind kind>
void add_norm_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n_row = p.count("rows", 1), d = p.required("d");
  const TensorId x = b.input("x", {n_row, d}, true), residual = b.input("residual", {n_row, d}, true);
  const TensorId gamma = b.input("gamma", {d}, true),
                 beta = kind == NormKind::rmsnorm ? no_tensor : b.input("beta", {d}, true);
  const TensorId sum =
      residual_add(b, "sum", residual, x, static_cast<float>(p.real("alpha", 1)), static_cast<float>(p.real("dt", 1)));
  run_backward(b, one_norm(b, kind, sum, gamma, beta, p.eps()), "dy");
  rename_grad(b, x, "dx");
  rename_grad(b, residual, "dresidual");
  rename_grad(b, gamma, "dgamma");
  if (beta != no_tensor) rename_grad(b, beta, "dbeta");
}

template <bool with_backward>
void linear_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n_row = p.required("rows"), n_in = p.required("n_in"), n_out = p.required("n_out");
  const TensorId x = b.input("x", {n_row, n_in}, with_backward),
                 weight = b.input("weight", {n_out, n_in}, with_backward),
                 bias = b.input("bias", {n_out}, with_backward);
  const TensorId y = linear(b, "y", x, weight, bias);
  if (!with_backward) return;
  run_backward(b, y, "dy");
  rename_grad(b, x, "dx");
  rename_grad(b, weight, "dweight");
  rename_grad(b, bias, "dbias");
}

template <Activation kind, bool with_backward>
void activation_op(const OpParams& p) {
  const TensorId x = p.b.input("x", {p.required("n")}, with_backward);
  const TensorId y = activation(p.b, "y", x, kind);
  if (!with_backward) return;
  run_backward(p.b, y, "dy");
  rename_grad(p.b, x, "dx");
}

void softmax_op(const OpParams& p) { softmax(p.b, "p", p.b.input("z", {p.count("rows", 1), p.required("n")})); }

void softmax_backward_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n_row = p.count("rows", 1), n = p.required("n");
  const TensorId probs = b.input("p", {n_row, n}), dp = b.input("dp", {n_row, n}),
                 dz = b.add("dz", Role::activation, {n_row, n});
  b.emit(Kernel::softmax_backward, {probs, dp, dz}, SoftmaxParams{n_row, n, 0}, {n_row, n});
}

template <bool with_backward>
void attention_op(const OpParams& p) {
  Builder& b = p.b;
  const AttentionShape s{p.count("batch", 1),
                         p.required("T"),
                         p.required("S"),
                         p.count("heads", 1),
                         p.required("head_dim"),
                         p.flag("causal"),
                         p.whole("query_offset", 0),
                         static_cast<float>(p.real("scale", std::numeric_limits<double>::quiet_NaN()))};
  if (s.n_head == 0 || s.d_head == 0) b.fail("bad-size", "heads and head_dim must be at least 1");
  if (uint64_t{s.n_head} * s.d_head > 4294967295u)
    return b.fail("too-large",
                  "heads " + std::to_string(s.n_head) + " times head_dim " + std::to_string(s.d_head) + " is no width");
  const uint32_t d = s.n_head * s.d_head;
  const TensorId q = b.input("q", {s.n_batch, s.n_query, d}, with_backward),
                 k = b.input("k", {s.n_batch, s.n_key, d}, with_backward),
                 v = b.input("v", {s.n_batch, s.n_key, d}, with_backward);
  const TensorId mask = p.flag("has_mask") ? b.input("mask", {s.n_query, s.n_key}) : no_tensor;
  const TensorId o = attention(b, "o", q, k, v, mask, s);
  if (!with_backward) return;
  run_backward(b, o, "do");
  rename_grad(b, q, "dq");
  rename_grad(b, k, "dk");
  rename_grad(b, v, "dv");
}

void cross_entropy_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n_row = p.required("rows"), n_class = p.required("V");
  if (n_class == 0) b.fail("bad-size", "V must be at least 1");
  const double z_loss = p.real("z_loss", 0);
  if (!(z_loss >= 0 && z_loss <= 1e6))
    b.fail("bad-spec", "z_loss must be a number from 0 to 1e6, not " + number_text(z_loss));
  const TensorId logits = b.input("logits", {n_row, n_class}, true), labels = b.input("labels", {n_row});
  cross_entropy(b, "loss", logits, labels, static_cast<float>(p.real("ignore_index", -100)),
                static_cast<float>(z_loss));
  b.backward();
  rename_grad(b, logits, "dlogits");
}

// Optimizer ops work on one tensor `p` with the gradient `g`.
UpdateState update_of_p(Builder& b, TensorId param) {
  b.rename(b.seed_grad(param), "g");
  const UpdateState state{b.input("hyper", {8}), b.add("control", Role::state, {8}),
                          b.add("partial", Role::statistic, {1, 2})};
  grad_square_sums(b, {param}, state.partial);
  return state;
}

void adamw_op(const OpParams& p) {
  Builder& b = p.b;
  const TensorId param = b.parameter("p", {p.required("n")});
  adamw(b, {param}, update_of_p(b, param),
        {p.real("beta1", 0.9), p.real("beta2", 0.999), p.real("eps", 1e-8), {p.flag("decay"), {}}});
  for (TensorId id = 0; id < b.n_tensor(); ++id) {
    if (b[id].name == "p.adam_m") b.rename(id, "m");
    if (b[id].name == "p.adam_v") b.rename(id, "v");
  }
}

void sgd_op(const OpParams& p) {
  Builder& b = p.b;
  const double momentum = p.real("momentum", 0.9);
  if (!(momentum >= 0 && momentum < 1))
    b.fail("bad-spec", "momentum must be at least 0 and below 1, not " + number_text(momentum));
  const TensorId param = b.parameter("p", {p.required("n")});
  sgd(b, {param}, update_of_p(b, param), {momentum, {p.flag("decay"), {}}});
  for (TensorId id = 0; id < b.n_tensor(); ++id)
    if (b[id].name == "p.sgd_v") b.rename(id, "v");
}

void embedding_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t d = p.required("d"), n_ctx = p.required("ctx");
  const TensorId tokens = b.input("tokens", {p.count("batch", 1), n_ctx}),
                 table = b.input("token_table", {p.required("vocab"), d}, true),
                 positions = b.input("position_table", {n_ctx, d}, true);
  const TensorId y = embedding(b, "y", tokens, table, positions);
  run_backward(b, y, "dy");
  rename_grad(b, table, "dtoken_table");
  rename_grad(b, positions, "dposition_table");
}

void dropout_op(const OpParams& p) {
  Builder& b = p.b;
  const double rate = p.real("rate", 0.1);
  if (!(rate >= 0 && static_cast<float>(rate) < 1))
    b.fail("bad-spec", "rate must be at least 0 and below 1, not " + number_text(rate));
  const TensorId x = b.input("x", {p.required("n")}, true), seed = b.input("seed", {2}),
                 control = b.add("control", Role::state, {8});
  const TensorId y = dropout(b, "y", x, control, seed, static_cast<float>(rate));
  run_backward(b, y, "dy");
  rename_grad(b, x, "dx");
}

void round_format_op(const OpParams& p) {
  Builder& b = p.b;
  const uint32_t n = p.required("n"), d = p.count("d", n);
  if (d == 0 || n % d != 0)
    return b.fail("bad-size", "d " + std::to_string(d) + " does not divide n " + std::to_string(n));
  const uint32_t format = p.required("format");
  if (format > 2)
    return b.fail("bad-spec", "format must be 0 (fp32), 1 (fp16) or 2 (bf16), not " + std::to_string(format));
  const TensorId x = b.input("x", {n / d, d}), control = b.add("control", Role::state, {8}),
                 latch = b.add("latch", Role::state, {8});
  round_in_place(b, x, control, latch, static_cast<Format>(format), 0);
}

struct OpEntry {
  std::string_view name;
  void (*build)(const OpParams&);
};

constexpr OpEntry ops[] = {
    {"layernorm_forward", norm_op<NormKind::layernorm, false>},
    {"layernorm_backward", norm_op<NormKind::layernorm, true>},
    {"rmsnorm_forward", norm_op<NormKind::rmsnorm, false>},
    {"rmsnorm_backward", norm_op<NormKind::rmsnorm, true>},
    {"batchnorm_forward", norm_op<NormKind::batchnorm, false>},
    {"batchnorm_backward", norm_op<NormKind::batchnorm, true>},
    {"batchnorm_running", batchnorm_running_op},
    {"dyt_forward", dyt_op<false>},
    {"dyt_backward", dyt_op<true>},
    {"channel_scale", channel_scale_op},
    {"residual_add", residual_add_op},
    {"add_layernorm_forward", add_norm_op<NormKind::layernorm>},
    {"add_rmsnorm_forward", add_norm_op<NormKind::rmsnorm>},
    {"linear_forward", linear_op<false>},
    {"linear_backward", linear_op<true>},
    {"relu", activation_op<Activation::relu, false>},
    {"relu_backward", activation_op<Activation::relu, true>},
    {"gelu_tanh", activation_op<Activation::gelu_tanh, false>},
    {"gelu_tanh_backward", activation_op<Activation::gelu_tanh, true>},
    {"gelu_erf", activation_op<Activation::gelu_erf, false>},
    {"gelu_erf_backward", activation_op<Activation::gelu_erf, true>},
    {"tanh", activation_op<Activation::tanh, false>},
    {"tanh_backward", activation_op<Activation::tanh, true>},
    {"softmax", softmax_op},
    {"softmax_backward", softmax_backward_op},
    {"attention_forward", attention_op<false>},
    {"attention_backward", attention_op<true>},
    {"cross_entropy_mean", cross_entropy_op},
    {"adamw", adamw_op},
    {"sgd", sgd_op},
    {"embedding", embedding_op},
    {"dropout", dropout_op},
    {"round_format", round_format_op},
};

}  // namespace

void build_op(Builder& b, std::string_view op, std::string_view params) {
  std::string known;
  for (const OpEntry& entry : ops) {
    if (entry.name == op) return entry.build({b, key_value_lines(params)});
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  b.fail("unknown-op", "there is no op '" + std::string(op) + "'; known ops: " + known);
}

}  // namespace normscope
