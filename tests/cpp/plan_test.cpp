// The builder's promises: layout, limits, and refusal of what WebGPU would refuse.
#include "plan/builder.h"

#include <gtest/gtest.h>

#include <set>

#include "model/transformer.h"
#include "ops/residual.h"

namespace normscope {
namespace {

Plan transformer_plan(const std::string& fields, uint32_t n_model = 1) {
  ModelSpec spec;
  EXPECT_TRUE(parse_spec(fields, spec).ok());
  Builder b({}, n_model);
  build_transformer(b, spec, 32);
  EXPECT_TRUE(b.status().ok()) << b.status().message;
  return b.finish();
}

TEST(Plan, PutsEveryTensorAtAMultipleOf256BytesWithoutOverlap) {
  const Plan plan = transformer_plan("n_layer 2\n", 3);
  uint64_t end = 0;
  for (const Tensor& t : plan.tensors) {
    EXPECT_EQ(t.offset % 64, 0u) << t.name;
    EXPECT_GE(t.offset, end) << t.name;
    end = t.offset + t.n_per_model * plan.n_model;
  }
  EXPECT_GE(plan.n_float, end);
}

TEST(Plan, NamesEveryTensorOnce) {
  std::set<std::string> names;
  for (const Tensor& t :
       transformer_plan("n_layer 3\nplacement peri-ln\nnorm_stream true\nnorm_embedding true\ndropout 0.1\n").tensors)
    EXPECT_TRUE(names.insert(t.name).second) << t.name;
}

TEST(Plan, BindsAnOperandOnceAndOnlyExistingOnes) {
  const Plan plan = transformer_plan("n_layer 2\nplacement post-ln\nformat fp16\n");
  for (const auto& phase : plan.phases)
    for (const Dispatch& dispatch : phase) {
      const KernelInfo& info = kernel_info(dispatch.kernel);
      std::set<TensorId> seen;
      for (uint32_t i = 0; i < info.n_operand; ++i) {
        EXPECT_LT(dispatch.operand[i], plan.tensors.size());
        EXPECT_TRUE(seen.insert(dispatch.operand[i]).second) << info.name;
      }
    }
}

TEST(Plan, TakesTheParameterNamesThatPyTorchUsersExpect) {
  const Plan plan = transformer_plan("n_layer 2\nplacement peri-ln\nnorm_stream true\n");
  for (const char* name : {"token_embedding.weight",
                           "position_embedding.weight",
                           "blocks.1.ln_attn_in.weight",
                           "blocks.1.ln_attn_out.bias",
                           "blocks.0.ln_attn_stream.weight",
                           "blocks.0.attn.q_proj.weight",
                           "blocks.0.attn.k_proj.bias",
                           "blocks.0.attn.v_proj.weight",
                           "blocks.0.attn.out_proj.weight",
                           "blocks.0.ln_mlp_in.bias",
                           "blocks.0.mlp.fc1.weight",
                           "blocks.0.mlp.fc2.bias",
                           "ln_final.weight",
                           "head.weight",
                           "head.bias",
                           "blocks.0.mlp.fc1.weight.grad",
                           "blocks.0.mlp.fc1.weight.adam_m",
                           "blocks.0.mlp.fc1.weight.adam_v",
                           "resid_embedding",
                           "blocks.0.resid_mid",
                           "blocks.1.resid_post",
                           "logits",
                           "loss",
                           "tokens",
                           "targets",
                           "hyper",
                           "control",
                           "seed",
                           "ring"})
    EXPECT_NE(plan.find(name), no_tensor) << name;
  EXPECT_EQ(plan.find("blocks.2.resid_post"), no_tensor);
}

TEST(Plan, EvaluatesWhatItForwards) {
  const Plan plan = transformer_plan("n_layer 1\n");
  EXPECT_EQ(plan[Phase::evaluate].size(), plan[Phase::forward].size());
}

TEST(Builder, RefusesTheSameTensorTwiceInOneDispatch) {
  Builder b;
  const TensorId x = b.input("x", {4});
  residual_add(b, "y", x, x, 1, 1);
  EXPECT_EQ(b.status().code, "bad-plan");
  EXPECT_NE(b.status().message.find("binds x twice"), std::string::npos) << b.status().message;
}

TEST(Builder, RefusesADispatchWithTheWrongNumberOfOperands) {
  Builder b;
  const TensorId x = b.input("x", {4});
  b.emit(Kernel::scale_add, {x}, ScaleParams{4, 1, 0}, {4});
  EXPECT_EQ(b.status().code, "bad-plan");
  EXPECT_NE(b.status().message.find("scale_add"), std::string::npos) << b.status().message;
}

TEST(Builder, RefusesWhatPassesTheLimitByNameAndKeepsTheFirstReason) {
  Builder b({1000});
  b.add("fits", Role::activation, {900});
  EXPECT_TRUE(b.status().ok());
  b.add("too_wide", Role::activation, {4294967295u, 4294967295u, 4294967295u});
  b.add("later", Role::activation, {5000});
  EXPECT_EQ(b.status().code, "too-large");
  EXPECT_NE(b.status().message.find("too_wide"), std::string::npos) << b.status().message;
}

TEST(Builder, CountsEveryModelAgainstTheLimit) {
  Builder one({1000}, 1), four({1000}, 4);
  one.add("x", Role::activation, {400});
  four.add("x", Role::activation, {400});
  EXPECT_TRUE(one.status().ok());
  EXPECT_EQ(four.status().code, "too-large");
}

TEST(Builder, LetsAnotherKernelStandForADispatchInEvaluate) {
  Builder b;
  const TensorId x = b.input("x", {4}), y = b.add("y", Role::activation, {4});
  b.emit_only(Phase::forward, Kernel::scale_add, {x, y}, ScaleParams{4, 2, 0}, {4});
  b.emit_only(Phase::evaluate, Kernel::activation_forward, {x, y}, ActivationParams{4, 0, 0}, {4});
  b.emit_only(Phase::evaluate, Kernel::scale_add, {x}, ScaleParams{4, 2, 0}, {4});
  EXPECT_EQ(b.status().code, "bad-plan") << "it refuses what emit refuses";
  const Plan plan = b.finish();
  ASSERT_EQ(plan[Phase::forward].size(), 1u);
  ASSERT_EQ(plan[Phase::evaluate].size(), 1u);
  EXPECT_EQ(plan[Phase::forward][0].kernel, Kernel::scale_add);
  EXPECT_EQ(plan[Phase::evaluate][0].kernel, Kernel::activation_forward);
}

TEST(Builder, RunsEachUpdateRuleOnceAndInOrder) {
  Builder b;
  std::string order;
  for (const char* name : {"a", "b", "c"}) b.on_update([&, name](Builder&) { order += name; });
  b.update();
  b.update();
  EXPECT_EQ(order, "abc");
}

TEST(Builder, WritesTheFirstGradientAndAddsTheNext) {
  Builder b;
  const TensorId x = b.input("x", {4}, true);
  const TensorId y = residual_add(b, "y", scaled(b, "a", x, 2), scaled(b, "b", x, 3), 1, 1);
  b.seed_grad(y);
  b.backward();
  const Plan plan = b.finish();
  std::vector<uint32_t> flags;
  for (const Dispatch& d : plan[Phase::backward])
    if (d.operand[1] == plan.find("x.grad")) flags.push_back(d.param[2]);
  EXPECT_EQ(flags, (std::vector<uint32_t>{0, 1}));
}

}  // namespace
}  // namespace normscope
