// Models as wholes: wiring, evaluation, depth, the course's sublayer, overflow in 16-bit formats.
#include "arena.h"
#include "reference_norms.h"
#include "training.h"

namespace normscope {
namespace {

const std::string small = "n_layer 2\nd_model 12\nn_ctx 8\nn_batch 2\n";

std::vector<double> values_of(Machine& m, std::string_view name) {
  const float* from = m.tensor(name);
  EXPECT_NE(from, nullptr) << name;
  return std::vector<double>(from, from + m.plan().tensors[m.plan().find(name)].n_per_model);
}

void fill(Machine& m, std::string_view name, const std::vector<double>& values) {
  std::copy(values.begin(), values.end(), m.tensor(name));
}

TEST(Placement, TheSameWiringUnderAnotherNameGivesTheSameBits) {
  const std::string wiring[][2] = {
      {"placement peri-ln\n", "placement none\nnorm_input true\nnorm_output true\nnorm_final true\n"},
      {"placement post-ln\n", "placement plain\nresidual true\nnorm_stream true\n"},
      {"placement output-ln\n", "placement pre-ln\nnorm_input false\nnorm_output true\n"},
      {"placement plain\n",
       "placement peri-ln\nresidual false\nnorm_input false\nnorm_output false\nnorm_final false\n"},
      {"placement none\n", "placement pre-ln\nnorm_input false\nnorm_final false\n"}};
  for (const auto& [preset, by_hand] : wiring) {
    Training a(small + preset), b(small + by_hand);
    a.steps(4), b.steps(4);
    EXPECT_EQ(a.losses, b.losses) << preset;
    EXPECT_EQ(a.parameters(), b.parameters()) << preset;
  }
}

TEST(Placement, EveryRowStartsFromTheSameWeightsAndBatches) {
  Training pre(small + "placement pre-ln\n"), peri(small + "placement peri-ln\n");
  pre.machine.begin_step(Split::train), peri.machine.begin_step(Split::train);
  for (const char* name : {"token_embedding.weight", "blocks.1.mlp.fc2.weight", "head.weight", "tokens", "targets"})
    EXPECT_EQ(values_of(pre.machine, name), values_of(peri.machine, name)) << name;
}

// One sublayer of the course text, x of shape (2, 10, 64), by its formula.
TEST(Sublayer, OfTheCourseEqualsItsFormulaInEvaluation) {
  Machine m("block", "placement post-ln\nblock sublayer\nn_layer 1\nd_model 64\ndropout 0.1\nn_batch 2\nn_ctx 10\n",
            "");
  ASSERT_TRUE(m.status().ok()) << m.status().message;
  ASSERT_NE(m.allocate(), nullptr);
  const std::vector<double> x = normals(2 * 10 * 64, 3);
  fill(m, "x", x);
  m.run(Phase::evaluate);
  const std::vector<double> weight = values_of(m, "blocks.0.sublayer.weight"),
                            bias = values_of(m, "blocks.0.sublayer.bias");
  std::vector<double> sum = x;
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] += bias[i % 64];
    for (size_t k = 0; k < 64; ++k) sum[i] += x[i / 64 * 64 + k] * weight[i % 64 * 64 + k];
  }
  const auto expected =
      reference::layernorm(sum, std::vector<double>(64, 1), std::vector<double>(64, 0), 20, 64, 1e-5f).y;
  expect_near(values_of(m, "y"), expected, 2e-6, "y");
}

TEST(Sublayer, DropsATenthOfTheBranchInTraining) {
  Machine m("block", "placement none\nblock sublayer\nn_layer 1\nd_model 64\ndropout 0.1\nn_batch 2\nn_ctx 10\n", "");
  ASSERT_NE(m.allocate(), nullptr) << m.status().message;
  fill(m, "x", normals(2 * 10 * 64, 3));
  m.run(Phase::forward);
  const std::vector<double> x = values_of(m, "x"), y = values_of(m, "y");
  int n_dropped = 0;
  for (size_t i = 0; i < x.size(); ++i) n_dropped += x[i] == y[i];
  EXPECT_NEAR(n_dropped / 1280.0, 0.1, 0.04);
}

TEST(Block, PassesTheGradientOfItsOutputToItsInput) {
  Machine m("block", "placement peri-ln\nn_layer 2\nd_model 8\nn_head 2\nn_batch 1\nn_ctx 3\n", "");
  const float* values = m.allocate();
  ASSERT_NE(values, nullptr) << m.status().message;
  Arena<double> arena(m.plan());
  for (const Tensor& t : m.plan().tensors) std::copy_n(values + t.offset, t.n_per_model, arena.at(t.name));
  const std::vector<double> dy = normals(24, 2);
  arena.write("x", normals(24, 1));
  arena.write("y.grad", dy);
  arena.run(Phase::forward);
  arena.run(Phase::backward);
  const auto loss = [&](size_t i, double step) {
    arena.at("x")[i] += step;
    arena.run(Phase::forward);
    arena.at("x")[i] -= step;
    double sum = 0;
    for (size_t k = 0; k < dy.size(); ++k) sum += dy[k] * arena.at("y")[k];
    return sum;
  };
  std::vector<double> slopes;
  for (size_t i = 0; i < 24; ++i) slopes.push_back((loss(i, 1e-5) - loss(i, -1e-5)) / 2e-5);
  expect_near(arena.read("x.grad"), slopes, 1e-7, "x.grad");
}

TEST(Evaluation, IgnoresDropoutAndChangesNoState) {
  Training t(small + "placement pre-ln\ndropout 0.5\n"), without(small + "placement pre-ln\n");
  const auto parameters = t.parameters();
  for (Machine* m : {&t.machine, &without.machine}) {
    m->begin_step(Split::held_out);
    m->run(Phase::evaluate);
  }
  EXPECT_EQ(*t.machine.tensor("loss"), *without.machine.tensor("loss"));
  EXPECT_EQ(t.parameters(), parameters);
  EXPECT_EQ(t.step_count(), 0u);
}

TEST(Depth, Of128BlocksIsPlannedAndObservedAtInitialization) {
  for (const char* placement : {"post-ln", "pre-ln", "peri-ln"}) {
    Training t(std::string("n_layer 128\nn_batch 1\nn_ctx 8\nplacement ") + placement + "\n");
    ASSERT_EQ(t.n_point(), 257u);
    t.step();
    EXPECT_TRUE(std::isfinite(t.losses[0]));
    for (size_t i = 0; i < t.n_point(); ++i) ASSERT_GT(t.point(i)[1], 0) << placement << " at point " << i;
  }
}

TEST(Overflow, IsLatchedWhereTheStreamLeavesFp16) {
  Training t(small + "placement pre-ln\nformat fp16\n");
  float* bias = t.machine.tensor("blocks.1.mlp.fc2.bias");
  bias[5] = 7e4f;
  t.machine.begin_step(Split::train);
  t.machine.run(Phase::forward);
  const float* latch = t.machine.tensor("latch");
  EXPECT_GE(latch[0], 16) << "every token of the batch";
  EXPECT_EQ(latch[1], 0);
  EXPECT_EQ(latch[2], 4) << "the point blocks.1.resid_post";
  EXPECT_EQ(latch[3], 5);
  EXPECT_EQ(t.machine.plan().tensors[t.machine.layout().points[4]].name, "blocks.1.resid_post");
}

TEST(Formats, RoundEveryPointOfTheStream) {
  for (const auto& [format, spacing] : {std::pair{"fp16", 1024.0}, std::pair{"bf16", 128.0}}) {
    Training t(small + "placement peri-ln\nformat " + format + "\n");
    t.steps(2);
    for (const TensorId id : t.machine.layout().points)
      for (const double x : values_of(t.machine, t.machine.plan().tensors[id].name)) {
        int exponent;
        const double mantissa = std::frexp(x, &exponent) * 2 * spacing;
        ASSERT_TRUE(std::fabs(x) < 1e-4 || mantissa == std::floor(mantissa)) << x;
      }
  }
}

TEST(DeadEnd, ANanGradientStopsTheRunWithoutTouchingIt) {
  Training t("placement none\nlearning_rate 0.2\nn_layer 12\n");
  int step = 0;
  auto before = t.parameters();
  while (step < 100 && (t.step(), t.machine.tensor("control")[3] != 0)) before = t.parameters(), ++step;
  ASSERT_LT(step, 100) << "twelve blocks without a norm must break at this rate";
  EXPECT_EQ(t.parameters(), before);
  EXPECT_EQ(t.step_count(), static_cast<uint32_t>(step)) << "the failed step does not count";
  EXPECT_EQ(t.machine.tensor("control")[6], 1);
  EXPECT_FALSE(std::isfinite(t.header()[2])) << "the gradient norm in the record";
  t.step();
  EXPECT_EQ(t.parameters(), before);
}

}  // namespace
}  // namespace normscope
