// The statistics of a step against the stream they were taken from, and the bounds of theory against their formula.
#include "arena.h"
#include "reference_norms.h"
#include "reference_optimizer.h"
#include "training.h"

namespace normscope {
namespace {

using reference::Values;

struct Moments {
  double mean_abs = 0, entry_variance = 0, data_variance = 0, most = 0;
};

// entry-wise: variance over the features of a token, mean over tokens; data-wise: the other way round.
Moments moments(const Values& x, size_t d) {
  Moments m;
  const size_t n_row = x.size() / d;
  for (const double value : x) m.mean_abs += std::fabs(value) / static_cast<double>(x.size());
  double mean, variance;
  for (size_t row = 0; row < n_row; ++row) {
    reference::mean_and_variance(&x[row * d], d, 1, mean, variance);
    m.entry_variance += variance / static_cast<double>(n_row);
  }
  for (size_t j = 0; j < d; ++j) {
    reference::mean_and_variance(&x[j], n_row, d, mean, variance);
    m.data_variance += variance / static_cast<double>(d);
  }
  m.most = largest(x);
  return m;
}

Values read(Machine& m, std::string_view name) {
  const float* from = m.tensor(name);
  return Values(from, from + m.plan().tensors[m.plan().find(name)].n_per_model);
}

const std::string small = "n_layer 2\nd_model 20\nn_ctx 7\nn_batch 3\nlearning_rate 0.05\n";

TEST(Observe, MeasuresTheMomentsOfEveryPoint) {
  for (const char* placement : {"none", "post-ln", "pre-ln", "peri-ln"}) {
    Training t(small + "placement " + placement + "\n");
    for (int step = 0; step < 3; ++step) {
      t.step();
      for (size_t i = 0; i < t.n_point(); ++i) {
        const Values x = read(t.machine, t.machine.plan().tensors[t.machine.layout().points[i]].name);
        const Moments m = moments(x, 20);
        const float* p = t.point(i);
        EXPECT_NEAR(p[0] / m.mean_abs, 1, 2e-6);
        EXPECT_NEAR(p[1] / m.entry_variance, 1, 5e-6);
        EXPECT_NEAR(p[2] / m.data_variance, 1, 5e-6);
        EXPECT_EQ(p[3], m.most);
        bool found = false;
        for (size_t k = static_cast<size_t>(p[7]); k < x.size(); k += 20) found |= std::fabs(x[k]) == m.most;
        EXPECT_TRUE(found) << "channel " << p[7];
      }
    }
  }
}

struct Bounds {
  double mean_abs, std, data_std;
};

// The unit roundoff of the number format that the stream is rounded to.
double roundoff(const ModelSpec& spec) {
  return spec.format == "fp16" ? std::ldexp(1.0, -11) : spec.format == "bf16" ? std::ldexp(1.0, -8) : 0;
}

// One step of theory: m + Δt (rms γ + mean |β|), std + Δt (max |γ| + std β), data-wise std + Δt max |γ|.
// Rounding may stretch the branch and the sum by 1 + u each.
Bounds next_bounds(const Bounds& before, double keep, double step, double u, const Values& gamma, const Values& beta) {
  double mean_square = 0, mean_abs = 0, mean, variance;
  for (size_t i = 0; i < gamma.size(); ++i) {
    mean_square += gamma[i] * gamma[i] / static_cast<double>(gamma.size());
    mean_abs += std::fabs(beta[i]) / static_cast<double>(gamma.size());
  }
  reference::mean_and_variance(beta.data(), beta.size(), 1, mean, variance);
  const auto next = [&](double bound, double gain) { return (keep * bound + step * gain * (1 + u)) * (1 + u); };
  return {next(before.mean_abs, std::sqrt(mean_square) + mean_abs),
          next(before.std, largest(gamma) + std::sqrt(variance)), next(before.data_std, largest(gamma))};
}

struct BoundCase {
  std::string name, fields, norm;  // the norm whose gains bound a step
  double keep, step;

  friend void PrintTo(const BoundCase& c, std::ostream* out) { *out << c.name; }
};

class Bound : public testing::TestWithParam<BoundCase> {};

TEST_P(Bound, FollowsItsFormulaFromTheGainsOfTheStepAndHolds) {
  Training t(small + GetParam().fields);
  t.steps(5);  // so that gains and shifts have moved
  std::vector<std::pair<Values, Values>> norms;
  for (const char* layer : {"blocks.0.", "blocks.1."})
    for (const char* branch : {"ln_attn_", "ln_mlp_"}) {
      const std::string name = layer + (branch + GetParam().norm);
      const bool has_shift = t.machine.plan().find(name + ".bias") != no_tensor;
      norms.emplace_back(read(t.machine, name + ".weight"),
                         has_shift ? read(t.machine, name + ".bias") : Values(20, 0));
    }
  t.step();
  const float* start = t.point(0);
  Bounds expected{start[0], std::sqrt(start[1]), std::sqrt(start[2])};
  for (size_t i = 0; i < t.n_point(); ++i) {
    if (i > 0)
      expected = next_bounds(expected, GetParam().keep, GetParam().step, roundoff(t.machine.spec()), norms[i - 1].first,
                             norms[i - 1].second);
    EXPECT_NEAR(t.point(i)[4] / expected.mean_abs, 1, 1e-5) << i;
    EXPECT_NEAR(t.point(i)[5] / expected.std, 1, 1e-5) << i;
    EXPECT_NEAR(t.point(i)[6] / expected.data_std, 1, 1e-5) << i;
  }
  t.steps(20);
}

INSTANTIATE_TEST_SUITE_P(
    , Bound,
    testing::Values(BoundCase{"peri_ln", "placement peri-ln\n", "out", 1, 1},
                    BoundCase{"peri_ln_rmsnorm", "placement peri-ln\nnorm_kind rmsnorm\n", "out", 1, 1},
                    BoundCase{"peri_ln_batchnorm", "placement peri-ln\nnorm_kind batchnorm\n", "out", 1, 1},
                    BoundCase{"peri_ln_small_step", "placement peri-ln\ndt 0.125\n", "out", 1, 0.125},
                    BoundCase{"peri_ln_alpha", "placement peri-ln\nalpha 0.75\n", "out", 0.75, 1},
                    BoundCase{"peri_ln_backward_step", "placement peri-ln\ndt -0.5\n", "out", 1, 0.5},
                    BoundCase{"peri_ln_turned_skip", "placement peri-ln\nalpha -0.5\n", "out", 0.5, 1},
                    BoundCase{"peri_ln_dropout", "placement peri-ln\ndropout 0.5\n", "out", 1, 1},
                    BoundCase{"output_ln", "placement output-ln\n", "out", 1, 1},
                    BoundCase{"output_ln_without_residual", "placement output-ln\nresidual false\ndt 2\n", "out", 0, 2},
                    BoundCase{"post_ln", "placement post-ln\n", "stream", 0, 1},
                    BoundCase{"post_ln_rmsnorm", "placement post-ln\nnorm_kind rmsnorm\n", "stream", 0, 1},
                    BoundCase{"post_ln_batchnorm", "placement post-ln\nnorm_kind batchnorm\n", "stream", 0, 1},
                    BoundCase{"post_ln_fp16", "placement post-ln\nformat fp16\n", "stream", 0, 1}),
    [](const auto& info) { return info.param.name; });

TEST(Observe, ClaimsNoBoundWhereTheoryHasNone) {
  for (const char* placement : {"none", "plain", "pre-ln", "peri-ln\nnorm_kind none"}) {
    Training t(small + "placement " + placement + "\n");
    t.step();
    for (size_t i = 1; i < t.n_point(); ++i)
      for (const int slot : {4, 5, 6}) EXPECT_TRUE(std::isnan(t.point(i)[slot])) << placement;
  }
}

TEST(Observe, ReportsStepLossRateAndGradientNormsOfEveryGroup) {
  Training t(small + "placement pre-ln\nwarmup 3\n");
  t.steps(2);
  t.step();
  EXPECT_EQ(t.header()[0], 2);
  EXPECT_EQ(t.header()[1], *t.machine.tensor("loss"));
  EXPECT_EQ(t.header()[2], t.machine.tensor("control")[1]);
  EXPECT_FLOAT_EQ(t.header()[3], 0.05f * 3 / 4);
  EXPECT_EQ(t.header()[4], 21);
  const ModelLayout& layout = t.machine.layout();
  EXPECT_EQ(layout.groups, (std::vector<std::string>{"embedding", "blocks.0", "blocks.1", "head"}));
  Values all;
  for (size_t group = 0, parameter = 0; group < layout.groups.size(); ++group) {
    Values g;
    for (; parameter < layout.group_end[group]; ++parameter) {
      const Values one = read(t.machine, t.machine.plan().tensors[layout.parameters[parameter]].name + ".grad");
      g.insert(g.end(), one.begin(), one.end());
    }
    EXPECT_NEAR(t.group_norm(group) / static_cast<double>(reference::norm(g)), 1, 1e-5) << layout.groups[group];
    all.insert(all.end(), g.begin(), g.end());
  }
  EXPECT_NEAR(t.header()[2] / static_cast<double>(reference::norm(all)), 1, 1e-5);
}

TEST(Observe, KeepsTheLastRowsInARing) {
  Training t("n_layer 1\nd_model 4\nn_ctx 2\nn_batch 1\n");
  t.steps(n_ring + 3);
  const float* ring = t.machine.tensor("ring");
  for (uint32_t row = 0; row < n_ring; ++row) {
    const uint32_t step = row < 3 ? row + n_ring : row;
    EXPECT_EQ(ring[row * t.machine.layout().row_width], step);
    EXPECT_EQ(ring[row * t.machine.layout().row_width + 1], t.losses[step]);
  }
}

}  // namespace
}  // namespace normscope
