// What training shows: where the stream grows, where it holds, and that a run can be stopped and gone on with.
#include "training.h"

namespace normscope {
namespace {

// The page's first recipe: 6 blocks, width 32, batches of 4 x 32 tokens of the Markov task.
constexpr int n_step = 300;
std::string recipe(const std::string& placement, const std::string& fields) {
  return "placement " + placement + "\n" + fields;
}

TEST(Recipe, AtAHighRateThePreLnStreamPassesFp16AndPeriLnHolds) {
  if (sanitized) GTEST_SKIP() << "a long run";
  Training pre(recipe("pre-ln", "learning_rate 0.2\n")), peri(recipe("peri-ln", "learning_rate 0.2\n"));
  float pre_most = 0, peri_most = 0;
  for (int i = 0; i < n_step; ++i) {
    pre.step(), peri.step();
    pre_most = std::fmax(pre_most, pre.largest_state());
    peri_most = std::fmax(peri_most, peri.largest_state());
  }
  EXPECT_GT(pre_most, 65504);
  EXPECT_LT(peri_most, 2000);
  EXPECT_GE(pre_most, 20 * peri_most);
  EXPECT_LT(peri.mean_of_last_losses(30), pre.mean_of_last_losses(30) - 0.5);
}

TEST(Recipe, InFp16PreLnOverflowsAtANamedPlaceAndPeriLnNever) {
  if (sanitized) GTEST_SKIP() << "a long run";
  Training pre(recipe("pre-ln", "learning_rate 0.2\nformat fp16\n")),
      peri(recipe("peri-ln", "learning_rate 0.2\nformat fp16\n"));
  const float* latch = pre.machine.tensor("latch");
  int step = 0;
  for (; step < n_step && latch[0] == 0; ++step) pre.step();
  ASSERT_LT(step, n_step);
  EXPECT_EQ(latch[1], static_cast<float>(step - 1)) << "the step";
  EXPECT_LT(latch[2], static_cast<float>(pre.n_point())) << "the residual point";
  EXPECT_LT(latch[3], 32) << "the channel";
  EXPECT_GT(std::fabs(latch[4]), 65504) << "the value";
  EXPECT_EQ(pre.header()[6], latch[1]) << "the record of the step says the same";
  peri.steps(n_step);
  EXPECT_EQ(peri.machine.tensor("latch")[0], 0);
  EXPECT_LT(peri.mean_of_last_losses(30), 1.8);
}

TEST(Recipe, AtAnOrdinaryRateBothTrainAlike) {
  if (sanitized) GTEST_SKIP() << "a long run";
  Training pre(recipe("pre-ln", "learning_rate 0.003\n")), peri(recipe("peri-ln", "learning_rate 0.003\n"));
  pre.steps(n_step), peri.steps(n_step);
  EXPECT_NEAR(pre.mean_of_last_losses(30) / peri.mean_of_last_losses(30), 1, 0.05);
  const double best = pre.machine.data().best_loss, unigram = pre.machine.data().unigram_loss;
  EXPECT_LT(pre.mean_of_last_losses(30), best + 0.2 * (unigram - best));
  EXPECT_GT(pre.mean_of_last_losses(30), best - 0.1);
}

TEST(Recipe, PostLnFailsAtTheRateThatPreLnTakesAndIsSavedByWarmupAndASmallStep) {
  if (sanitized) GTEST_SKIP() << "a long run";
  const std::string deep = "n_layer 12\nlearning_rate 0.003\n";
  Training post(recipe("post-ln", deep)), gentle(recipe("post-ln", deep + "dt 0.45\n"));
  post.steps(120), gentle.steps(120);
  const double unigram = post.machine.data().unigram_loss;
  EXPECT_GT(post.mean_of_last_losses(20), unigram - 0.25);
  EXPECT_LT(gentle.mean_of_last_losses(20), unigram - 0.8);
}

TEST(Training, LearnsAText) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "the quick brown fox jumps over the lazy dog. ";
  Training t("n_layer 1\nn_ctx 16\nlearning_rate 0.01\n", "text plain\n" + text);
  t.steps(80);
  EXPECT_LT(t.losses.back(), 0.7);
  EXPECT_GT(t.losses.front(), 2.5);
}

// A snapshot is the parameters, both moments and `control`: nothing else carries over from step to step.
TEST(Snapshot, AnotherMachineGoesOnWithTheSameBits) {
  for (const std::string fields : {"placement pre-ln\nformat fp16\n",
                                   "placement peri-ln\ndropout 0.2\nwarmup 8\nweight_decay 0.1\nmax_grad_norm 1\n",
                                   "placement post-ln\nnorm_kind batchnorm\n",
                                   "placement layerscale\noptimizer sgd\nschedule cosine\ntotal_steps 8\n"}) {
    const std::string small = "n_layer 2\nd_model 12\nn_ctx 8\n" + fields;
    Training whole(small), first(small), second(small);
    whole.steps(10);
    first.steps(5);
    for (const Tensor& t : first.machine.plan().tensors)
      if (t.role == Role::parameter || t.role == Role::state)
        std::copy_n(first.machine.tensor(t.name), t.n_per_model, second.machine.tensor(t.name));
    second.steps(5);
    EXPECT_EQ(second.parameters(), whole.parameters()) << fields;
    EXPECT_EQ(second.losses, std::vector<float>(whole.losses.begin() + 5, whole.losses.end())) << fields;
  }
}

TEST(Snapshot, NeedsNoMoreThanControlMomentsAndLatch) {
  Training t("n_layer 1\n");
  for (const Tensor& tensor : t.machine.plan().tensors) {
    const std::string& n = tensor.name;
    if (tensor.role != Role::state) continue;
    EXPECT_TRUE(n == "control" || n == "latch" || n.find(".adam_m") != std::string::npos ||
                n.find(".adam_v") != std::string::npos)
        << n;
  }
}

TEST(Training, HeldOutLossIsMeasuredWithoutDisturbingTheRun) {
  Training with("n_layer 1\ndropout 0.1\n"), without("n_layer 1\ndropout 0.1\n");
  for (int i = 0; i < 4; ++i) {
    with.step(), without.step();
    with.machine.begin_step(Split::held_out);
    with.machine.run(Phase::evaluate);
  }
  EXPECT_EQ(with.losses, without.losses);
  EXPECT_EQ(with.parameters(), without.parameters());
}

}  // namespace
}  // namespace normscope
