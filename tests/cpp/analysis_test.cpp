// What cpp/analysis measures, against double loops, finite differences, brute force and the theory's identities.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "analysis/analysis.h"
#include "analysis/distance.h"
#include "analysis/ellipsoid.h"
#include "analysis/growth.h"
#include "analysis/jacobian.h"
#include "analysis/norm_jacobian.h"
#include "model/machine.h"

namespace normscope {
namespace {

const char* const wirings[] = {"none",       "plain-ln",   "post-ln", "pre-ln",     "peri-ln", "output-ln",  "deepnorm",
                               "ln-scaling", "layerscale", "mix-ln",  "hybridnorm", "keel",    "sandwich-ln"};

AnalysisModel make(const std::string& fields, const std::string& size =
                                                  "d_model 6\nn_head 2\nn_layer 2\nn_ctx 5\n"
                                                  "n_batch 3\nd_ff 9\n") {
  ModelSpec spec;
  const Status parsed = parse_spec(size + fields, spec);
  EXPECT_TRUE(parsed.ok()) << parsed.message;
  Dataset data;
  make_markov(7, 7, data);
  AnalysisModel model;
  const Status status = make_model(spec, data, 0, model);
  EXPECT_TRUE(status.ok()) << status.message;
  return model;
}

// Gains, shifts and biases away from 1 and 0, so that none of them can be forgotten unseen.
AnalysisModel disturbed(AnalysisModel model) {
  uint32_t stream = 1000;
  for (auto& [name, values] : model.parameters) values += 0.2 * random_normals(values.size(), 3, ++stream);
  return model;
}

// The numbers behind a key of a JSON text: of a list or one alone; none for null.
std::vector<double> numbers_of(const std::string& text, const std::string& key) {
  const size_t at = text.find("\"" + key + "\":");
  EXPECT_NE(at, std::string::npos) << key << " in " << text;
  std::string list = text.substr(at + key.size() + 3);
  list = list[0] == '[' ? list.substr(1, list.find(']') - 1) : list.substr(0, list.find_first_of(",}"));
  std::replace(list.begin(), list.end(), ',', ' ');
  return Options("x " + list).numbers("x");
}

class EveryWiring : public testing::TestWithParam<const char*> {
 protected:
  AnalysisModel model() const { return disturbed(make(std::string("placement ") + GetParam() + "\n")); }
};
INSTANTIATE_TEST_SUITE_P(, EveryWiring, testing::ValuesIn(wirings), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryWiring, StepsAndHeadOneByOneAreTheWholeNet) {
  const AnalysisModel m = model();
  Base base(m);
  Matrix x = base.point(0);
  for (uint32_t step = 0; step < n_residual_step(m.spec); ++step) {
    DoublePlan plan = step_map(m, step);
    plan.rows("x") = x;
    plan.run(Phase::forward);
    x = plan.rows("y");
    EXPECT_LT((x - base.point(step + 1)).norm(), 1e-12 * x.norm()) << step;
  }
  DoublePlan head = head_map(m);
  head.rows("x") = x;
  head.run(Phase::forward);
  EXPECT_NEAR(head.values("loss")[0], base.loss, 1e-12 * base.loss);
}

TEST_P(EveryWiring, ForwardAndReverseJacobianProductsAgree) {
  const AnalysisModel m = model();
  Base base(m);
  for (uint32_t step = 0; step < n_residual_step(m.spec); ++step)
    for (const bool branch_only : {false, true}) {
      DoublePlan plan = branch_only ? branch_map(m, step, 1) : step_map(m, step, 1);
      Linearization map(plan, base.sequence(step, m.spec));
      for (uint32_t seed = 1; seed <= 3; ++seed) EXPECT_LT(product_disagreement(map, seed), 1e-6) << step;
    }
}

TEST_P(EveryWiring, LanczosFindsTheLargestSingularValueOfTheDenseJacobian) {
  const AnalysisModel m = model();
  Base base(m);
  for (uint32_t step = 0; step < n_residual_step(m.spec); ++step) {
    DoublePlan plan = step_map(m, step, 1);
    Linearization map(plan, base.sequence(step, m.spec));
    const double dense = spectral_norm(map.dense());
    EXPECT_NEAR(spectral_norm(map), dense, 1e-6 * dense) << step;
    EXPECT_GT(dense, 1e-3);
  }
}

// The support is the sup over everything that the last norm of the step can give.
void expect_power_below_support(const AnalysisModel& m) {
  Base base(m);
  for (uint32_t step = 0; step < n_residual_step(m.spec); ++step) {
    const std::string text =
        hamiltonian(m, base, Options("step " + std::to_string(step) + "\nscales 0.1 1 10 100 1000\n")).text;
    const auto numbers = [&](const std::string& key) { return numbers_of(text, key); };
    const bool limited = base.wiring[step].norm_output || base.wiring[step].norm_stream;
    const std::vector<double> most = numbers("support");
    ASSERT_EQ(most.size(), limited ? 1u : 0u) << text;
    for (const char* key : {"power", "steepest"}) {
      const std::vector<double> values = numbers(key);
      ASSERT_EQ(values.size(), 5u) << text;
      for (const double value : values)
        if (limited) {
          EXPECT_LE(value, most[0] * (1 + 1e-12));
        }
    }
    if (!limited) {
      EXPECT_GT(numbers("steepest")[2], numbers("power")[1]);
      EXPECT_NEAR(numbers("steepest")[4] / numbers("steepest")[2], 100, 1e-6);
    }
  }
}

TEST_P(EveryWiring, PowerNeverPassesTheSupport) { expect_power_below_support(model()); }

TEST(Power, NeverPassesTheSupportOfAnyKindOfNormWhateverDtAndAlpha) {
  for (const std::string wiring : {"pre-ln", "peri-ln", "post-ln", "peri-ln\nbranch_scale vector"})
    for (const std::string kind : {"layernorm", "rmsnorm", "batchnorm", "dyt"})
      for (const std::string more : {"", "norm_affine false\n", "dt -0.3\nalpha -0.7\n"}) {
        SCOPED_TRACE(wiring + " " + kind + " " + more);
        expect_power_below_support(disturbed(make("placement " + wiring + "\nnorm_kind " + kind + "\n" + more)));
      }
}

TEST(ActivationScale, PreLnsBranchJacobianFollowsItAndPeriLnsDoesNot) {
  for (const char* wiring : {"pre-ln", "peri-ln"}) {
    const AnalysisModel m = make(std::string("placement ") + wiring + "\n");
    Base base(m);
    for (uint32_t step = 0; step < n_residual_step(m.spec); ++step) {
      std::vector<double> norms;
      for (const double c : {1.0, 10.0, 100.0}) {
        DoublePlan plan = branch_map(scaled_branches(m, c), step, 1);
        Linearization map(plan, base.sequence(step, m.spec));
        norms.push_back(spectral_norm(map));
      }
      const bool follows = std::string(wiring) == "pre-ln";
      EXPECT_NEAR(norms[1] / norms[0], follows ? 10 : 1, follows ? 1e-5 : 1e-3) << wiring << " " << step;
      EXPECT_NEAR(norms[2] / norms[0], follows ? 100 : 1, follows ? 1e-4 : 1e-3) << wiring << " " << step;
    }
  }
}

TEST(Sensitivity, OfBatchNormIsThatOfTheWholeBatch) {
  const AnalysisModel m = disturbed(make("placement pre-ln\nnorm_kind batchnorm\n"));
  Base base(m);
  double product = 1;
  for (uint32_t step = 0; step < n_residual_step(m.spec); ++step) {
    DoublePlan plan = step_map(m, step);
    const Matrix x = base.point(step);
    const double dense = spectral_norm(Linearization(plan, Eigen::Map<const Vector>(x.data(), x.size())).dense());
    const double found = numbers_of(sensitivity(m, base, Options("step " + std::to_string(step))).text, "step")[0];
    EXPECT_NEAR(found, dense, 1e-9 * dense);
    product *= found;
  }
  EXPECT_LE(numbers_of(sensitivity(m, base, Options("")).text, "wholeNet")[0], product);
}

TEST(ActivationScale, IsThatOfWeightAndBias) {
  const AnalysisModel m = disturbed(make("placement pre-ln\n"));
  Base base(m);
  const auto branch = [&](const AnalysisModel& model) {
    DoublePlan plan = branch_map(model, 1);
    plan.rows("x") = base.point(1);
    plan.run(Phase::forward);
    return Matrix(plan.rows("y"));
  };
  const Matrix once = branch(m);
  EXPECT_LT((branch(scaled_branches(m, 7)) - 7 * once).norm(), 1e-12 * once.norm());
}

// Behind a stream norm v is x_{i+1} − x_i: the best that the norm can give, minus what is there.
TEST(Support, OfAStreamNormCountsTheWholeStep) {
  const AnalysisModel m = disturbed(make("placement post-ln\n"));
  Base base(m);
  const Matrix p = base.net.plan.rows(base.point_name(2) + ".grad");
  const OutputNorm norm{"layernorm", m.parameters.at("blocks.0.ln_mlp_stream.weight"),
                        m.parameters.at("blocks.0.ln_mlp_stream.bias")};
  const double best = -p.cwiseProduct(maximizers(norm, p) - base.point(1)).sum();
  const std::string text = hamiltonian(m, base, Options("step 1\nscales 1\n")).text;
  EXPECT_NEAR(std::strtod(text.c_str() + text.find("\"support\":") + 10, nullptr), best, 1e-12 * std::fabs(best));
  const double own = -p.cwiseProduct(base.point(2) - base.point(1)).sum();
  EXPECT_NEAR(std::strtod(text.c_str() + text.find("\"power\":[") + 9, nullptr), own, 1e-12 * std::fabs(own));
}

TEST(Moments, AreThoseOfPlainLoops) {
  const AnalysisModel m = disturbed(make("placement peri-ln\n"));
  Base base(m);
  const Eigen::Map<Matrix> ring = base.net.plan.rows("ring");
  for (uint32_t i = 0; i < base.n_point(); ++i) {
    const Matrix x = base.point(i);
    double sum = 0, entry = 0, data = 0;
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      double mean = 0, square = 0;
      for (Eigen::Index c = 0; c < x.cols(); ++c) sum += std::fabs(x(r, c)), mean += x(r, c) / x.cols();
      for (Eigen::Index c = 0; c < x.cols(); ++c) square += (x(r, c) - mean) * (x(r, c) - mean) / x.cols();
      entry += square / x.rows();
    }
    for (Eigen::Index c = 0; c < x.cols(); ++c) {
      double mean = 0;
      for (Eigen::Index r = 0; r < x.rows(); ++r) mean += x(r, c) / x.rows();
      for (Eigen::Index r = 0; r < x.rows(); ++r) data += (x(r, c) - mean) * (x(r, c) - mean) / x.size();
    }
    const double got[] = {ring(0, n_header_slot + n_point_slot * i), ring(0, n_header_slot + n_point_slot * i + 1),
                          ring(0, n_header_slot + n_point_slot * i + 2)};
    EXPECT_NEAR(got[0], sum / x.size(), 1e-12 * got[0]);
    EXPECT_NEAR(got[1], entry, 1e-12 * entry);
    EXPECT_NEAR(got[2], data, 1e-12 * data);
  }
}

TEST(Ellipsoid, IsOfWhatIsAddedToTheStreamAndOfNoStepThatIsNormalizedAgain) {
  const auto text = [](const std::string& fields) {
    const AnalysisModel m = disturbed(make("placement peri-ln\n" + fields));
    Base base(m);
    return ellipsoid(m, base).text;
  };
  EXPECT_NE(text("").find("blocks.0.ln_attn_out"), std::string::npos);
  EXPECT_NE(text("early_fraction 0.5\nearly_norms output-stream\n").find("blocks.1.ln_attn_out"), std::string::npos);
  EXPECT_EQ(text("norm_stream true\n"), "null");
  EXPECT_EQ(text("norm_kind dyt\n"), "null");
}

TEST(Weights, MatricesInFrontOfAnOutputNormAreScaleInvariant) {
  const AnalysisModel m = make("placement peri-ln\neps 1e-9\n");
  Base base(m);
  for (uint32_t step = 0; step < n_residual_step(m.spec); ++step) {
    const std::string name = last_linear(m.spec, step) + ".weight";
    const Matrix w = base.net.plan.rows(name), g = base.net.plan.rows(name + ".grad");
    EXPECT_LT(std::fabs(w.cwiseProduct(g).sum()), 1e-6 * w.norm() * g.norm()) << name;
    EXPECT_GT(g.norm(), 1e-3);
  }
}

// The control: norms held, the function the same. Without it plain gradient steps can only lengthen such a matrix.
TEST(TrainingPath, HoldsTheNormOfScaleInvariantMatricesAndOfNoOthers) {
  Dataset data;
  make_markov(7, 7, data);
  const auto growth = [&](const std::string& fields, bool renormalise) {
    const AnalysisModel m = make(fields);
    TrainingPath path(m, data, 0, renormalise);
    std::string text = path.advance(20).text;
    text = text.substr(text.find("\"norm\":[") + 8);
    text = text.substr(0, text.find(']'));
    std::replace(text.begin(), text.end(), ',', ' ');
    std::vector<double> norms = Options("x " + text).numbers("x");
    for (uint32_t step = 0; step < norms.size(); ++step)
      norms[step] /= m.parameters.at(last_linear(m.spec, step) + ".weight").norm();
    return norms;
  };
  const std::string sgd = "placement peri-ln\noptimizer sgd\nmomentum 0\nlearning_rate 0.3\n",
                    adam = "learning_rate 0.05\nplacement ";
  for (const double ratio : growth(sgd, false)) EXPECT_GT(ratio, 1.0001);
  for (const double ratio : growth(adam + "peri-ln\n", false)) EXPECT_GT(ratio, 1.1);
  for (const double ratio : growth(adam + "peri-ln\n", true)) EXPECT_NEAR(ratio, 1, 0.1);  // the bias takes its part
  EXPECT_EQ(growth(adam + "pre-ln\n", false), growth(adam + "pre-ln\n", true));
  const std::string dyt = adam + "peri-ln\nnorm_kind dyt\n";  // feels the scale of what it reads
  EXPECT_EQ(growth(dyt, false), growth(dyt, true));
}

TEST(TrainingPath, IsTheTrainingOfTheProductInDouble) {
  ModelSpec spec;
  const std::string lines = "d_model 6\nn_head 2\nn_layer 2\nn_ctx 5\nn_batch 3\nd_ff 9\nplacement peri-ln\nwarmup 3\n";
  ASSERT_TRUE(parse_spec(lines, spec).ok());
  Machine machine("model", lines, "markov 7 7");
  machine.allocate();
  double loss = 0;
  for (int step = 0; step < 10; ++step) {
    machine.begin_step(Split::train);
    for (const Phase phase : {Phase::forward, Phase::backward, Phase::update}) machine.run(phase);
    loss += *machine.tensor("loss") / 10;
  }
  Analysis analysis(lines, "markov 7 7", 0);
  const std::string text = analysis.run("train", "steps 10");
  EXPECT_NEAR(std::strtod(text.c_str() + text.find("\"loss\":") + 7, nullptr), loss, 1e-4 * loss);
}

TEST(Usefulness, DroppingABlockThatAddsNothingCostsNothing) {
  AnalysisModel m = disturbed(make("placement pre-ln\n"));
  for (const char* name : {"blocks.1.attn.out_proj", "blocks.1.mlp.fc2"})
    m.parameters[std::string(name) + ".weight"].setZero(), m.parameters[std::string(name) + ".bias"].setZero();
  Base base(m);
  const auto cost = [&](int block) {
    const std::string text = drop_block(m, base, Options("block " + std::to_string(block))).text;
    return std::strtod(text.c_str() + text.find(':') + 1, nullptr);
  };
  EXPECT_NEAR(cost(1), 0, 1e-12);
  EXPECT_GT(std::fabs(cost(0)), 1e-3);
}

TEST(Uncertainty, StaysUnderTheBoundOfAnOutputNormWhateverTheWeights) {
  AnalysisModel m = disturbed(make("placement peri-ln\n"));
  for (uint32_t step = 0; step < n_residual_step(m.spec); ++step)
    m.parameters[last_linear(m.spec, step) + ".weight"] *= 1e3;
  Base base(m);
  const Clouds clouds = token_clouds(m, base, Options("n_point 15\nseed 2"));
  std::string text = distance_bound(m, base, clouds).text;
  text = text.substr(text.find('[') + 1);
  std::replace(text.begin(), text.end(), ',', ' ');
  const std::vector<double> bound = Options("x " + text).numbers("x");
  ASSERT_EQ(bound.size(), base.n_point());
  for (size_t i = 0; i < bound.size(); ++i) {
    const double exact = exact_w2(clouds.clean[i], clouds.moved[i]);
    EXPECT_LE(exact, bound[i] * (1 + 1e-12));
    EXPECT_GT(exact, 1e-3 * bound[i]);
  }
}

TEST(DoublePlan, SaysWhatDoesNotFitIntoMemory) {
  Plan plan;
  EXPECT_TRUE(DoublePlan::fits(plan));
  for (const int power : {56, 62}) {
    plan.n_float = uint64_t{1} << power;
    EXPECT_FALSE(DoublePlan::fits(plan)) << "2^" << power << " numbers";
  }
}

TEST(Analysis, MakesTheCloudsThatEachPieceAsksFor) {
  const std::string lines = "d_model 4\nn_head 1\nn_layer 1\nn_ctx 8\nn_batch 2\n";
  const auto paired = [](Analysis& analysis, const std::string& options) {
    return numbers_of(analysis.run("distances", "point 0\n" + options), "paired")[0];
  };
  Analysis one(lines, "markov 5 7", 0);
  const std::string wishes[] = {"tokens 0\nnoise 0.01\n", "tokens 0\nnoise 1\n", "tokens 1\n"};
  for (const std::string& wish : wishes) {
    Analysis fresh(lines, "markov 5 7", 0);
    EXPECT_EQ(paired(one, wish), paired(fresh, wish)) << wish;
  }
}

TEST(Analysis, TellsWhatIsWrongWithItsRequest) {
  EXPECT_EQ(Analysis("n_head 5\n", "", 0).status().code, "bad-spec");
  EXPECT_EQ(Analysis("n_vocab 4\n", "markov 8 1", 0).status().code, "bad-spec");
  EXPECT_EQ(Analysis("", "nonsense", 0).status().code, "bad-data");
  Analysis analysis("d_model 4\nn_head 1\nn_layer 1\nn_ctx 2\nn_batch 1\n", "markov 5 7", 0);
  analysis.reserve(3);
  analysis.write("blocks.0.mlp.fc1.weight");
  EXPECT_EQ(analysis.status().code, "unknown-tensor");
}

TEST(Analysis, GivesNullForWhatANonFiniteModelDoesNotHave) {
  Analysis analysis("d_model 4\nn_head 1\nn_layer 1\nn_ctx 3\nn_batch 1\nplacement peri-ln\n", "markov 5 7", 0);
  float* values = analysis.reserve(16);
  std::fill_n(values, 16, std::nanf(""));
  analysis.write("blocks.0.attn.out_proj.weight");
  ASSERT_TRUE(analysis.status().ok());
  for (const char* piece :
       {"moments", "sensitivity", "scaled-net", "scaled-step", "hamiltonian", "ellipsoid", "distances",
        "distance-bound", "usefulness", "drop-block", "matrix", "output-gains", "gradients", "norm-jacobian"})
    EXPECT_FALSE(analysis.run(piece, "step 0\nscales 1 10\nindex 5\npoint 2\nblock 0\n").empty()) << piece;
  EXPECT_NE(analysis.run("sensitivity", "step 0").find("\"step\":null"), std::string::npos);
  EXPECT_NE(analysis.run("distances", "point 2").find("\"exact\":null"), std::string::npos);
}

}  // namespace
}  // namespace normscope
