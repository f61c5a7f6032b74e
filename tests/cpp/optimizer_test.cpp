// AdamW, SGD, clipping, the rule of decay, the rule for non-finite gradients and the learning-rate schedule.
#include <limits>

#include "arena.h"
#include "model/machine.h"
#include "ops/optimizer.h"
#include "plan/builder.h"
#include "reference_optimizer.h"

namespace normscope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// One parameter tensor with its optimizer, as every model has it.
struct Optimizer {
  Plan plan;
  std::vector<Arena<float>> memory;

  Optimizer(Shape shape, const AdamWOptions& options, double lr, double decay = 0, double max_grad_norm = 0)
      : Optimizer(std::move(shape), lr, decay, max_grad_norm,
                  [&](Builder& b, TensorId p, const UpdateState& state) { adamw(b, {p}, state, options); }) {}
  Optimizer(Shape shape, const SgdOptions& options, double lr, double decay = 0, double max_grad_norm = 0)
      : Optimizer(std::move(shape), lr, decay, max_grad_norm,
                  [&](Builder& b, TensorId p, const UpdateState& state) { sgd(b, {p}, state, options); }) {}
  template <class F>
  Optimizer(Shape shape, double lr, double decay, double max_grad_norm, F append) {
    Builder b;
    const TensorId p = b.parameter("p", std::move(shape));
    b.seed_grad(p);
    const UpdateState state{b.input("hyper", {8}), b.add("control", Role::state, {8}),
                            b.add("partial", Role::statistic, {1, 2})};
    grad_square_sums(b, {p}, state.partial);
    append(b, p, state);
    plan = b.finish();
    memory.emplace_back(plan);
    arena().write("hyper", {lr, decay, max_grad_norm});
  }
  Arena<float>& arena() { return memory[0]; }
  void update(const std::vector<double>& gradient) {
    arena().write("p.grad", gradient);
    arena().run(Phase::backward);
    arena().run(Phase::update);
  }
};

const AdamWOptions torch_defaults{0.9, 0.999, 1e-8, {}};

TEST(AdamW, EqualsItsPaperOver200StepsWithDecay) {
  Optimizer o({1, 7}, {0.9, 0.95, 1e-8, {}}, 0.01, 0.1);
  const std::vector<double> start = normals(7, 1);
  o.arena().write("p", start);
  std::vector<reference::AdamW> expected(7, {0.01L, 0.9L, 0.95L, 1e-8L, 0.1L});
  std::vector<long double> p(start.begin(), start.end());
  for (uint32_t step = 0; step < 200; ++step) {
    const std::vector<double> g = normals(7, 100 + step);
    o.update(g);
    for (size_t i = 0; i < 7; ++i) p[i] = expected[i].update(p[i], g[i]);
  }
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(o.arena().at("p")[i], static_cast<double>(p[i]), 1e-5);
  EXPECT_EQ(o.arena().at("control")[0], 200);
}

TEST(AdamW, MovesByTheRateWhileTheGradientIsConstant) {
  Optimizer o({1, 1}, torch_defaults, 0.1);
  o.arena().write("p", {1});
  for (int step = 1; step <= 5; ++step) {
    o.update({3});
    EXPECT_NEAR(o.arena().at("p")[0], 1 - 0.1 * step, 2e-6);
  }
}

TEST(AdamW, StepsNoFurtherThanItsRateWithoutEpsHoweverSmallTheGradient) {
  for (const double gradient : {1e-15, 1e-19, 1e-21, 1e-25, 1e-38}) {
    Optimizer o({1, 1}, {0.9, 0.999, 0, {}}, 0.1);
    o.arena().write("p", {1});
    o.update({gradient});
    EXPECT_NEAR(o.arena().at("p")[0], 0.95, 0.0501) << gradient;
  }
}

TEST(AdamW, DecaysByRateTimesDecayAlsoWithoutGradient) {
  Optimizer o({1, 1}, torch_defaults, 0.125, 0.1);
  o.arena().write("p", {1});
  for (int step = 0; step < 10; ++step) o.update({0});
  EXPECT_NEAR(o.arena().at("p")[0], std::pow(1 - 0.0125, 10), 1e-6);
}

TEST(AdamW, DecayIsNotPartOfTheGradient) {
  Optimizer o({1, 1}, torch_defaults, 0.125, 0.5);
  o.arena().write("p", {2});
  for (const double g : {0.5, -1.5, 0.25}) o.update({g});
  EXPECT_NEAR(o.arena().at("p")[0], 1.6306861, 4e-6);
}

TEST(AdamW, LeavesOneDimensionalParametersUndecayedUnlessAsked) {
  Optimizer vector({4}, torch_defaults, 0.125, 0.1), asked({4}, {0.9, 0.999, 1e-8, {true, {}}}, 0.125, 0.1);
  for (Optimizer* o : {&vector, &asked}) {
    o->arena().write("p", {1, 1, 1, 1});
    o->update({0, 0, 0, 0});
  }
  EXPECT_EQ(vector.arena().read("p"), std::vector<double>(4, 1));
  expect_near(asked.arena().read("p"), std::vector<double>(4, 1 - 0.0125), 1e-6, "decayed vector");
}

TEST(AdamW, CorrectsTheBiasBeforeEpsIsAdded) {
  const double eps = 7.4505806e-9;
  Optimizer o({1, 1}, {0.9, 0.999, eps, {}}, 1);
  o.update({eps});
  EXPECT_NEAR(o.arena().at("p")[0], -0.5, 1e-5);
}

TEST(AdamW, AZeroGradientMovesNothing) {
  Optimizer o({1, 1}, torch_defaults, 0.01);
  o.arena().write("p", {1.5});
  for (int step = 0; step < 3; ++step) o.update({0});
  EXPECT_EQ(o.arena().at("p")[0], 1.5f);
}

TEST(AdamW, ForgetsAtOnceWhenTheBetasAreZero) {
  Optimizer o({1, 1}, {0, 0, 1e-8, {}}, 0.1);
  o.arena().write("p", {1});
  o.update({1000});
  EXPECT_NEAR(o.arena().at("p")[0], 0.9, 1e-6);
  o.update({1e-3});
  EXPECT_NEAR(o.arena().at("p")[0], 0.8, 1e-5);
  EXPECT_NEAR(o.arena().at("p.adam_v")[0], 1e-6, 1e-12);
}

TEST(AdamW, FiniteGradientsOfAnySizeGiveFiniteSteps) {
  Optimizer o({1, 3}, torch_defaults, 0.1);
  o.update({3e19, 1, 1e-30});
  o.update({1, 3e38, 0});
  o.update({1, 1, 1});                                              // an infinite moment would become NaN only here
  for (int step = 0; step < 3; ++step) o.update({3e38, -3e38, 1});  // two of these are more than the largest number
  o.update({1, 1, 1});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isfinite(o.arena().at("p")[i])) << i;
}

TEST(AdamW, AZeroGradientMovesNothingWithoutEpsEither) {
  for (const double eps : {0.0, 1e-50}) {
    Optimizer o({1, 1}, {0.9, 0.999, eps, {}}, 0.01);
    o.arena().write("p", {1.5});
    o.update({0});
    EXPECT_EQ(o.arena().at("p")[0], 1.5f);
  }
}

TEST(AdamW, GoesOnFromALateStep) {
  Optimizer o({1, 1}, torch_defaults, 0.25);
  o.arena().write("p", {0.5});
  o.arena().write("p.adam_m", {0.5});
  o.arena().write("p.adam_v", {0.25});
  o.arena().at("control")[0] = 99999;
  o.update({1});
  EXPECT_NEAR(o.arena().at("p")[0], 0.22541158, 1e-6);
  EXPECT_EQ(o.arena().at("control")[0], 100000);
}

const SgdOptions heavy_ball{0.9, {}}, plain_descent{0, {}};

TEST(Sgd, EqualsItsFormulaOver200StepsWithDecay) {
  Optimizer o({1, 7}, heavy_ball, 0.01, 0.1);
  const std::vector<double> start = normals(7, 1);
  o.arena().write("p", start);
  std::vector<reference::Sgd> expected(7, {0.01L, 0.9L, 0.1L});
  std::vector<long double> p(start.begin(), start.end());
  for (uint32_t step = 0; step < 200; ++step) {
    const std::vector<double> g = normals(7, 100 + step);
    o.update(g);
    for (size_t i = 0; i < 7; ++i) p[i] = expected[i].update(p[i], g[i]);
  }
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(o.arena().at("p")[i], static_cast<double>(p[i]), 1e-5);
  EXPECT_EQ(o.arena().at("control")[0], 200);
}

TEST(Sgd, WithoutMomentumStepsDownTheGradientAndRemembersNothing) {
  Optimizer o({1, 2}, plain_descent, 0.5);
  o.arena().write("p", {1, -1});
  o.update({0.25, 4});
  EXPECT_EQ(o.arena().read("p"), (std::vector<double>{0.875, -3}));
  o.update({0, 0});
  EXPECT_EQ(o.arena().read("p"), (std::vector<double>{0.875, -3}));
}

TEST(Sgd, GathersSpeedWhileTheGradientIsConstant) {
  Optimizer o({1, 1}, SgdOptions{0.5, {}}, 1);
  for (const double v : {1.0, 1.5, 1.75, 1.875}) {
    o.update({1});
    EXPECT_EQ(o.arena().at("p.sgd_v")[0], v);
  }
  EXPECT_EQ(o.arena().at("p")[0], -(1 + 1.5 + 1.75 + 1.875));
}

TEST(Sgd, DecaysByRateTimesDecayAndKeepsDecayOutOfItsVelocity) {
  Optimizer o({1, 1}, heavy_ball, 0.125, 0.1);
  o.arena().write("p", {1});
  for (int step = 0; step < 10; ++step) o.update({0});
  EXPECT_NEAR(o.arena().at("p")[0], std::pow(1 - 0.0125, 10), 1e-6);
  EXPECT_EQ(o.arena().at("p.sgd_v")[0], 0);
}

TEST(Sgd, TakesTheClippedGradient) {
  Optimizer o({1, 2}, heavy_ball, 0.5, 0, 1);
  o.update({3e19, 4e19});
  expect_near(o.arena().read("p.sgd_v"), {0.6, 0.8}, 1e-6, "velocity");
  expect_near(o.arena().read("p"), {-0.3, -0.4}, 1e-6, "p");
}

TEST(Sgd, FiniteGradientsOfAnySizeGiveAFiniteVelocity) {
  Optimizer o({1, 5}, heavy_ball, 0.01);
  for (int step = 0; step < 20; ++step) o.update({3e38, -3e38, 1, 1e-30, 0});
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(std::isfinite(o.arena().at("p.sgd_v")[i])) << i;
    EXPECT_TRUE(std::isfinite(o.arena().at("p")[i])) << i;
  }
  for (int step = 0; step < 3; ++step) o.update({-3e38, 3e38, 0, 0, 0});
  EXPECT_LT(o.arena().at("p.sgd_v")[0], 0) << "it must still turn round";
  EXPECT_GT(o.arena().at("p.sgd_v")[1], 0);
}

// A matrix, a gain and a shift, all 1 and without a gradient: what moves is what decays.
std::vector<double> after_decay(bool with_adamw, bool decay_1d, bool decay_gain) {
  Builder b;
  const std::vector<TensorId> parameters{b.parameter("matrix", {2, 3}, 1), b.parameter("gain", {3}, 1),
                                         b.parameter("shift", {3}, 1)};
  for (const TensorId p : parameters) b.seed_grad(p);
  const UpdateState state{b.input("hyper", {8}), b.add("control", Role::state, {8}),
                          b.add("partial", Role::statistic, {3, 2})};
  DecayRule rule{decay_1d, {}};
  if (decay_gain) rule.also = {parameters[1]};
  grad_square_sums(b, parameters, state.partial);
  if (with_adamw)
    adamw(b, parameters, state, {0.9, 0.95, 1e-8, rule});
  else
    sgd(b, parameters, state, {0.9, rule});
  const Plan plan = b.finish();
  Arena<float> arena(plan);
  arena.write("hyper", {0.5, 0.5});
  arena.run(Phase::backward);
  arena.run(Phase::update);
  return {arena.at("matrix")[5], arena.at("gain")[2], arena.at("shift")[2]};
}

TEST(Decay, ShrinksMatricesAndOfTheVectorsThoseItIsAskedFor) {
  for (const bool with_adamw : {true, false}) {
    EXPECT_EQ(after_decay(with_adamw, false, false), (std::vector<double>{0.75, 1, 1}));
    EXPECT_EQ(after_decay(with_adamw, false, true), (std::vector<double>{0.75, 0.75, 1}));
    EXPECT_EQ(after_decay(with_adamw, true, false), (std::vector<double>{0.75, 0.75, 0.75}));
  }
}

TEST(Clipping, ScalesALargeGradientToTheLimit) {
  Optimizer o({1, 2}, torch_defaults, 0, 0, 1);
  o.update({3e19, 4e19});
  EXPECT_NEAR(o.arena().at("control")[1] / 5e19, 1, 1e-6);
  EXPECT_NEAR(o.arena().at("control")[2] * 5e19, 1, 1e-6);
  expect_near(o.arena().read("p.adam_m"), {0.06, 0.08}, 1e-5, "first moment of the clipped gradient");
}

TEST(Clipping, LeavesASmallGradientAlone) {
  Optimizer o({1, 2}, torch_defaults, 0, 0, 1);
  o.update({0.375, -0.5});
  EXPECT_EQ(o.arena().at("control")[1], 0.625);
  EXPECT_EQ(o.arena().at("control")[2], 1);
}

TEST(Clipping, IsOffAtZero) {
  Optimizer o({1, 2}, torch_defaults, 0);
  o.update({300, 400});
  EXPECT_EQ(o.arena().at("control")[1], 500);
  EXPECT_EQ(o.arena().at("control")[2], 1);
}

TEST(Clipping, MeasuresTheNormOfAnyMagnitude) {
  for (const double scale : {1e-38, 1e-30, 1e-10, 1.0, 1e10, 1e30, 1e37}) {
    Optimizer o({1, 5}, torch_defaults, 0);
    std::vector<double> g = normals(5, 8);
    for (double& value : g) value = static_cast<float>(value * scale);
    o.update(g);
    EXPECT_NEAR(o.arena().at("control")[1] / static_cast<double>(reference::norm(g)), 1, 1e-6) << scale;
    EXPECT_EQ(o.arena().at("control")[3], 1) << scale;
  }
}

TEST(Clipping, MeasuresTheLargestFloat) {
  Optimizer o({1, 2}, torch_defaults, 0);
  o.update({3e38, 0});
  EXPECT_NEAR(o.arena().at("control")[1] / 3e38, 1, 1e-6);
  EXPECT_EQ(o.arena().at("control")[3], 1);
}

TEST(Clipping, ScalesFiniteGradientsWhoseNormIsBeyondTheLargestFloat) {
  Optimizer o({1, 2}, torch_defaults, 0.1, 0, 1);
  o.update({2.5e38, 2.5e38});
  EXPECT_EQ(o.arena().at("control")[3], 1) << "finite gradients are no reason to skip a step";
  EXPECT_NEAR(o.arena().at("control")[2] * 2.5e38, std::sqrt(0.5), 1e-6);
}

TEST(NonFiniteGradient, LeavesParametersMomentsAndStepUntouched) {
  for (const double bad : {nan, inf, -inf}) {
    Optimizer o({1, 3}, torch_defaults, 0.1, 0.1, 1);
    o.arena().write("p", {1, 2, 3});
    o.update({0.5, 0.5, 0.5});
    const Tensors before{
        {"p", o.arena().read("p")}, {"p.adam_m", o.arena().read("p.adam_m")}, {"p.adam_v", o.arena().read("p.adam_v")}};
    for (int i = 1; i <= 2; ++i) {
      o.update({1, bad, 2});
      for (const auto& [name, values] : before) EXPECT_EQ(o.arena().read(name), values) << name;
      EXPECT_EQ(o.arena().at("control")[0], 1);
      EXPECT_EQ(o.arena().at("control")[3], 0);
      EXPECT_EQ(o.arena().at("control")[6], i);
    }
    o.update({1, 1, 1});
    EXPECT_EQ(o.arena().at("control")[0], 2) << "a finite gradient goes on";
    EXPECT_NE(o.arena().read("p"), before.at("p"));
  }
}

TEST(Schedule, WarmsUpLinearlyAndDecaysByACosine) {
  const double expected[][2] = {{0, 0.1},      {1, 0.2},         {3, 0.4},     {4, 0.5},     {5, 0.49579678},
                                {12, 0.28125}, {19, 0.06670322}, {20, 0.0625}, {21, 0.0625}, {1000, 0.0625}};
  for (const auto& [step, rate] : expected)
    EXPECT_NEAR(scheduled_rate(static_cast<uint32_t>(step), 0.5, 0.0625, 4, 20), rate, 1e-7) << step;
  const double without_warmup[][2] = {{0, 1}, {4, 0.5625}, {8, 0.125}, {9, 0.125}};
  for (const auto& [step, rate] : without_warmup)
    EXPECT_NEAR(scheduled_rate(static_cast<uint32_t>(step), 1, 0.125, 0, 8), rate, 1e-7) << step;
}

TEST(NonFiniteGradient, LeavesTheVelocityUntouched) {
  for (const double bad : {nan, inf, -inf}) {
    Optimizer o({1, 3}, heavy_ball, 0.1, 0.1, 1);
    o.arena().write("p", {1, 2, 3});
    o.update({0.5, 0.5, 0.5});
    const Tensors before{{"p", o.arena().read("p")}, {"p.sgd_v", o.arena().read("p.sgd_v")}};
    o.update({1, bad, 2});
    for (const auto& [name, values] : before) EXPECT_EQ(o.arena().read(name), values) << name;
    EXPECT_EQ(o.arena().at("control")[0], 1);
    o.update({1, 1, 1});
    EXPECT_NE(o.arena().read("p.sgd_v"), before.at("p.sgd_v"));
  }
}

TEST(Schedule, ClimbsToItsPeakOnceThenFallsToItsEndAndStaysThere) {
  for (const uint32_t n_warmup : {0u, 1u, 7u, 30u})
    for (const uint32_t n_total : {31u, 100u}) {
      double before = 0;
      for (uint32_t step = 0; step < n_total + 10; ++step) {
        const double rate = scheduled_rate(step, 0.5, 0.05, n_warmup, n_total);
        EXPECT_TRUE(step <= n_warmup ? rate > before
                    : step < n_total ? rate < before
                                     : rate == 0.05)
            << "step " << step << " of " << n_total << ", warm-up " << n_warmup;
        EXPECT_TRUE(step != n_warmup || rate == 0.5) << n_warmup;
        before = rate;
      }
    }
}

TEST(Schedule, EndsInTimeAlsoWhenTheWarmupDoesNot) {
  EXPECT_EQ(scheduled_rate(5, 0.5, 0.05, 10, 5), 0.05);
  EXPECT_EQ(scheduled_rate(10, 0.5, 0.05, 10, 10), 0.05);
  EXPECT_LT(scheduled_rate(9, 0.5, 0.05, 10, 10), 0.5);
}

TEST(Schedule, IsConstantAfterWarmupWithoutAnEnd) {
  EXPECT_EQ(scheduled_rate(0, 0.2, 0, 0, 0), 0.2);
  EXPECT_EQ(scheduled_rate(123456, 0.2, 0, 10, 0), 0.2);
  EXPECT_GT(scheduled_rate(0, 0.2, 0, 10, 0), 0);
  EXPECT_LT(scheduled_rate(9, 0.2, 0, 10, 0), 0.2);
  EXPECT_EQ(scheduled_rate(10, 0.2, 0, 10, 0), 0.2);
}

}  // namespace
}  // namespace normscope
