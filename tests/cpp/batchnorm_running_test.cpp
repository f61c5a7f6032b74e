// BatchNorm's running statistics: updates track them, `evaluate` normalizes with them.
#include <limits>

#include "arena.h"
#include "ops/norm.h"
#include "ops/optimizer.h"
#include "plan/builder.h"
#include "reference_norms.h"

namespace normscope {
namespace {

constexpr float eps = 1e-5f, momentum = 0.1f;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The op in training, with the optimizer that writes its control.
Plan training_plan(uint32_t n_row, uint32_t d, uint32_t n_model = 1, float m = momentum) {
  Builder b({}, n_model);
  const TensorId x = b.input("x", {n_row, d}), gamma = b.parameter("gamma", {d}, 1), beta = b.parameter("beta", {d}),
                 control = b.add("control", Role::state, {8});
  const TensorId y = batchnorm(b, "y", x, gamma, beta, eps, m, control);
  b.seed_grad(y);
  b.backward();
  const UpdateState state{b.input("hyper", {8}), control, b.add("partial", Role::statistic, {2, 2})};
  grad_square_sums(b, {gamma, beta}, state.partial);
  adamw(b, {gamma, beta}, state, {});
  EXPECT_TRUE(b.status().ok()) << b.status().message;
  return b.finish();
}

template <class T>
void train(Arena<T>& arena, const std::vector<double>& x, uint32_t model = 0) {
  arena.write("x", x, model);
  for (const Phase phase : {Phase::forward, Phase::backward, Phase::update}) arena.run(phase);
}

std::vector<double> batch(size_t n_row, size_t d, uint32_t seed) {
  std::vector<double> x = normals(n_row * d, seed);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(x[i] * (1 + i % d) + 3 * (i % d));
  return x;
}

std::vector<reference::RunningFeature> tracked(size_t n_row, size_t d, uint32_t n_step, double m = momentum) {
  std::vector<reference::RunningFeature> features(d, {m});
  for (uint32_t step = 0; step < n_step; ++step) {
    const std::vector<double> x = batch(n_row, d, step);
    for (size_t j = 0; j < d; ++j) {
      reference::Values column;
      for (size_t row = 0; row < n_row; ++row) column.push_back(x[row * d + j]);
      features[j].track(column);
    }
  }
  return features;
}

template <class T>
void expect_tracked(uint32_t n_row, uint32_t d, uint32_t n_step, double tolerance) {
  const Plan plan = training_plan(n_row, d);
  Arena<T> arena(plan);
  for (uint32_t step = 0; step < n_step; ++step) train(arena, batch(n_row, d, step));
  std::vector<double> mean, variance;
  for (const auto& feature : tracked(n_row, d, n_step))
    mean.push_back(feature.mean), variance.push_back(feature.variance);
  expect_near(arena.read("y.running_mean"), mean, tolerance, "mean", largest(mean) + 1);
  expect_near(arena.read("y.running_var"), variance, tolerance, "variance", largest(variance));
}

TEST(RunningStatistics, FollowTheMeanAndTheUnbiasedVarianceOfEveryBatch) {
  for (const uint32_t n_row : {2u, 3u, 33u})
    for (const uint32_t d : {1u, 4u, 7u}) {
      expect_tracked<double>(n_row, d, 25, 1e-12);
      expect_tracked<float>(n_row, d, 25, 2e-6);
    }
}

TEST(RunningStatistics, AreThoseOfTheLastBatchAtMomentumOneAndStayAtMomentumZero) {
  const Plan follows = training_plan(5, 3, 1, 1), stays = training_plan(5, 3, 1, 0);
  Arena<double> last(follows), first(stays);
  train(last, batch(5, 3, 0)), train(last, batch(5, 3, 1));
  train(first, batch(5, 3, 0));
  double mean, variance;
  reference::mean_and_variance(&batch(5, 3, 1)[1], 5, 3, mean, variance);
  EXPECT_NEAR(last.at("y.running_mean")[1], mean, 1e-12);
  EXPECT_NEAR(last.at("y.running_var")[1], variance * 5 / 4, 1e-12);
  EXPECT_EQ(first.read("y.running_mean"), std::vector<double>(3, 0));
  EXPECT_EQ(first.read("y.running_var"), std::vector<double>(3, 1));
}

TEST(RunningStatistics, NormalizeInEvaluateWhateverTheBatch) {
  const uint32_t n_row = 6, d = 5;
  const Plan plan = training_plan(n_row, d);
  Arena<double> arena(plan);
  const std::vector<double> gamma = normals(d, 7), beta = normals(d, 8);
  for (uint32_t step = 0; step < 10; ++step) train(arena, batch(n_row, d, step));
  arena.write("gamma", gamma), arena.write("beta", beta);
  std::vector<double> x = batch(n_row, d, 99), expected(x.size());
  for (size_t j = 0; j < d; ++j) x[j] = 50;  // the other rows must not feel it
  const auto features = tracked(n_row, d, 10);
  for (size_t i = 0; i < x.size(); ++i)
    expected[i] = gamma[i % d] * features[i % d].normalized(x[i], eps) + beta[i % d];
  arena.write("x", x);
  arena.run(Phase::evaluate);
  expect_near(arena.read("y"), expected, 1e-11, "y");
}

TEST(RunningStatistics, LeaveTheForwardPassToTheBatch) {
  Builder b;
  const TensorId x = b.input("x", {7, 3}), gamma = b.parameter("gamma", {3}, 1), beta = b.parameter("beta", {3});
  batchnorm(b, "plain", x, gamma, beta, eps);
  batchnorm(b, "tracked", x, gamma, beta, eps, momentum, b.add("control", Role::state, {8}));
  const Plan plan = b.finish();
  Arena<float> arena(plan);
  arena.write("x", batch(7, 3, 1));
  arena.run(Phase::forward);
  EXPECT_EQ(arena.read("tracked"), arena.read("plain"));
  arena.run(Phase::evaluate);
  EXPECT_NE(arena.read("tracked"), arena.read("plain")) << "one without running statistics keeps the batch's";
}

TEST(RunningStatistics, StartAtMeanZeroAndVarianceOne) {
  const Plan plan = training_plan(2, 2);
  Arena<double> arena(plan);
  arena.write("x", {1, 2, 3, -4});
  arena.run(Phase::evaluate);
  const double r = 1 / std::sqrt(1 + static_cast<double>(eps));
  expect_near(arena.read("y"), {r, 2 * r, 3 * r, -4 * r}, 1e-14, "y");
}

TEST(RunningStatistics, SkipAStepWhoseGradientIsNotFinite) {
  const Plan plan = training_plan(4, 3);
  Arena<float> arena(plan);
  train(arena, batch(4, 3, 0));
  const std::vector<double> mean = arena.read("y.running_mean"), variance = arena.read("y.running_var");
  EXPECT_NE(mean, std::vector<double>(3, 0)) << "the very first step must count";
  arena.write("y.grad", std::vector<double>(12, nan));
  train(arena, batch(4, 3, 1));
  EXPECT_EQ(arena.read("y.running_mean"), mean);
  EXPECT_EQ(arena.read("y.running_var"), variance);
  arena.write("y.grad", std::vector<double>(12, 1));
  train(arena, batch(4, 3, 1));
  EXPECT_NE(arena.read("y.running_mean"), mean);
}

TEST(RunningStatistics, OfOneRowFollowTheMeanAndKeepTheVariance) {
  const Plan plan = training_plan(1, 3);
  Arena<float> arena(plan);
  train(arena, {10, -20, 0.5});
  expect_near(arena.read("y.running_mean"), {1, -2, 0.05}, 1e-6, "mean");
  EXPECT_EQ(arena.read("y.running_var"), std::vector<double>(3, 1));
}

TEST(RunningStatistics, OfNoRowStay) {
  const Plan plan = training_plan(0, 3);
  Arena<float> arena(plan);
  train(arena, {});
  EXPECT_EQ(arena.read("y.running_mean"), std::vector<double>(3, 0));
  EXPECT_EQ(arena.read("y.running_var"), std::vector<double>(3, 1));
}

TEST(RunningStatistics, KeepTheirDigitsUnderALargeOffset) {
  const Plan plan = training_plan(8, 1, 1, 1);
  Arena<float> arena(plan);
  std::vector<double> x = normals(8, 5);
  for (double& value : x) value = static_cast<float>(value + 1e5);
  train(arena, x);
  double mean, variance;
  reference::mean_and_variance(x.data(), 8, 1, mean, variance);
  EXPECT_NEAR(arena.at("y.running_mean")[0] / mean, 1, 1e-7);
  EXPECT_NEAR(arena.at("y.running_var")[0] / (variance * 8 / 7), 1, 2e-6);
}

TEST(RunningStatistics, OfConstantHugeAndTinyFeaturesStayFinite) {
  const Plan plan = training_plan(4, 4);
  Arena<float> arena(plan);
  std::vector<double> x;
  for (const double sign : {1, -1, 1, -1}) x.insert(x.end(), {5, 1e30 * sign, 1e-30 * sign, 3e38});
  for (int step = 0; step < 300; ++step) train(arena, x);
  for (int j = 0; j < 4; ++j) {
    EXPECT_TRUE(std::isfinite(arena.at("y.running_mean")[j])) << j;
    EXPECT_TRUE(std::isfinite(arena.at("y.running_var")[j])) << j;
    EXPECT_GE(arena.at("y.running_var")[j], 0) << j;
  }
  arena.run(Phase::evaluate);
  for (const double y : arena.read("y")) EXPECT_TRUE(std::isfinite(y));
  EXPECT_NEAR(arena.at("y")[0], 0, 1e-2) << "a constant feature is its own mean";
}

TEST(RunningStatistics, OfTwoModelsAreTheirOwn) {
  const Plan pair = training_plan(5, 3, 2), single = training_plan(5, 3);
  Arena<float> both(pair), alone[2] = {Arena<float>(single), Arena<float>(single)};
  for (uint32_t step = 0; step < 3; ++step) {
    both.write("x", batch(5, 3, step), 0);
    train(both, batch(5, 3, 50 + step), 1);
    for (const uint32_t model : {0u, 1u}) train(alone[model], batch(5, 3, 50 * model + step));
  }
  for (const char* name : {"y.running_mean", "y.running_var"})
    for (const uint32_t model : {0u, 1u}) EXPECT_EQ(both.read(name, model), alone[model].read(name)) << name;
}

TEST(RunningStatistics, AreStateUnderTheNameTheyAreGiven) {
  Builder b;
  const TensorId x = b.input("x", {2, 3}), gamma = b.parameter("gamma", {3}, 1), beta = b.parameter("beta", {3});
  batchnorm(b, "y", x, gamma, beta, eps, momentum, b.add("control", Role::state, {8}), "ln_final");
  const Plan plan = b.finish();
  for (const char* name : {"ln_final.running_mean", "ln_final.running_var"}) {
    ASSERT_NE(plan.find(name), no_tensor) << name;
    EXPECT_EQ(plan.tensors[plan.find(name)].role, Role::state) << name;
  }
}

}  // namespace
}  // namespace normscope
