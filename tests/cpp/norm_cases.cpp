#include "op_case.h"
#include "ops/norm.h"
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

OpCase residual_layernorm_case(Size s) {
  constexpr float alpha = 0.75f, dt = 0.375f;
  OpCase c;
  c.name = "residual_layernorm_of_" + size_name({s.n_row, s.d});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("skip", {s.n_row, s.d}, true), b.input("branch", {s.n_row, s.d}, true), b.parameter("gamma", {s.d}),
            b.parameter("beta", {s.d})};
  };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return residual_layernorm(b, name + ".sum", name, in[0], in[1], in[2], in[3], alpha, dt, eps).y;
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

}  // namespace

std::vector<OpCase> norm_cases() {
  std::vector<OpCase> cases;
  for (const Size s : sizes) {
    cases.push_back(layernorm_case(s));
    cases.push_back(rmsnorm_case(s));
    cases.push_back(batchnorm_case(s));
    cases.push_back(residual_layernorm_case(s));
  }
  return cases;
}

}  // namespace normscope
