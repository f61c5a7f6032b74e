// Inputs on which careless kernels fail: large offsets, constant rows, huge values, hidden NaNs.
#include <limits>

#include "arena.h"
#include "model/machine.h"
#include "ops/channel_scale.h"
#include "ops/norm.h"
#include "plan/builder.h"
#include "reference_layers.h"
#include "reference_norms.h"

namespace normscope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// Runs a single op forward, and backward where it has one, and reads one tensor.
std::vector<double> run_op(const std::string& op, const std::string& params, const Tensors& inputs,
                           const std::string& output) {
  Machine m("op:" + op, params, "");
  EXPECT_TRUE(m.status().ok()) << m.status().message;
  float* arena = m.allocate();
  for (const auto& [name, values] : inputs)
    for (size_t i = 0; i < values.size(); ++i) m.tensor(name)[i] = static_cast<float>(values[i]);
  m.run(Phase::forward);
  m.run(Phase::backward);
  const Tensor& t = m.plan().tensors.at(m.plan().find(output));
  return std::vector<double>(arena + t.offset, arena + t.offset + t.n_per_model);
}

std::vector<double> layernorm_of(const std::vector<double>& x) {
  const size_t d = x.size();
  return run_op("layernorm_forward", "rows 1\nd " + std::to_string(d) + "\n",
                {{"x", x}, {"gamma", std::vector<double>(d, 1)}}, "y");
}

TEST(HardInput, LayerNormKeepsItsDigitsUnderAnyCommonOffset) {
  for (const uint32_t d : {5u, 64u, 768u})
    for (const double offset : {0.0, 1e2, 1e4, 1e6, -3e5}) {
      std::vector<double> x = normals(d, 3);
      for (double& value : x) value = static_cast<float>(value + offset);
      const auto expected =
          reference::layernorm(x, std::vector<double>(d, 1), std::vector<double>(d, 0), 1, d, 1e-5f).y;
      expect_near(layernorm_of(x), expected, 2e-6, "y");
    }
}

TEST(HardInput, LayerNormOfAConstantRowIsExactlyBeta) {
  for (const uint32_t d : {1u, 2u, 3u, 11u, 96u, 1000u})
    for (const double value : {0.0, 0.1, 1234.5677, 33333334.0, 1e30, -3e38})
      EXPECT_EQ(layernorm_of(std::vector<double>(d, value)), std::vector<double>(d, 0)) << d << " times " << value;
}

TEST(HardInput, NormsOfHugeValuesDoNotOverflow) {
  for (const double scale : {1e18, 1e25, 1e38}) {
    std::vector<double> x = normals(9, 4);
    for (double& value : x) value = static_cast<float>(value * scale);
    const std::vector<double> one(9, 1), zero(9, 0);
    expect_near(layernorm_of(x), reference::layernorm(x, one, zero, 1, 9, 1e-5f).y, 2e-6, "LayerNorm");
    expect_near(run_op("rmsnorm_forward", "rows 1\nd 9\n", {{"x", x}, {"gamma", one}}, "y"),
                reference::rmsnorm(x, one, 1, 9, 1e-5f).y, 2e-6, "RMSNorm");
    std::vector<double> column(x);
    expect_near(run_op("batchnorm_forward", "rows 9\nd 1\n", {{"x", column}, {"gamma", {1}}}, "y"),
                reference::batchnorm(x, {1}, {0}, 9, 1, 1e-5f).y, 2e-6, "BatchNorm");
  }
}

TEST(HardInput, AConstantRowPassesTheSameGradientAtEverySize) {
  const std::vector<double> one(4, 1), dy{1, 2, 3, 6};
  const double r = 1 / std::sqrt(static_cast<double>(1e-5f));
  for (const double value : {0.0, 7.0, 1e30, 3e38})
    expect_near(run_op("layernorm_backward", "rows 1\nd 4\n",
                       {{"x", std::vector<double>(4, value)}, {"gamma", one}, {"dy", dy}}, "dx"),
                {-2 * r, -r, 0, 3 * r}, 1e-6, "dx");
}

TEST(HardInput, TheSmallestWidthsKeepTheDigitsOfTheirGradient) {
  for (const double x : {0.05, 0.5, -3.0, 0.0}) {
    const double r = 1 / std::sqrt(x * x + 1e-5f);
    expect_near(run_op("rmsnorm_backward", "rows 1\nd 1\n", {{"x", {x}}, {"gamma", {2}}, {"dy", {3}}}, "dx"),
                {6 * r * r * r * 1e-5f}, 1e-6, "RMSNorm");
    const double half = x / 2, s = 1 / std::sqrt(half * half + 1e-6f), dx = (4 + 8) / 2.0 * s * s * s * 1e-6f;
    expect_near(run_op("layernorm_backward", "rows 1\nd 2\neps 1e-6\n",
                       {{"x", {0, x}}, {"gamma", {1, 1}}, {"dy", {4, -8}}}, "dx"),
                {dx, -dx}, 1e-6, "LayerNorm");
  }
}

TEST(HardInput, NormsOfTinyValuesNeedNoEps) {
  for (const double scale : {1e-20, 1e-25, 1e-37}) {
    std::vector<double> x = normals(9, 4);
    for (double& value : x) value = static_cast<float>(value * scale);
    const std::vector<double> one(9, 1), zero(9, 0);
    expect_near(run_op("layernorm_forward", "rows 1\nd 9\neps 0\n", {{"x", x}, {"gamma", one}}, "y"),
                reference::layernorm(x, one, zero, 1, 9, 0).y, 2e-6, "LayerNorm");
    expect_near(run_op("rmsnorm_forward", "rows 1\nd 9\neps 0\n", {{"x", x}, {"gamma", one}}, "y"),
                reference::rmsnorm(x, one, 1, 9, 0).y, 2e-6, "RMSNorm");
  }
}

TEST(HardInput, AConstantRowWithoutEpsIsNanAndWithTheSmallestEpsBeta) {
  for (const char* op : {"layernorm_forward", "batchnorm_forward"}) {
    const std::string params = std::string("rows ") + (op[0] == 'l' ? "1\nd 3\n" : "3\nd 1\n");
    const std::vector<double> gamma(op[0] == 'l' ? 3 : 1, 1);
    for (const double y : run_op(op, params + "eps 0\n", {{"x", {3, 3, 3}}, {"gamma", gamma}}, "y"))
      EXPECT_TRUE(std::isnan(y));
    for (const double y : run_op(op, params + "eps 1e-50\n", {{"x", {3, 3, 3}}, {"gamma", gamma}}, "y"))
      EXPECT_EQ(y, 0);
  }
}

TEST(HardInput, AttentionRefusesAWidthThatIsNone) {
  for (const char* sizes : {"heads 65536\nhead_dim 65536\n", "heads 1048577\nhead_dim 4096\n"}) {
    const Machine m("op:attention_forward", std::string("T 1\nS 1\n") + sizes, "");
    EXPECT_EQ(m.status().code, "too-large");
  }
}

TEST(HardInput, ARowWithANanSpoilsNoOtherRow) {
  const std::vector<double> y =
      run_op("layernorm_forward", "rows 3\nd 2\n", {{"x", {-3, 5, nan, 1, 2, 4}}, {"gamma", {1, 1}}}, "y");
  EXPECT_NEAR(y[0], -1, 1e-6);
  EXPECT_TRUE(std::isnan(y[2]) && std::isnan(y[3]));
  EXPECT_NEAR(y[5], 1, 1e-5);
}

TEST(HardInput, BatchNormOfOneRowIsBetaAndPassesNoGradient) {
  const Tensors in{{"x", {5, -7, 0.5}}, {"gamma", {2, 2, 2}}, {"beta", {1, 2, 3}}, {"dy", {1, 2, 3}}};
  EXPECT_EQ(run_op("batchnorm_backward", "rows 1\nd 3\n", in, "y"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(run_op("batchnorm_backward", "rows 1\nd 3\n", in, "dx"), (std::vector<double>{0, 0, 0}));
}

TEST(HardInput, ANanInOneHeadSpoilsNoOtherHead) {
  Builder b;
  const TensorId x = b.input("x", {2, 4}), gamma = b.parameter("gamma", {2}, 1), beta = b.parameter("beta", {2});
  layernorm(b, "y", x, gamma, beta, 1e-5f, 2);
  const Plan plan = b.finish();
  Arena<float> arena(plan);
  arena.write("x", {-3, 5, nan, 1, 1e30, -1e30, 0, 0});
  arena.run(Phase::forward);
  const std::vector<double> y = arena.read("y");
  EXPECT_NEAR(y[1], 1, 1e-6);
  EXPECT_TRUE(std::isnan(y[2]) && std::isnan(y[3]));
  EXPECT_NEAR(y[4], 1, 1e-6);
  EXPECT_EQ(y[6], 0);
}

TEST(HardInput, ANormRefusesAWidthThatDoesNotDivideTheRow) {
  for (const uint32_t width : {3u, 8u}) {
    Builder b;
    rmsnorm(b, "y", b.input("x", {2, 4}), b.parameter("gamma", {width}), 1e-5f, width);
    EXPECT_EQ(b.status().code, "bad-plan") << width;
  }
}

Tensors dyt_inputs(std::vector<double> x, double alpha, std::vector<double> dy = {}) {
  const size_t d = x.size();
  return {{"x", std::move(x)},
          {"alpha", {alpha}},
          {"gamma", std::vector<double>(d, 2)},
          {"beta", std::vector<double>(d, 1)},
          {"dy", std::move(dy)}};
}

TEST(HardInput, DyTOfHugeValuesSaturatesAndPassesNoGradient) {
  const Tensors in = dyt_inputs({3e38, -3e38, 1e20, -50, 0}, 3, {1, 1, 1, 1, 0});
  const std::string size = "rows 1\nd 5\n";
  EXPECT_EQ(run_op("dyt_backward", size, in, "y"), (std::vector<double>{3, -1, 3, -1, 1}));
  EXPECT_EQ(run_op("dyt_backward", size, in, "dx"), std::vector<double>(5, 0));
  EXPECT_EQ(run_op("dyt_backward", size, in, "dalpha"), std::vector<double>{0});
  EXPECT_EQ(run_op("dyt_backward", size, in, "dgamma"), (std::vector<double>{1, -1, 1, -1, 0}));
}

TEST(HardInput, DyTOfTinyValuesIsLinear) {
  const Tensors in = dyt_inputs({1e-30, -1e-20, 0, 1e-38}, 0.5, {1, 2, 3, 4});
  const std::string size = "rows 1\nd 4\n";
  EXPECT_EQ(run_op("dyt_backward", size, in, "dx"), (std::vector<double>{1, 2, 3, 4}));
  expect_near(run_op("dyt_backward", size, in, "dalpha"), {-4e-20}, 1e-6, "dalpha");
  expect_near(run_op("dyt_backward", size, in, "dgamma"), {5e-31, -1e-20, 0, 2e-38}, 1e-6, "dgamma");
}

TEST(HardInput, DyTKeepsTheDigitsOfItsGradientWhereTanhIsNearOne) {
  for (const double x : {1.0, 4.0, 8.0, -8.0, 20.0, -40.0})
    expect_near(run_op("dyt_backward", "rows 1\nd 1\n", dyt_inputs({x}, 1, {1}), "dx"), {2 / std::pow(std::cosh(x), 2)},
                5e-6, "dx at " + std::to_string(x));
}

TEST(HardInput, DyTKeepsANanWhereItIs) {
  const std::vector<double> y = run_op("dyt_forward", "rows 1\nd 5\n", dyt_inputs({1, nan, 0, 0, nan}, 1), "y");
  EXPECT_EQ((std::vector<bool>{std::isnan(y[0]), std::isnan(y[1]), std::isnan(y[2]), std::isnan(y[4])}),
            (std::vector<bool>{false, true, false, true}));
}

// One value of 2^24 and 4,096 of 1, down a column or along a row: in plain f32 the ones are lost.
TEST(HardInput, SumsOverAllValuesLoseNothing) {
  std::vector<double> dy(4097, 1);
  dy[0] = 16777216;
  const std::vector<double> one(4097, 1), expected{16777216 + 4096};
  for (const char* size : {"rows 4097\nd 1\n", "rows 1\nd 4097\n"}) {
    const size_t d = std::string(size).find("d 1") == std::string::npos ? 4097 : 1;
    const Tensors in{{"x", one}, {"alpha", {0}}, {"gamma", std::vector<double>(d, 1)}, {"dy", dy}, {"s", {1}}};
    EXPECT_EQ(run_op("dyt_backward", size, {{"x", one}, {"gamma", in.at("gamma")}, {"dy", dy}}, "dalpha"), expected);
    EXPECT_EQ(run_op("channel_scale", size + std::string("scales 1\n"), {{"x", one}, {"s", {1}}, {"dy", dy}}, "ds"),
              expected);
  }
}

TEST(HardInput, ABranchScaleOfZeroPassesNothingBackAndStillLearns) {
  const Tensors in{{"x", {1, 2, 3, 4, 5, 6}}, {"s", {0, 0, 0}}, {"dy", {1, 1, 1, 1, 1, 1}}};
  EXPECT_EQ(run_op("channel_scale", "rows 2\nd 3\n", in, "y"), std::vector<double>(6, 0));
  EXPECT_EQ(run_op("channel_scale", "rows 2\nd 3\n", in, "dx"), std::vector<double>(6, 0));
  EXPECT_EQ(run_op("channel_scale", "rows 2\nd 3\n", in, "ds"), (std::vector<double>{5, 7, 9}));
}

TEST(HardInput, ABranchScaleIsOneOrOnePerFeature) {
  Builder b;
  channel_scale(b, "y", b.input("x", {2, 4}), b.parameter("s", {2}));
  EXPECT_EQ(b.status().code, "bad-plan");
  EXPECT_EQ(Machine("op:channel_scale", "rows 2\nd 4\nscales 2\n", "").status().code, "bad-size");
}

TEST(HardInput, ActivationsLieBetweenZeroAndXForEveryFiniteX) {
  std::vector<double> x;
  for (double magnitude = 1e-38; magnitude < 3e38; magnitude *= 1.7)
    for (const double sign : {1, -1}) x.push_back(static_cast<float>(sign * magnitude));
  const std::string n = "n " + std::to_string(x.size()) + "\n";
  for (const char* op : {"relu", "gelu_tanh", "gelu_erf"}) {
    const std::vector<double> y = run_op(op, n, {{"x", x}}, "y");
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_LE(std::fabs(y[i]), std::fabs(x[i])) << op << " of " << x[i];
      EXPECT_GE(y[i] * x[i], 0) << op << " of " << x[i];
      const double far = std::fabs(x[i]) > 20 ? std::fmax(x[i], 0) : y[i];
      EXPECT_EQ(y[i], far) << op << " of " << x[i];
    }
  }
}

TEST(HardInput, ActivationGradientsStayFiniteAtEverySize) {
  const std::vector<double> x{-3e38, -1e20, -1e10, -1000, -50, -13.25, 13.25, 50, 1000, 1e10, 1e20, 3e38};
  for (const char* op : {"gelu_tanh_backward", "gelu_erf_backward", "tanh_backward", "relu_backward"}) {
    const std::vector<double> dx = run_op(op, "n 12\n", {{"x", x}, {"dy", std::vector<double>(12, 1)}}, "dx");
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(dx[i], op[0] != 't' && x[i] > 0 ? 1 : 0, 1e-6) << op << " at " << x[i];
  }
}

TEST(HardInput, GeluKeepsTheDigitsOfItsLeftTail) {
  std::vector<double> x;
  for (double value = -6; value < 6; value += 0.03125) x.push_back(value);
  const std::string n = "n " + std::to_string(x.size()) + "\n";
  for (const auto& [op, f] :
       {std::pair{"gelu_tanh", &reference::gelu_tanh}, std::pair{"gelu_erf", &reference::gelu_erf}}) {
    const std::vector<double> y = run_op(op, n, {{"x", x}}, "y");
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(y[i], f(x[i]), 2e-7 + 1e-6 * std::fabs(f(x[i]))) << op << " of " << x[i];
  }
}

TEST(HardInput, SoftmaxOfHugeLogitsIsFinite) {
  EXPECT_EQ(run_op("softmax", "n 3\n", {{"z", {3e38, 3e38, -3e38}}}, "p"), (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_EQ(run_op("softmax", "n 3\n", {{"z", {-inf, 2, -inf}}}, "p"), (std::vector<double>{0, 1, 0}));
}

TEST(HardInput, ALossIsInfiniteWhereOneClassCannotBe) {
  for (const size_t row : {0, 1}) {
    std::vector<double> logits = {0, 1, 2, 1};
    logits[2 * row] = -inf;
    const Tensors in = {{"logits", logits}, {"labels", {0, 0}}};
    EXPECT_EQ(run_op("cross_entropy_mean", "rows 2\nV 2\n", in, "loss")[0], inf) << "row " << row;
  }
}

TEST(HardInput, CrossEntropyOfHugeAndMaskedLogitsIsRight) {
  const Tensors huge{{"logits", {1e8, 1e8, 1000, 0}}, {"labels", {1, 1}}};
  EXPECT_NEAR(run_op("cross_entropy_mean", "rows 2\nV 2\n", huge, "loss")[0], 500.34657, 1e-4);
  EXPECT_EQ(run_op("cross_entropy_mean", "rows 2\nV 2\n", huge, "dlogits"),
            (std::vector<double>{0.25, -0.25, 0.5, -0.5}));
  const Tensors masked{{"logits", {0, -inf, 2, -inf}}, {"labels", {2}}};
  EXPECT_NEAR(run_op("cross_entropy_mean", "rows 1\nV 4\n", masked, "loss")[0], 0.12692801, 1e-6);
  EXPECT_EQ(run_op("cross_entropy_mean", "rows 1\nV 4\n", masked, "dlogits")[1], 0);
}

TEST(HardInput, CrossEntropyOverNoCountedRowIsZero) {
  const Tensors in{{"logits", {1, 2, 3, 4}}, {"labels", {-100, -100}}};
  EXPECT_EQ(run_op("cross_entropy_mean", "rows 2\nV 2\n", in, "loss")[0], 0);
  EXPECT_EQ(run_op("cross_entropy_mean", "rows 2\nV 2\n", in, "dlogits"), std::vector<double>(4, 0));
}

TEST(HardInput, ZLossOfHugeAndMaskedLogitsIsRight) {
  const std::string size = "rows 1\nV 4\nz_loss 0.0001\n";
  const Tensors huge{{"logits", {1e8, 0, -1e8, 0}}, {"labels", {0}}};
  EXPECT_NEAR(run_op("cross_entropy_mean", size, huge, "loss")[0] / 1e12, 1, 1e-6);
  expect_near(run_op("cross_entropy_mean", size, huge, "dlogits"), {2e4, 0, 0, 0}, 1e-6, "dlogits");
  const Tensors masked{{"logits", {0, -inf, 2, -inf}}, {"labels", {2}}};
  const double log_z = std::log(1 + std::exp(2.0));
  EXPECT_NEAR(run_op("cross_entropy_mean", size, masked, "loss")[0], 0.12692801 + 1e-4 * log_z * log_z, 1e-6);
  EXPECT_EQ(run_op("cross_entropy_mean", size, masked, "dlogits")[3], 0);
}

TEST(HardInput, WithoutZLossHugeLogitsNeverSquare) {
  const Tensors in{{"logits", {3e38, 0}}, {"labels", {0}}};
  EXPECT_EQ(run_op("cross_entropy_mean", "rows 1\nV 2\n", in, "loss")[0], 0);
  EXPECT_EQ(run_op("cross_entropy_mean", "rows 1\nV 2\n", in, "dlogits"), std::vector<double>(2, 0));
}

TEST(HardInput, ZLossIsNoPartOfTheLossInEvaluate) {
  Machine with("op:cross_entropy_mean", "rows 1\nV 2\nz_loss 0.5\n", ""),
      without("op:cross_entropy_mean", "rows 1\nV 2\n", "");
  for (Machine* m : {&with, &without}) {
    m->allocate();
    m->tensor("logits")[0] = 3;
    m->run(Phase::evaluate);
  }
  EXPECT_EQ(with.tensor("loss")[0], without.tensor("loss")[0]);
  with.run(Phase::forward);
  EXPECT_GT(with.tensor("loss")[0], without.tensor("loss")[0]);
}

TEST(HardInput, AttentionNeverLooksAtAMaskedNan) {
  const Tensors in{{"q", {1, 1, 1, 1}}, {"k", {1, 0, nan, 1}}, {"v", {2, 3, nan, nan}}};
  const std::vector<double> o = run_op("attention_forward", "T 2\nS 2\nheads 1\nhead_dim 2\ncausal 1\n", in, "o");
  EXPECT_EQ(o[0], 2);
  EXPECT_EQ(o[1], 3);
  EXPECT_TRUE(std::isnan(o[2]));
}

TEST(HardInput, AttentionNeverLooksAtANanBehindAMask) {
  const Tensors in{{"q", {1, 1, 1, 1}},
                   {"k", {nan, 0, 0, 1}},
                   {"v", {nan, nan, 2, 3}},
                   {"mask", {0, 1, 0, 1}},
                   {"do", {1, 1, 1, 1}}};
  const std::string params = "T 2\nS 2\nheads 1\nhead_dim 2\nhas_mask 1\n";
  EXPECT_EQ(run_op("attention_backward", params, in, "o"), (std::vector<double>{2, 3, 2, 3}));
  EXPECT_EQ(run_op("attention_backward", params, in, "dq"), std::vector<double>(4, 0));
  EXPECT_EQ(run_op("attention_backward", params, in, "dv"), (std::vector<double>{0, 0, 2, 2}));
}

TEST(HardInput, ABlindQueryYieldsZeroAndPassesNoGradient) {
  const Tensors in{
      {"q", {1, 0, 0, 1}}, {"k", {1, 1, 0, 1}}, {"v", {1, 2, 3, 4}}, {"mask", {1, 0, 0, 0}}, {"do", {1, 1, 1, 1}}};
  const std::string params = "T 2\nS 2\nheads 1\nhead_dim 2\nhas_mask 1\n";
  EXPECT_EQ(run_op("attention_backward", params, in, "o"), (std::vector<double>{1, 2, 0, 0}));
  EXPECT_EQ(run_op("attention_backward", params, in, "dq"), std::vector<double>(4, 0));
  EXPECT_EQ(run_op("attention_backward", params, in, "dv"), (std::vector<double>{1, 1, 0, 0}));
}

}  // namespace
}  // namespace normscope
