// The rows of the table of placements: what follows from their formulas, and what does not.
#include <algorithm>
#include <cstring>

#include "arena.h"
#include "reference_norms.h"
#include "training.h"

namespace normscope {

void PrintTo(const Placement& row, std::ostream* out) { *out << row.name; }

namespace {

const std::string tiny = "n_layer 4\nd_model 16\nn_ctx 8\nn_batch 2\n";

std::vector<double> values_of(Machine& m, std::string_view name) {
  const float* from = m.tensor(name);
  EXPECT_NE(from, nullptr) << name;
  return std::vector<double>(from, from + m.plan().tensors[m.plan().find(name)].n_per_model);
}

// The stream after the last block in the first forward pass. `change` may touch the initial values.
struct Pass {
  explicit Pass(const std::string& fields, void (*change)(Machine&) = nullptr) : training(tiny + fields) {
    if (change) change(training.machine);
    training.machine.begin_step(Split::train);
    training.machine.run(Phase::forward);
    training.machine.run(Phase::backward);
    stream = point(training.n_point() - 1);
    logits = values_of(training.machine, "logits");
  }
  std::vector<double> point(size_t i) {
    return values_of(training.machine, training.machine.plan().tensors[training.machine.layout().points[i]].name);
  }
  Training training;
  std::vector<double> stream, logits;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return most / largest(b);
}

double frobenius(const std::vector<double>& values) {
  double square = 0;
  for (const double v : values) square += v * v;
  return std::sqrt(square);
}

// Multiplies every tensor whose name ends so.
void multiply(Machine& m, const std::string& end, float factor) {
  for (const Tensor& t : m.plan().tensors)
    if (t.name.size() >= end.size() && t.name.substr(t.name.size() - end.size()) == end)
      for (size_t i = 0; i < t.n_per_model; ++i) m.tensor(t.name)[i] *= factor;
}

class Row : public testing::TestWithParam<Placement> {};

std::string row_name(const testing::TestParamInfo<Placement>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string lines_without_placement(const ModelSpec& spec) {
  const std::string lines = print_spec(spec);
  return lines.substr(lines.find('\n') + 1);
}

TEST_P(Row, GivesTheSameBitsWhenItIsWiredByHandUnderAnotherName) {
  ModelSpec spec;
  ASSERT_TRUE(parse_spec(tiny + "placement " + GetParam().name + "\n", spec).ok());
  const std::string other = GetParam().name == std::string("keel") ? "hybridnorm" : "keel";
  Training preset(tiny + "placement " + GetParam().name + "\n"),
      by_hand("placement " + other + "\n" + lines_without_placement(spec));
  preset.steps(3), by_hand.steps(3);
  EXPECT_EQ(preset.losses, by_hand.losses);
  EXPECT_EQ(preset.parameters(), by_hand.parameters());
}

TEST_P(Row, IsMadeOfFieldsThatASpecHas) {
  std::string fields = GetParam().fields;
  int n_space = 0;
  for (char& c : fields)
    if (c == ' ' && ++n_space % 2 == 0) c = '\n';
  ModelSpec by_hand, applied;
  apply(*find_placement("none"), by_hand);
  ASSERT_TRUE(parse_spec("placement none\n" + fields + "\n", by_hand).ok()) << fields;
  apply(GetParam(), applied);
  EXPECT_EQ(lines_without_placement(by_hand), lines_without_placement(applied));
}

TEST_P(Row, LeavesNothingOfTheRowBefore) {
  ModelSpec fresh;
  apply(GetParam(), fresh);
  for (const Placement& before : placements()) {
    ModelSpec spec;
    apply(before, spec);
    apply(GetParam(), spec);
    EXPECT_EQ(print_spec(spec), print_spec(fresh)) << "after " << before.name;
  }
}

TEST_P(Row, SaysItsEquationItsSourceAndItsUsers) {
  for (const char* text : {GetParam().equation, GetParam().source, GetParam().users}) EXPECT_GT(std::strlen(text), 3u);
}

// Training::step checks that no statistic passes its bound.
TEST_P(Row, StaysBelowItsBoundsInTrainingAndHasThemWhereTheoryHas) {
  ModelSpec spec;
  ASSERT_TRUE(parse_spec("placement " + std::string(GetParam().name) + "\n", spec).ok());
  for (const std::string kind : {"layernorm", "rmsnorm", "batchnorm", "dyt"})
    for (const std::string more : {"", "norm_affine false\n", "dt -0.3\n",
                                   "branch_scale vector\nbranch_scale_init -2\n", "branch_scale scalar\n"}) {
      const std::string fields = tiny + "placement " + GetParam().name + "\nlearning_rate 0.03\nnorm_kind " + kind +
                                 "\n" + (GetParam().name == std::string("none") ? "dt 0.1\n" : "") + more;
      Training t(fields);
      t.steps(6);
      bool bounded = true;
      for (uint32_t i = 1; i < t.n_point(); ++i) {
        const StepWiring wiring = step_wiring(t.machine.spec(), i - 1);
        bounded = wiring.norms.stream || (bounded && wiring.norms.output && !wiring.normed_skip);
        for (int slot = 4; slot < 7; ++slot)
          EXPECT_EQ(std::isnan(t.point(i)[slot]), !bounded) << fields << "point " << i;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(, Row, testing::ValuesIn(placements()), row_name);

TEST(Bounds, StartAnewAtAStreamNormAfterAStepWithoutAny) {
  Training t(tiny + "placement pre-ln\nmlp_norms stream\n");
  t.steps(3);
  EXPECT_TRUE(std::isnan(t.point(1)[4]));
  EXPECT_NEAR(t.point(2)[4], 1, 0.1);
  EXPECT_TRUE(std::isnan(t.point(3)[4]));
}

TEST(Bounds, AreNotStatedWhereTheSkipPathStartsAtANorm) {
  Training t(tiny + "placement peri-ln\nmlp_skip normed\n");
  t.steps(3);
  EXPECT_FALSE(std::isnan(t.point(1)[4]));
  EXPECT_TRUE(std::isnan(t.point(2)[4]));
}

TEST(Bounds, FollowTheBranchScale) {
  Training t(tiny + "placement peri-ln\nbranch_scale scalar\nbranch_scale_init 0.25\nlearning_rate 0\n"),
      plain(tiny + "placement peri-ln\ndt 0.25\nlearning_rate 0\n");
  t.step(), plain.step();
  for (int slot = 4; slot < 7; ++slot) EXPECT_NEAR(t.last_point()[slot] / plain.last_point()[slot], 1, 1e-5);
}

// N(alpha x + f) = N(x + f / alpha), up to eps, which weighs alpha² less on the left.
TEST(DeepNorm, IsPostLnWithAShortStepAndItsOwnInitialGain) {
  const auto passes_differ = [](const std::string& eps) {
    Pass deepnorm("placement deepnorm\neps " + eps + "\n"),
        post("placement post-ln\ndt 0.5946035575013605\ninit_gain deepnorm\neps " + eps + "\n");
    return distance(deepnorm.logits, post.logits);
  };
  EXPECT_LT(passes_differ("1e-12"), 2e-6);
  EXPECT_LT(passes_differ("1e-5"), 2e-4);
  EXPECT_GT(passes_differ("0.1"), 2e-3);
  Pass without_gain("placement post-ln\ndt 0.5946035575013605\n"), deepnorm("placement deepnorm\n");
  EXPECT_GT(distance(without_gain.logits, deepnorm.logits), 0.1);
}

TEST(PostLn, TakesAShortStepAsALongSkip) {
  Pass step("placement post-ln\ndt 0.3\neps 1e-12\n"), skip("placement post-ln\nalpha 3.3333333333\neps 1e-12\n");
  EXPECT_LT(distance(step.logits, skip.logits), 2e-6);
  EXPECT_GT(distance(Pass("placement post-ln\neps 1e-12\n").logits, skip.logits), 0.1);
}

TEST(Gpt2Init, LeavesTheForwardPassOfPeriLnAloneButNotItsTraining) {
  // At the usual eps of 1e-5 the passes differ by 1.3e-4: a branch of small variance feels it.
  Pass with("placement peri-ln\ninit_gain residual\neps 1e-6\n"), without("placement peri-ln\neps 1e-6\n");
  EXPECT_LT(distance(with.stream, without.stream), 1e-4);
  EXPECT_LT(distance(with.logits, without.logits), 1e-4);
  for (const char* name : {"blocks.0.attn.out_proj.weight.grad", "blocks.3.mlp.fc2.weight.grad"})
    EXPECT_NEAR(
        frobenius(values_of(with.training.machine, name)) / frobenius(values_of(without.training.machine, name)),
        std::sqrt(8.0), 0.02)
        << name;
  with.training.steps(20), without.training.steps(20);
  EXPECT_GT(std::fabs(with.training.losses.back() - without.training.losses.back()), 1e-3);
}

TEST(Gpt2Init, ChangesTheForwardPassOfPreLn) {
  EXPECT_GT(distance(Pass("placement pre-ln\ninit_gain residual\n").stream, Pass("placement pre-ln\n").stream), 0.1);
}

TEST(PeriLn, TakesAShortStepAsASmallGainOfItsOutputNormUntilTheFirstUpdate) {
  Pass step("placement peri-ln\ndt 0.1\n"),
      gain("placement peri-ln\n", [](Machine&m) { multiply(m, "_out.weight", 0.1f); });
  EXPECT_LT(distance(step.stream, gain.stream), 1e-6);
  EXPECT_LT(distance(step.logits, gain.logits), 1e-6);
  step.training.steps(20), gain.training.steps(20);
  EXPECT_GT(std::fabs(step.training.losses.back() - gain.training.losses.back()), 1e-3);
}

TEST(PreLn, TakesAShortStepAsSmallOutputProjections) {
  Pass step("placement pre-ln\ndt 0.1\n"), weights("placement pre-ln\n", [](Machine&m) {
    multiply(m, "out_proj.weight", 0.1f);
    multiply(m, "fc2.weight", 0.1f);
  });
  EXPECT_LT(distance(step.stream, weights.stream), 1e-6);
}

TEST(ReZero, StartsAsTheIdentityAndLeavesItWithTheFirstStep) {
  Pass pass("placement rezero\n");
  EXPECT_EQ(pass.stream, pass.point(0));
  for (const char* name : {"blocks.0.scale_attn.grad", "blocks.3.scale_mlp.grad"})
    EXPECT_NE(values_of(pass.training.machine, name)[0], 0) << name;
  pass.training.steps(2);
  EXPECT_NE(pass.point(pass.training.n_point() - 1), pass.point(0));
}

TEST(LayerScale, StartsATenthAsFarAsPreLn) {
  Pass scaled("placement layerscale\n"), step("placement pre-ln\ndt 0.1\n");
  EXPECT_LT(distance(scaled.stream, step.stream), 1e-6);
  EXPECT_EQ(values_of(scaled.training.machine, "blocks.2.scale_mlp"), std::vector<double>(16, 0.1f));
}

TEST(SandwichLn, IsPeriLnWithoutTheNormOfTheEmbedding) {
  Training sandwich(tiny + "placement sandwich-ln\n"), peri(tiny + "placement peri-ln\n");
  sandwich.steps(3), peri.steps(3);
  EXPECT_EQ(sandwich.parameters(), peri.parameters());
  EXPECT_GT(distance(Pass("placement peri-ln\nnorm_embedding true\n").logits, Pass("placement sandwich-ln\n").logits),
            1e-3);
}

TEST(MixLn, GoesFromPreLnToPostLnWithAFinalNorm) {
  const std::string mix = "placement mix-ln\nearly_fraction ";
  EXPECT_EQ(Pass(mix + "0\n").logits, Pass("placement pre-ln\n").logits);
  EXPECT_EQ(Pass(mix + "1\n").logits, Pass("placement post-ln\nnorm_final true\n").logits);
}

TEST(MixLn, SetsApartTheWholePartOfAFractionOfTheBlocks) {
  const auto n_early = [](const std::string& fields) {
    ModelSpec spec;
    EXPECT_TRUE(parse_spec("placement mix-ln\n" + fields, spec).ok());
    int n = 0;
    for (uint32_t step = 0; step < n_residual_step(spec); ++step) n += step_wiring(spec, step).norms.stream;
    return n;
  };
  EXPECT_EQ(n_early("n_layer 12\n"), 6);
  EXPECT_EQ(n_early("n_layer 6\n"), 2);
  EXPECT_EQ(n_early("n_layer 3\n"), 0);
  EXPECT_EQ(n_early("n_layer 100\nearly_fraction 0.29\n"), 58);
  EXPECT_EQ(n_early("n_layer 12\nblock sublayer\n"), 3);
}

TEST(LnScaling, DividesTheInputNormsOfBlockLByTheRootOfL) {
  Pass scaling("placement ln-scaling\n"), gains("placement pre-ln\n", [](Machine&m) {
    for (int layer = 0; layer < 4; ++layer)
      for (const char* norm : {".ln_attn_in.weight", ".ln_mlp_in.weight"})
        multiply(m, "blocks." + std::to_string(layer) + norm, 1 / std::sqrt(layer + 1.0f));
  });
  EXPECT_LT(distance(scaling.stream, gains.stream), 2e-6);
  EXPECT_GT(distance(Pass("placement pre-ln\n").stream, gains.stream), 0.05);
}

TEST(Keel, IsPostLnWithAnInputNormWhoseSkipGrowsWithDepth) {
  EXPECT_EQ(Pass("placement keel\n").logits, Pass("placement post-ln\nnorm_input true\nalpha 4\n").logits);
}

TEST(QkNorm, BoundsTheAttentionScoresByTheGainsWhateverTheWeights) {
  Pass pass("placement output-ln\nqk_norm qk\n", [](Machine& m) { multiply(m, "_proj.weight", 1000); });
  const std::vector<double> q = values_of(pass.training.machine, "blocks.1.attn.q_norm"),
                            k = values_of(pass.training.machine, "blocks.1.attn.k_norm");
  const double root = std::sqrt(4.0);  // heads of width 4
  for (size_t i = 0; i < q.size(); i += 4)
    for (size_t j = 0; j < k.size(); j += 4)
      EXPECT_LE(std::fabs(q[i] * k[j] + q[i + 1] * k[j + 1] + q[i + 2] * k[j + 2] + q[i + 3] * k[j + 3]) / root,
                root * (1 + 1e-5));
}

TEST(BatchNorm, EvaluatesWithRunningStatisticsOfTraining) {
  Training t(tiny + "placement pre-ln\nnorm_kind batchnorm\nlearning_rate 0\nbn_momentum 1\nn_batch 16\n");
  const auto evaluated = [&] {
    t.machine.run(Phase::evaluate);
    return *t.machine.tensor("loss");
  };
  t.machine.begin_step(Split::train);
  const float fresh = evaluated();
  t.step();  // the batch just evaluated: nothing is learnt, the statistics are all of its own
  const float trained = t.losses[0];
  t.machine.tensor("control")[0] = 0;
  t.machine.begin_step(Split::train);
  const float after = evaluated();
  EXPECT_GT(std::fabs(fresh - trained), 4e-2) << "mean 0 and variance 1 are not the batch's";
  EXPECT_NEAR(after, trained, 2e-2) << "the batch's own";
  EXPECT_NE(after, trained) << "its unbiased variance";
  const std::string norm = "blocks.0.ln_attn_in";
  const std::vector<double> x = values_of(t.machine, "resid_embedding"), one(16, 1), zero(16, 0);
  expect_near(values_of(t.machine, norm + ".running_mean"), reference::batchnorm(x, one, zero, 128, 16, 1e-5f).mean,
              1e-5, "the running mean");
}

TEST(BatchNorm, WithoutMomentumKeepsItsFirstStatistics) {
  Training t(tiny + "placement post-ln\nnorm_kind batchnorm\nbn_momentum 0\n");
  t.steps(3);
  EXPECT_EQ(values_of(t.machine, "blocks.0.ln_mlp_stream.running_mean"), std::vector<double>(16, 0));
  EXPECT_EQ(values_of(t.machine, "blocks.0.ln_mlp_stream.running_var"), std::vector<double>(16, 1));
}

TEST(DecayGamma, ShrinksTheGainsOfNormsAndNothingElse) {
  const std::string fields = "placement hybridnorm\nbranch_scale vector\nlearning_rate 0.1\nweight_decay 0.5\n";
  Training with(tiny + fields + "decay_gamma true\n"), without(tiny + fields);
  const auto before = with.parameters();
  with.step(), without.step();
  const auto decayed = with.parameters(), kept = without.parameters();
  for (size_t i = 0; i < decayed.size(); ++i) {
    const std::string& name = with.machine.plan().tensors[with.machine.layout().parameters[i]].name;
    const bool of_a_norm = name.find("ln_") != std::string::npos || name.find("_norm.") != std::string::npos;
    if (!of_a_norm || name.find(".weight") == std::string::npos)
      EXPECT_EQ(decayed[i], kept[i]) << name;
    else
      for (size_t k = 0; k < decayed[i].size(); ++k)
        EXPECT_NEAR(kept[i][k] - decayed[i][k], 0.05 * before[i][k], 1e-6) << name;
  }
}

TEST(Sgd, TrainsWithOneMomentPerParameter) {
  Training t(tiny + "placement pre-ln\noptimizer sgd\nlearning_rate 0.1\n"),
      still(tiny + "placement pre-ln\noptimizer sgd\nlearning_rate 0.1\nmomentum 0\n");
  EXPECT_NE(t.machine.tensor("head.weight.sgd_v"), nullptr);
  EXPECT_EQ(t.machine.tensor("head.weight.adam_v"), nullptr);
  t.steps(60), still.steps(60);
  EXPECT_LT(t.mean_of_last_losses(10), t.losses[0] - 0.5);
  EXPECT_NE(t.losses.back(), still.losses.back());
  EXPECT_EQ(t.losses[1], still.losses[1]) << "the first step has no past";
}

TEST(ZLoss, CountsInTrainingAndNotInEvaluation) {
  Training with(tiny + "placement pre-ln\nz_loss 0.1\n"), without(tiny + "placement pre-ln\n");
  float evaluated[2];
  for (Training* t : {&with, &without}) {
    t->machine.begin_step(Split::train);
    t->machine.run(Phase::evaluate);
    evaluated[t == &with] = *t->machine.tensor("loss");
  }
  EXPECT_EQ(evaluated[0], evaluated[1]);
  with.step(), without.step();
  EXPECT_EQ(without.losses[0], evaluated[0]);
  EXPECT_GT(with.losses[0], evaluated[0] + 0.5) << "log Z of 32 symbols is more than 3";
}

TEST(Schedule, FollowsACosineOnlyWhenItIsAskedForAndHasAnEnd) {
  const auto rate = [](const std::string& fields, int step) {
    Training t("n_layer 0\nlearning_rate 0.5\n" + fields);
    t.machine.tensor("control")[0] = static_cast<float>(step);
    t.machine.begin_step(Split::train);
    return t.machine.tensor("hyper")[0];
  };
  const std::string cosine = "schedule cosine\nfinal_learning_rate 0.1\n";
  EXPECT_FLOAT_EQ(rate(cosine + "total_steps 100\n", 0), 0.5f);
  EXPECT_FLOAT_EQ(rate(cosine + "total_steps 100\n", 50), 0.3f);
  EXPECT_FLOAT_EQ(rate(cosine + "total_steps 100\n", 100), 0.1f);
  EXPECT_FLOAT_EQ(rate(cosine + "total_steps 100\nwarmup 20\n", 60), 0.3f);
  EXPECT_FLOAT_EQ(rate(cosine + "total_steps 100\nwarmup 9\n", 4), 0.25f);
  EXPECT_FLOAT_EQ(rate(cosine, 50), 0.5f) << "no end: no cosine";
  EXPECT_FLOAT_EQ(rate("total_steps 100\n", 50), 0.5f) << "constant";
}

}  // namespace
}  // namespace normscope
