#include <array>

#include "op_case.h"
#include "ops/norm.h"
#include "ops/residual.h"
#include "reference_layers.h"
#include "reference_norms.h"

namespace normscope {
namespace {

struct Size {
  uint32_t n_row, d;
};
constexpr Size sizes[] = {{1, 1}, {3, 2}, {2, 3}, {5, 5}, {4, 7}, {1, 8}, {6, 33}, {2, 64}, {3, 65}, {2, 130}};

// Large enough that rows of one or two features keep gradients to speak of.
constexpr float eps = 0.125f;

OpCase layernorm_case(Size s) {
  OpCase c;
  c.name = "layernorm_of_" + size_name({s.n_row, s.d});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("x", {s.n_row, s.d}, true), b.parameter("gamma", {s.d}), b.parameter("beta", {s.d})};
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return layernorm(b, name, in[0], in[1], in[2], eps);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    return {{"", reference::layernorm(in.at("x"), in.at("gamma"), in.at("beta"), s.n_row, s.d, eps).y}};
  };
  c.gradients = [=](const Tensors& in, const std::vector<double>& dy) -> Tensors {
    const auto g = reference::layernorm_backward(in.at("x"), in.at("gamma"), dy, s.n_row, s.d, eps);
    return {{"x", g.dx}, {"gamma", g.dgamma}, {"beta", g.dbeta}};
  };
  return c;
}

OpCase rmsnorm_case(Size s) {
  OpCase c;
  c.name = "rmsnorm_of_" + size_name({s.n_row, s.d});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("x", {s.n_row, s.d}, true), b.parameter("gamma", {s.d})};
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return rmsnorm(b, name, in[0], in[1], eps);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    return {{"", reference::rmsnorm(in.at("x"), in.at("gamma"), s.n_row, s.d, eps).y}};
  };
  c.gradients = [=](const Tensors& in, const std::vector<double>& dy) -> Tensors {
    const auto g = reference::rmsnorm_backward(in.at("x"), in.at("gamma"), dy, s.n_row, s.d, eps);
    return {{"x", g.dx}, {"gamma", g.dgamma}};
  };
  return c;
}

OpCase batchnorm_case(Size s) {
  OpCase c = layernorm_case(s);
  c.name = "batchnorm_of_" + size_name({s.n_row, s.d});
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return batchnorm(b, name, in[0], in[1], in[2], eps);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    return {{"", reference::batchnorm(in.at("x"), in.at("gamma"), in.at("beta"), s.n_row, s.d, eps).y}};
  };
  c.gradients = [=](const Tensors& in, const std::vector<double>& dy) -> Tensors {
    const auto g = reference::batchnorm_backward(in.at("x"), in.at("gamma"), dy, s.n_row, s.d, eps);
    return {{"x", g.dx}, {"gamma", g.dgamma}, {"beta", g.dbeta}};
  };
  return c;
}

// The gradients are those of the batch's statistics; the running ones are for `evaluate`.
OpCase batchnorm_running_case(Size s) {
  OpCase c = batchnorm_case(s);
  c.name = "batchnorm_with_running_statistics_of_" + size_name({s.n_row, s.d});
  c.inputs = [inputs = c.inputs](Builder& b) {
    std::vector<TensorId> in = inputs(b);
    in.push_back(b.add("control", Role::state, {8}));
    return in;
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return batchnorm(b, name, in[0], in[1], in[2], eps, 0.1f, in[3]);
  };
  return c;
}

OpCase dyt_case(Size s) {
  OpCase c;
  c.name = "dyt_of_" + size_name({s.n_row, s.d});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("x", {s.n_row, s.d}, true), b.parameter("alpha", {1}), b.parameter("gamma", {s.d}),
            b.parameter("beta", {s.d})};
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return dyt(b, name, in[0], in[1], in[2], in[3]);
  };
  c.reference = [](const Tensors& in) -> Tensors {
    return {{"", reference::dyt(in.at("x"), in.at("alpha")[0], in.at("gamma"), in.at("beta"))}};
  };
  c.gradients = [](const Tensors& in, const std::vector<double>& dy) -> Tensors {
    const auto g = reference::dyt_backward(in.at("x"), in.at("alpha")[0], in.at("gamma"), dy);
    return {{"x", g.dx}, {"alpha", g.dalpha}, {"gamma", g.dgamma}, {"beta", g.dbeta}};
  };
  return c;
}

// x: [n_row, n_group d], gamma: [d], as for the heads of queries and keys: n_row n_group rows of d.
OpCase grouped(OpCase c, uint32_t n_row, uint32_t n_group, uint32_t d, bool centred) {
  c.name = (centred ? "layernorm_per_group_of_" : "rmsnorm_per_group_of_") + size_name({n_row, n_group, d});
  c.inputs = [=](Builder& b) {
    std::vector<TensorId> in{b.input("x", {n_row, n_group * d}, true), b.parameter("gamma", {d})};
    if (centred) in.push_back(b.parameter("beta", {d}));
    return in;
  };
  c.apply = [=](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return centred ? layernorm(b, name, in[0], in[1], in[2], eps, d) : rmsnorm(b, name, in[0], in[1], eps, d);
  };
  return c;
}

OpCase residual_layernorm_case(Size s) {
  constexpr float alpha = 0.75f, dt = 0.375f;
  OpCase c;
  c.name = "residual_layernorm_of_" + size_name({s.n_row, s.d});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("skip", {s.n_row, s.d}, true), b.input("branch", {s.n_row, s.d}, true), b.parameter("gamma", {s.d}),
            b.parameter("beta", {s.d})};
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return layernorm(b, name, residual_add(b, name + ".sum", in[0], in[1], alpha, dt), in[2], in[3], eps);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    const auto sum = reference::residual(in.at("skip"), in.at("branch"), alpha, dt);
    return {{".sum", sum}, {"", reference::layernorm(sum, in.at("gamma"), in.at("beta"), s.n_row, s.d, eps).y}};
  };
  c.gradients = [=](const Tensors& in, const std::vector<double>& dy) -> Tensors {
    const auto sum = reference::residual(in.at("skip"), in.at("branch"), alpha, dt);
    const auto g = reference::layernorm_backward(sum, in.at("gamma"), dy, s.n_row, s.d, eps);
    const reference::Values zero(sum.size());
    return {{"skip", reference::residual(g.dx, zero, alpha, 0)},
            {"branch", reference::residual(g.dx, zero, dt, 0)},
            {"gamma", g.dgamma},
            {"beta", g.dbeta}};
  };
  return c;
}

OpCase residual_rmsnorm_case(Size s) {
  constexpr float alpha = 0.75f, dt = 0.375f;
  OpCase c;
  c.name = "residual_rmsnorm_of_" + size_name({s.n_row, s.d});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("skip", {s.n_row, s.d}, true), b.input("branch", {s.n_row, s.d}, true),
            b.parameter("gamma", {s.d})};
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return rmsnorm(b, name, residual_add(b, name + ".sum", in[0], in[1], alpha, dt), in[2], eps);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    const auto sum = reference::residual(in.at("skip"), in.at("branch"), alpha, dt);
    return {{".sum", sum}, {"", reference::rmsnorm(sum, in.at("gamma"), s.n_row, s.d, eps).y}};
  };
  c.gradients = [=](const Tensors& in, const std::vector<double>& dy) -> Tensors {
    const auto sum = reference::residual(in.at("skip"), in.at("branch"), alpha, dt);
    const auto g = reference::rmsnorm_backward(sum, in.at("gamma"), dy, s.n_row, s.d, eps);
    const reference::Values zero(sum.size());
    return {{"skip", reference::residual(g.dx, zero, alpha, 0)},
            {"branch", reference::residual(g.dx, zero, dt, 0)},
            {"gamma", g.dgamma}};
  };
  return c;
}

}  // namespace

std::vector<OpCase> norm_cases() {
  std::vector<OpCase> cases;
  for (const Size s : sizes) {
    cases.push_back(layernorm_case(s));
    cases.push_back(rmsnorm_case(s));
    cases.push_back(batchnorm_case(s));
    cases.push_back(residual_layernorm_case(s));
    cases.push_back(residual_rmsnorm_case(s));
    cases.push_back(dyt_case(s));
  }
  for (const Size s : {Size{0, 3}, Size{17, 6}}) {
    cases.push_back(dyt_case(s));
    cases.push_back(batchnorm_running_case(s));
  }
  for (const auto& [n_row, n_group, d] : {std::array{1u, 1u, 1u}, std::array{2u, 3u, 2u}, std::array{5u, 2u, 7u},
                                          std::array{3u, 4u, 33u}, std::array{2u, 2u, 8u}, std::array{0u, 2u, 3u}}) {
    cases.push_back(grouped(layernorm_case({n_row * n_group, d}), n_row, n_group, d, true));
    cases.push_back(grouped(rmsnorm_case({n_row * n_group, d}), n_row, n_group, d, false));
  }
  return cases;
}

}  // namespace normscope
