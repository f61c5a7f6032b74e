// Dropout: the mask of a step and a seed is fixed, keeps the expectation and is off in evaluation.
#include "arena.h"
#include "ops/activation.h"
#include "plan/builder.h"
#include "plan/random.h"
#include "reference_random.h"

namespace normscope {
namespace {

struct DropoutPlan {
  Plan plan;
  explicit DropoutPlan(uint32_t n, float rate) {
    Builder b;
    const TensorId x = b.input("x", {n}, true), control = b.add("control", Role::state, {8}),
                   seed = b.input("seed", {2});
    b.seed_grad(dropout(b, "y", x, control, seed, rate));
    b.backward();
    plan = b.finish();
  }
  Arena<float> ones(uint32_t seed, uint32_t step) const {
    Arena<float> arena(plan);
    const std::vector<double> one(plan.tensors[plan.find("x")].n_per_model, 1);
    arena.write("x", one);
    arena.write("y.grad", one);
    arena.write("seed", {static_cast<double>(seed >> 16), static_cast<double>(seed & 0xffff)});
    arena.at("control")[0] = static_cast<float>(step);
    return arena;
  }
};

TEST(Dropout, KeepsWhatTheReferenceMaskKeeps) {
  for (const float rate : {0.1f, 0.5f, 0.999f})
    for (const uint32_t seed : {1u, 0xffffffffu}) {
      const DropoutPlan d(1003, rate);
      Arena<float> arena = d.ones(seed, 9);
      arena.run(Phase::forward);
      const std::vector<bool> kept = reference::dropout_mask(1003, seed, stream_of("y"), 9, rate);
      for (uint32_t i = 0; i < kept.size(); ++i) ASSERT_EQ(arena.at("y")[i] != 0, kept[i]) << i << " at rate " << rate;
    }
}

TEST(Dropout, TheGradientPassesWhereTheValuePassed) {
  const DropoutPlan d(301, 0.4f);
  Arena<float> arena = d.ones(3, 2);
  arena.run(Phase::forward);
  arena.run(Phase::backward);
  EXPECT_EQ(arena.read("x.grad"), arena.read("y"));
}

TEST(Dropout, KeepsTheExpectation) {
  constexpr uint32_t n = 400000;
  for (const float rate : {0.1f, 0.5f, 0.9f}) {
    const DropoutPlan d(n, rate);
    Arena<float> arena = d.ones(5, 0);
    arena.run(Phase::forward);
    double sum = 0;
    for (const double y : arena.read("y")) sum += y;
    EXPECT_NEAR(sum / n, 1, 5 * std::sqrt(rate / (1 - rate) / n)) << rate;  // five standard deviations
  }
}

TEST(Dropout, DrawsANewMaskEveryStepAndSeed) {
  const DropoutPlan d(64, 0.5f);
  const auto mask = [&](uint32_t seed, uint32_t step) {
    Arena<float> arena = d.ones(seed, step);
    arena.run(Phase::forward);
    return arena.read("y");
  };
  EXPECT_EQ(mask(1, 1), mask(1, 1));
  EXPECT_NE(mask(1, 1), mask(1, 2));
  EXPECT_NE(mask(1, 1), mask(2, 1));
  EXPECT_NE(mask(1, 1), mask(1 + 65536, 1)) << "both halves of the seed count";
}

TEST(Dropout, IsOffInEvaluation) {
  const DropoutPlan d(100, 0.9f);
  Arena<float> arena = d.ones(1, 1);
  arena.run(Phase::evaluate);
  EXPECT_EQ(arena.read("y"), std::vector<double>(100, 1));
}

}  // namespace
}  // namespace normscope
