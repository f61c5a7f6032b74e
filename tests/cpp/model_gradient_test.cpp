// Whole models: every parameter's gradient against finite differences of the loss, in double.
#include <algorithm>

#include "arena.h"
#include "model/machine.h"

namespace normscope {
namespace {

struct ModelCase {
  std::string name, fields;
  double step = 1e-3;  // of the differences; small where there is a kink

  friend void PrintTo(const ModelCase& c, std::ostream* out) { *out << c.name; }
};

const std::string small = "d_model 6\nn_head 2\nd_ff 7\nn_layer 2\nn_ctx 3\nn_batch 2\n";

const std::vector<ModelCase> by_hand = {
    {"none", "placement none\n"},
    {"plain", "placement plain\n"},
    {"post_ln", "placement post-ln\n"},
    {"pre_ln", "placement pre-ln\n"},
    {"peri_ln", "placement peri-ln\n"},
    {"output_ln", "placement output-ln\n"},
    {"post_ln_rmsnorm", "placement post-ln\nnorm_kind rmsnorm\n"},
    {"pre_ln_rmsnorm", "placement pre-ln\nnorm_kind rmsnorm\n"},
    {"peri_ln_rmsnorm", "placement peri-ln\nnorm_kind rmsnorm\n"},
    {"post_ln_batchnorm", "placement post-ln\nnorm_kind batchnorm\n"},
    {"pre_ln_batchnorm", "placement pre-ln\nnorm_kind batchnorm\n"},
    {"peri_ln_batchnorm", "placement peri-ln\nnorm_kind batchnorm\n", 1e-4},
    {"peri_ln_without_norms", "placement peri-ln\nnorm_kind none\n"},
    {"post_ln_with_dt_and_alpha", "placement post-ln\ndt 0.3\nalpha 0.7\n"},
    {"pre_ln_with_dt_and_alpha", "placement pre-ln\ndt 0.3\nalpha 0.7\n"},
    {"peri_ln_with_dt_and_alpha", "placement peri-ln\ndt 0.3\nalpha 0.7\n"},
    {"plain_with_stream_norm_and_dt", "placement plain\nnorm_stream true\ndt 0.3\n"},
    {"every_norm_at_once", "placement peri-ln\nnorm_stream true\nnorm_embedding true\n"},
    {"pre_ln_with_dropout", "placement pre-ln\ndropout 0.3\n"},
    {"peri_ln_with_dropout_and_embedding_norm", "placement peri-ln\ndropout 0.3\nnorm_embedding true\n"},
    {"pre_ln_not_causal", "placement pre-ln\ncausal false\n"},
    {"pre_ln_gelu_erf", "placement pre-ln\nactivation gelu_erf\n"},
    {"pre_ln_tanh", "placement pre-ln\nactivation tanh\n"},
    {"pre_ln_relu", "placement pre-ln\nactivation relu\n", 3e-5},
    {"pre_ln_xavier", "placement pre-ln\ninit xavier\n"},
    {"peri_ln_gpt2", "placement peri-ln\ninit gpt2\neps 0.01\n"},
    {"sublayers_none", "placement none\nblock sublayer\n"},
    {"sublayers_post_ln_with_dropout", "placement post-ln\nblock sublayer\ndropout 0.1\n"},
    {"sublayers_peri_ln", "placement peri-ln\nblock sublayer\n"},
    {"no_blocks", "placement pre-ln\nn_layer 0\n"},
    {"mix_ln_half", "placement mix-ln\nearly_fraction 0.5\n"},
    {"keel_with_dt_and_alpha", "placement keel\ndt 0.3\nalpha 0.7\n"},
    {"rezero_with_dt", "placement rezero\ndt 0.3\n"},
    {"peri_ln_with_branch_scale", "placement peri-ln\nbranch_scale vector\n"},
    {"post_ln_with_branch_scale", "placement post-ln\nbranch_scale scalar\n"},
    {"ln_scaling_with_a_normed_skip", "placement ln-scaling\nmlp_skip normed\n"},
    {"peri_ln_with_a_normed_skip_and_dropout", "placement peri-ln\nmlp_skip normed\ndropout 0.3\n"},
    {"plain_with_a_norm_per_step", "placement plain\nnorm_input true\nmlp_norms output-stream\n"},
    {"output_ln_qk_norm", "placement output-ln\nqk_norm qk\n", 1e-4},
    {"output_ln_qk_norm_rmsnorm", "placement output-ln\nqk_norm qk\nnorm_kind rmsnorm\n"},
    {"pre_ln_qkv_norm_dyt", "placement pre-ln\nqk_norm qkv\nnorm_kind dyt\n"},
    {"peri_ln_without_parameters", "placement peri-ln\nqk_norm qk\nnorm_affine false\n", 1e-4},
    {"post_ln_without_parameters", "placement post-ln\nnorm_affine false\n"},
    {"peri_ln_rmsnorm_without_parameters", "placement peri-ln\nnorm_kind rmsnorm\nnorm_affine false\n"},
    {"peri_ln_dyt_without_parameters", "placement peri-ln\nnorm_kind dyt\nnorm_affine false\n"},
    {"pre_ln_batchnorm_without_parameters", "placement pre-ln\nnorm_kind batchnorm\nnorm_affine false\n"},
    {"pre_ln_with_z_loss", "placement pre-ln\nz_loss 0.1\n"},
    {"sublayers_keel", "placement keel\nblock sublayer\n"},
    {"sublayers_layerscale", "placement layerscale\nblock sublayer\n"},
};

// Every row of the table with every kind of norm. A norm of three features or six rows is curved: short differences.
std::vector<ModelCase> all_cases() {
  std::vector<ModelCase> cases = by_hand;
  const auto known = [&](const std::string& name) {
    return std::any_of(cases.begin(), cases.end(), [&](const ModelCase& c) { return c.name == name; });
  };
  for (const Placement& row : placements())
    for (const std::string kind : {"layernorm", "rmsnorm", "dyt", "batchnorm", "none"}) {
      std::string name = std::string(row.name) + (kind == "layernorm" ? "" : "_" + kind);
      std::replace(name.begin(), name.end(), '-', '_');
      if (known(name)) continue;
      const bool curved = kind == "batchnorm" || std::string(row.fields).find("qk_norm") != std::string::npos;
      cases.push_back(
          {name, "placement " + std::string(row.name) + "\nnorm_kind " + kind + "\n", curved ? 1e-4 : 1e-3});
    }
  return cases;
}

class ModelGradient : public testing::TestWithParam<ModelCase> {};

// Gains, shifts and biases start at 1 and 0; moved off, so that no gradient hides behind a zero.
void disturb(const Plan& plan, Arena<double>& arena) {
  for (const Tensor& t : plan.tensors) {
    if (t.role != Role::parameter || t.shape.size() > 1) continue;
    const std::vector<double> noise = normals(t.n_per_model, 5);
    for (size_t i = 0; i < noise.size(); ++i) arena.at(t.name)[i] += 0.2 * noise[i];
  }
}

double slope(Arena<double>& arena, double& value, double step) {
  const double start = value;
  const auto loss = [&](double k) {
    value = start + k * step;
    arena.run(Phase::forward);
    return *arena.at("loss");
  };
  const double result = (8 * (loss(1) - loss(-1)) - (loss(2) - loss(-2))) / (12 * step);
  value = start;
  return result;
}

TEST_P(ModelGradient, EqualsFiniteDifferencesForEveryParameter) {
  Machine machine("model", small + GetParam().fields, "markov 5 7");
  ASSERT_TRUE(machine.status().ok()) << machine.status().message;
  const float* values = machine.allocate();
  machine.begin_step(Split::train);
  const Plan& plan = machine.plan();
  Arena<double> arena(plan);
  for (const Tensor& t : plan.tensors) std::copy_n(values + t.offset, t.n_per_model, arena.at(t.name));
  disturb(plan, arena);
  arena.run(Phase::forward);
  arena.run(Phase::backward);

  std::map<std::string, std::vector<double>> gradients;
  double most = 0;
  for (const TensorId id : machine.layout().parameters) {
    const std::string& name = plan.tensors[id].name;
    gradients[name] = arena.read(name + ".grad");
    most = std::fmax(most, largest(gradients[name]));
  }
  EXPECT_EQ(gradients.size(),
            static_cast<size_t>(std::count_if(plan.tensors.begin(), plan.tensors.end(),
                                              [](const Tensor& t) { return t.role == Role::parameter; })));
  ASSERT_GT(most, 1e-3);
  for (const auto& [name, gradient] : gradients) {
    std::vector<double> slopes;
    double* parameter = arena.at(name);
    for (size_t i = 0; i < gradient.size(); ++i) slopes.push_back(slope(arena, parameter[i], GetParam().step));
    // A tensor a million times below the model's largest counts as zero: differences of the loss resolve nothing
    // smaller.
    expect_near(gradient, slopes, 1e-7, name, largest(gradient) > 1e-5 * most ? largest(gradient) : most);
  }
}

INSTANTIATE_TEST_SUITE_P(, ModelGradient, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

// The float instance that the product runs, against the double instance that the test above has checked.
class ModelFloat : public testing::TestWithParam<ModelCase> {};

TEST_P(ModelFloat, HasTheLossAndGradientsOfTheDoubleInstance) {
  Machine machine("model", "n_layer 2\nd_model 12\nn_ctx 9\nn_batch 2\n" + GetParam().fields, "markov 11 7");
  const float* values = machine.allocate();
  ASSERT_NE(values, nullptr) << machine.status().message;
  machine.begin_step(Split::train);
  const Plan& plan = machine.plan();
  Arena<double> arena(plan);
  for (const Tensor& t : plan.tensors) std::copy_n(values + t.offset, t.n_per_model, arena.at(t.name));
  for (const Phase phase : {Phase::forward, Phase::backward}) machine.run(phase), arena.run(phase);
  EXPECT_NEAR(*machine.tensor("loss"), *arena.at("loss"), 2e-5 * *arena.at("loss"));
  double most = 0;
  for (const TensorId id : machine.layout().parameters)
    most = std::fmax(most, largest(arena.read(plan.tensors[id].name + ".grad")));
  for (const TensorId id : machine.layout().parameters) {
    const std::string name = plan.tensors[id].name + ".grad";
    const std::vector<double> expected = arena.read(name),
                              got(machine.tensor(name), machine.tensor(name) + expected.size());
    expect_near(got, expected, 5e-5, name, std::fmax(largest(expected), 1e-2 * most));
  }
}

INSTANTIATE_TEST_SUITE_P(, ModelFloat, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace

}  // namespace normscope
