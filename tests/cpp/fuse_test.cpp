// A residual addition and the norm of its sum become one pass, only where they are neighbours, and with the same bits.
#include "plan/fuse.h"

#include <algorithm>
#include <cstring>

#include "arena.h"
#include "model/transformer.h"
#include "ops/norm.h"
#include "ops/residual.h"
#include "plan/random.h"

namespace normscope {
namespace {

size_t count(const Plan& plan, Phase phase, Kernel kernel) {
  return static_cast<size_t>(std::count_if(plan[phase].begin(), plan[phase].end(),
                                           [&](const Dispatch& dispatch) { return dispatch.kernel == kernel; }));
}

struct Fused {
  std::string fields;
  Kernel kernel;
  size_t n_fused, n_add;  // in three blocks, so of six residual additions

  friend void PrintTo(const Fused& f, std::ostream* out) { *out << f.fields; }
};

class FusedModel : public testing::TestWithParam<Fused> {};

TEST_P(FusedModel, NormalizesItsSumsWhereTheyArise) {
  ModelSpec spec;
  ASSERT_TRUE(parse_spec("n_layer 3\n" + GetParam().fields, spec).ok());
  Builder b;
  build_transformer(b, spec, 32);
  const Plan plan = b.finish();
  for (const Phase phase : {Phase::forward, Phase::evaluate}) {
    EXPECT_EQ(count(plan, phase, GetParam().kernel), GetParam().n_fused);
    EXPECT_EQ(count(plan, phase, Kernel::residual_add), GetParam().n_add);
  }
}

constexpr Kernel layer = Kernel::residual_layernorm_forward, rms = Kernel::residual_rmsnorm_forward;
INSTANTIATE_TEST_SUITE_P(, FusedModel,
                         testing::Values(Fused{"placement pre-ln\n", layer, 6, 0},
                                         Fused{"placement peri-ln\n", layer, 6, 0},
                                         Fused{"placement post-ln\nnorm_final false\n", layer, 6, 0},
                                         Fused{"placement pre-ln\nnorm_kind rmsnorm\n", rms, 6, 0},
                                         Fused{"placement post-ln\nnorm_kind rmsnorm\n", rms, 6, 0},
                                         Fused{"placement pre-ln\nnorm_affine false\n", layer, 6, 0},
                                         Fused{"placement pre-ln\nnorm_final false\n", layer, 5, 1},
                                         Fused{"placement pre-ln\nmlp_norms none\n", layer, 3, 3},
                                         Fused{"placement pre-ln\nformat bf16\n", layer, 0, 6},
                                         Fused{"placement pre-ln\nnorm_kind batchnorm\n", layer, 0, 6},
                                         Fused{"placement pre-ln\nnorm_kind dyt\n", layer, 0, 6},
                                         Fused{"placement none\n", layer, 0, 6},
                                         Fused{"placement plain-ln\n", layer, 0, 0}));

// skip + branch and its norm; `between` may put something between the two.
Plan sum_and_norm(bool centred, const std::function<void(Builder&, TensorId sum)>& between = nullptr) {
  Builder b({}, 2);
  const Shape shape{3, 5};
  const TensorId skip = b.input("skip", shape, true), branch = b.input("branch", shape, true),
                 gamma = b.parameter("gamma", {5}, 1), beta = b.parameter("beta", {5}, 0.5f);
  const TensorId sum = residual_add(b, "sum", skip, branch, 0.75f, 0.375f);
  if (between) between(b, sum);
  b.seed_grad(centred ? layernorm(b, "y", sum, gamma, beta, 1e-5f) : rmsnorm(b, "y", sum, gamma, 1e-5f));
  b.backward();
  EXPECT_TRUE(b.status().ok()) << b.status().message;
  return b.finish();
}

class FusedNorm : public testing::TestWithParam<bool> {
 protected:
  Kernel fused() const { return GetParam() ? layer : rms; }
};

TEST_P(FusedNorm, GivesEveryTensorTheBitsOfTheTwoKernels) {
  const Plan together = sum_and_norm(GetParam()), apart = sum_and_norm(GetParam(), [](Builder&b, TensorId) {
                                                    scaled(b, "unrelated", b.input("other", {1}), 2);
                                                  });
  ASSERT_EQ(together[Phase::forward].size(), 1u);
  ASSERT_EQ(together[Phase::forward][0].kernel, fused());
  ASSERT_EQ(apart[Phase::forward].size(), 3u);
  Arena<float> one(together), two(apart);
  for (Arena<float>* arena : {&one, &two}) {
    for (uint32_t model = 0; model < 2; ++model)
      for (const char* name : {"skip", "branch", "gamma", "y.grad"})
        arena->write(name, normals(std::strcmp(name, "gamma") == 0 ? 5 : 15, stream_of(name) + model), model);
    arena->run(Phase::forward), arena->run(Phase::backward);
  }
  for (const Tensor& t : together.tensors)
    for (uint32_t model = 0; model < 2; ++model)
      EXPECT_EQ(one.read(t.name, model), two.read(t.name, model)) << t.name << " of model " << model;
}

TEST_P(FusedNorm, IsLeftAloneWhereSomethingReadsTheSumInBetween) {
  const Plan plan = sum_and_norm(GetParam(), [](Builder& b, TensorId sum) { scaled(b, "reader", sum, 2); });
  EXPECT_EQ(count(plan, Phase::forward, fused()), 0u);
  EXPECT_EQ(count(plan, Phase::evaluate, fused()), 0u);
}

// The dispatches of a plan whose builder has not joined them, with one word of one of them changed.
Plan changed(bool centred, size_t dispatch, size_t word, uint32_t value) {
  Plan plan = sum_and_norm(centred, [](Builder& b, TensorId) { scaled(b, "unrelated", b.input("other", {1}), 2); });
  auto& list = plan.phases[static_cast<size_t>(Phase::forward)];
  list.erase(list.begin() + 1);
  list[dispatch].param[word] = value;
  return with_fused_norms(std::move(plan));
}

TEST_P(FusedNorm, IsLeftAloneWhereAResultIsAddedTo) {
  EXPECT_EQ(count(changed(GetParam(), 0, 0, 15), Phase::forward, fused()), 1u) << "nothing was changed";
  EXPECT_EQ(count(changed(GetParam(), 0, 3, 1), Phase::forward, fused()), 0u) << "sum +=";
  EXPECT_EQ(count(changed(GetParam(), 1, 3, 1), Phase::forward, fused()), 0u) << "y +=";
}

TEST_P(FusedNorm, IsLeftAloneWhereTheSumIsLongerThanWhatIsNormalized) {
  EXPECT_EQ(count(changed(GetParam(), 1, 0, 2), Phase::forward, fused()), 0u);
}

INSTANTIATE_TEST_SUITE_P(, FusedNorm, testing::Bool(),
                         [](const auto& info) { return info.param ? "LayerNorm" : "RmsNorm"; });

TEST(FusedNorms, AreLeftAloneWhereTheNormReadsAnotherTensor) {
  Builder b;
  const TensorId x = b.input("x", {2, 4}), other = b.input("other", {2, 4}), gamma = b.parameter("gamma", {4}, 1);
  residual_add(b, "sum", x, other, 1, 1);
  rmsnorm(b, "y", other, gamma, 1e-5f);
  EXPECT_EQ(b.finish()[Phase::forward].size(), 2u);
}

TEST(FusedNorms, BindNoTensorTwice) {
  Builder b;
  const TensorId x = b.input("x", {1, 4}), branch = b.input("branch", {1, 4});
  rmsnorm(b, "y", residual_add(b, "sum", x, branch, 1, 1), branch, 1e-5f);  // γ is the branch
  EXPECT_EQ(b.finish()[Phase::forward].size(), 2u);
}

TEST(Operand, IsFoundByItsNameInKernelsDef) {
  const Plan plan = sum_and_norm(true);
  const Dispatch& fused = plan[Phase::forward][0];
  const auto name = [&](const char* operand) { return plan.tensors[operand_named(fused, operand)].name; };
  EXPECT_EQ(name("skip"), "skip");
  EXPECT_EQ(name("sum"), "sum");
  EXPECT_EQ(name("stats"), "y.stats");
  EXPECT_EQ(operand_named(fused, "x"), no_tensor);
  EXPECT_EQ(operand_named(fused, "su"), no_tensor);
}

}  // namespace
}  // namespace normscope
