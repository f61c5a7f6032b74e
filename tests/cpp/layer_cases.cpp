#include "op_case.h"
#include "ops/activation.h"
#include "ops/channel_scale.h"
#include "ops/embedding.h"
#include "ops/linear.h"
#include "ops/residual.h"
#include "plan/random.h"
#include "reference_layers.h"
#include "reference_random.h"

namespace normscope {
namespace {

OpCase linear_case(uint32_t n_row, uint32_t n_in, uint32_t n_out, bool with_bias) {
  OpCase c;
  c.name = std::string("linear_") + (with_bias ? "" : "without_bias_") + "of_" + size_name({n_row, n_in, n_out});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    std::vector<TensorId> in{b.input("x", {n_row, n_in}, true), b.parameter("weight", {n_out, n_in})};
    if (with_bias) in.push_back(b.parameter("bias", {n_out}));
    return in;
  };
  c.apply = [=](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return linear(b, name, in[0], in[1], with_bias ? in[2] : no_tensor);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    return {{"", reference::linear(in.at("x"), in.at("weight"), with_bias ? in.at("bias") : reference::Values{}, n_in,
                                   n_out)}};
  };
  return c;
}

OpCase activation_case(const char* name, Activation kind, double (*f)(double), uint32_t n) {
  OpCase c;
  c.name = std::string(name) + "_of_" + std::to_string(n);
  c.inputs = [=](Builder& b) -> std::vector<TensorId> { return {b.input("x", {n}, true)}; };
  c.apply = [=](Builder& b, const std::string& y, const std::vector<TensorId>& in) {
    return activation(b, y, in[0], kind);
  };
  c.reference = [=](const Tensors& in) -> Tensors { return {{"", reference::map(in.at("x"), f)}}; };
  if (kind == Activation::relu) c.step = 1e-6;
  return c;
}

OpCase residual_case(uint32_t n, float alpha, float dt) {
  OpCase c;
  c.name = "residual_add_of_" + std::to_string(n) + (alpha == 1 && dt == 1 ? "" : "_with_alpha_and_dt");
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("skip", {n}, true), b.input("branch", {n}, true)};
  };
  c.apply = [=](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return residual_add(b, name, in[0], in[1], alpha, dt);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    return {{"", reference::residual(in.at("skip"), in.at("branch"), alpha, dt)}};
  };
  return c;
}

OpCase scaled_case(uint32_t n, float scale) {
  OpCase c;
  c.name = "scaled_of_" + std::to_string(n);
  c.inputs = [=](Builder& b) -> std::vector<TensorId> { return {b.input("x", {n}, true)}; };
  c.apply = [=](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return scaled(b, name, in[0], scale);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    return {{"", reference::map(in.at("x"), [=](double x) { return scale * x; })}};
  };
  return c;
}

OpCase channel_scale_case(uint32_t n_row, uint32_t d, uint32_t n_scale) {
  OpCase c;
  c.name = "channel_scale_of_" + size_name({n_row, d, n_scale});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("x", {n_row, d}, true), b.parameter("s", {n_scale})};
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return channel_scale(b, name, in[0], in[1]);
  };
  c.reference = [](const Tensors& in) -> Tensors { return {{"", reference::channel_scale(in.at("x"), in.at("s"))}}; };
  c.gradients = [](const Tensors& in, const std::vector<double>& dy) -> Tensors {
    const auto g = reference::channel_scale_backward(in.at("x"), in.at("s"), dy);
    return {{"x", g.dx}, {"s", g.ds}};
  };
  return c;
}

OpCase embedding_case(uint32_t n_batch, uint32_t n_ctx, uint32_t d, uint32_t n_vocab) {
  OpCase c;
  c.name = "embedding_of_" + size_name({n_batch, n_ctx, d, n_vocab});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("tokens", {n_batch, n_ctx}), b.parameter("token_table", {n_vocab, d}),
            b.parameter("position_table", {n_ctx, d})};
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return embedding(b, name, in[0], in[1], in[2]);
  };
  c.prepare = [=](Tensors& in) {
    for (size_t i = 0; i < in.at("tokens").size(); ++i) in.at("tokens")[i] = static_cast<double>((i * i + 1) % n_vocab);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    return {{"", reference::embedding(in.at("tokens"), in.at("token_table"), in.at("position_table"), n_ctx, d)}};
  };
  return c;
}

OpCase dropout_case(uint32_t n, float rate) {
  constexpr uint32_t seed = 0x12345678u, step = 5;
  OpCase c;
  c.name =
      "dropout_of_" + std::to_string(n) + "_at_rate_" + std::to_string(static_cast<int>(rate * 1000)) + "_per_mille";
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("x", {n}, true), b.add("control", Role::state, {8}), b.input("seed", {2})};
  };
  c.apply = [=](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return dropout(b, name, in[0], in[1], in[2], rate);
  };
  c.prepare = [](Tensors& in) {
    in.at("control").assign(8, 0);
    in.at("control")[0] = step;
    in.at("seed") = {seed >> 16, seed & 0xffff};
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    const std::vector<bool> kept = reference::dropout_mask(n, seed, stream_of("y"), step, rate);
    reference::Values y(n);
    for (uint32_t i = 0; i < n; ++i) y[i] = kept[i] ? in.at("x")[i] / (1 - static_cast<double>(rate)) : 0;
    return {{"", y}};
  };
  return c;
}

}  // namespace

std::vector<OpCase> layer_cases() {
  std::vector<OpCase> cases{linear_case(1, 1, 1, true),     linear_case(2, 3, 5, true),  linear_case(5, 7, 2, false),
                            linear_case(9, 33, 17, true),   linear_case(4, 8, 65, true), linear_case(8, 64, 16, false),
                            linear_case(3, 130, 31, true),  embedding_case(1, 1, 1, 1),  embedding_case(2, 3, 5, 4),
                            embedding_case(3, 7, 33, 11),   residual_case(1, 1, 1),      residual_case(65, 1, 1),
                            residual_case(131, 0.7f, 0.3f), scaled_case(7, 0.3f),        dropout_case(1, 0.5f),
                            dropout_case(133, 0.1f),        dropout_case(64, 0),         dropout_case(66, 0.9f)};
  for (const auto& [n_row, d] : {std::pair{1u, 1u}, {3u, 2u}, {5u, 7u}, {2u, 64u}, {4u, 33u}, {0u, 3u}}) {
    cases.push_back(channel_scale_case(n_row, d, 1));
    if (d > 1) cases.push_back(channel_scale_case(n_row, d, d));
  }
  for (const uint32_t n : {1u, 2u, 3u, 5u, 33u, 260u}) {
    cases.push_back(activation_case("relu", Activation::relu, reference::relu, n));
    cases.push_back(activation_case("gelu_tanh", Activation::gelu_tanh, reference::gelu_tanh, n));
    cases.push_back(activation_case("gelu_erf", Activation::gelu_erf, reference::gelu_erf, n));
    cases.push_back(activation_case("tanh", Activation::tanh, std::tanh, n));
  }
  return cases;
}

}  // namespace normscope
