// Two blocks as the formulas write them, in double, for every wiring; each case says by hand what its steps are.
#include "arena.h"
#include "model/machine.h"
#include "reference_layers.h"
#include "reference_norms.h"

namespace normscope {
namespace {

using reference::Values;

constexpr size_t d = 8, n_head = 2, d_ff = 7, n_ctx = 3, n_batch = 2, n_row = n_batch * n_ctx;

// y = N_stream(skip · (x or N_in(x)) + dt · s ⊙ N_out(f(c · N_in(x))))
struct Step {
  bool in = false, out = false, stream = false;
  double skip = 1, dt = 1, c = 1;
  bool normed_skip = false;
};

struct BlockCase {
  std::string name, fields, kind;
  std::vector<Step> steps;  // attention, MLP, attention, MLP
  std::string head_norms = "", head_kind = "";

  friend void PrintTo(const BlockCase& c, std::ostream* out) { *out << c.name; }
};

std::vector<Step> each(const Step& step) { return {step, step, step, step}; }

const Step none{}, pre{true, false, false}, peri{true, true, false}, post{false, false, true},
    output{false, true, false};
const double root2 = std::sqrt(2.0);

const BlockCase cases[] = {
    {"none", "placement none\ndt 0.3\n", "layernorm", each({false, false, false, 1, 0.3})},
    {"plain", "placement plain\n", "layernorm", each({false, false, false, 0})},
    {"plain_ln", "placement plain-ln\n", "layernorm", each({false, false, true, 0})},
    {"post_ln", "placement post-ln\nalpha 0.7\n", "layernorm", each({false, false, true, 0.7})},
    {"pre_ln", "placement pre-ln\n", "layernorm", each(pre)},
    {"peri_ln", "placement peri-ln\ndt 0.3\n", "layernorm", each({true, true, false, 1, 0.3})},
    {"output_ln", "placement output-ln\n", "layernorm", each(output)},
    {"sandwich_ln", "placement sandwich-ln\n", "layernorm", each(peri)},
    {"deepnorm", "placement deepnorm\n", "layernorm", each({false, false, true, root2})},
    {"ln_scaling",
     "placement ln-scaling\n",
     "layernorm",
     {pre, pre, {true, false, false, 1, 1, 1 / root2}, {true, false, false, 1, 1, 1 / root2}}},
    {"rezero", "placement rezero\n", "layernorm", each(none)},
    {"layerscale", "placement layerscale\ndt 0.3\n", "layernorm", each({true, false, false, 1, 0.3})},
    {"mix_ln", "placement mix-ln\nearly_fraction 0.5\n", "layernorm", {post, post, pre, pre}},
    {"hybridnorm",
     "placement hybridnorm\ndt 0.3\n",
     "layernorm",
     {{false, false, false, 1, 0.3},
      {true, false, false, 1, 0.3, 1, true},
      {false, false, false, 1, 0.3},
      {true, false, false, 1, 0.3, 1, true}},
     "qkv",
     "layernorm"},
    {"keel", "placement keel\n", "layernorm", each({true, false, true, 2})},
    {"every_norm_and_scale",
     "placement peri-ln\nnorm_stream true\nalpha 0.7\ndt 0.3\nbranch_scale vector\n"
     "depth_scale inverse-sqrt\nalpha_rule n-layer\n",
     "layernorm",
     {{true, true, true, 1.4, 0.3},
      {true, true, true, 1.4, 0.3},
      {true, true, true, 1.4, 0.3, 1 / root2},
      {true, true, true, 1.4, 0.3, 1 / root2}}},
    {"norms_of_the_mlp_steps",
     "placement pre-ln\nmlp_norms output-stream\n",
     "layernorm",
     {pre, {false, true, true}, pre, {false, true, true}}},
    {"no_norms_in_the_mlp_steps", "placement peri-ln\nmlp_norms none\n", "layernorm", {peri, none, peri, none}},
    {"early_norms_go_before_mlp_norms",
     "placement pre-ln\nmlp_norms output\nearly_fraction 0.5\nearly_norms stream\n",
     "layernorm",
     {post, post, pre, output}},
    {"a_skip_from_the_norm_with_an_output_norm",
     "placement peri-ln\nmlp_skip normed\nalpha 0.7\n",
     "layernorm",
     {{true, true, false, 0.7},
      {true, true, false, 0.7, 1, 1, true},
      {true, true, false, 0.7},
      {true, true, false, 0.7, 1, 1, true}}},
    {"the_scale_of_depth_is_not_on_the_skip_path",
     "placement ln-scaling\nmlp_skip normed\n",
     "layernorm",
     {pre,
      {true, false, false, 1, 1, 1, true},
      {true, false, false, 1, 1, 1 / root2},
      {true, false, false, 1, 1, 1 / root2, true}}},
    {"rmsnorm", "placement peri-ln\nnorm_kind rmsnorm\n", "rmsnorm", each(peri)},
    {"batchnorm", "placement pre-ln\nnorm_kind batchnorm\n", "batchnorm", each(pre)},
    {"dyt", "placement peri-ln\nnorm_kind dyt\n", "dyt", each(peri)},
    {"dyt_of_the_stream", "placement post-ln\nnorm_kind dyt\n", "dyt", each(post)},
    {"no_norm_at_all",
     "placement keel\nnorm_kind none\nqk_norm qkv\ndepth_scale inverse-sqrt\n",
     "none",
     {{true, false, true, 2},
      {true, false, true, 2},
      {true, false, true, 2, 1, 1 / root2},
      {true, false, true, 2, 1, 1 / root2}}},
    {"layernorm_without_parameters", "placement keel\nnorm_affine false\n", "layernorm", each({true, false, true, 2})},
    {"rmsnorm_without_parameters", "placement peri-ln\nnorm_kind rmsnorm\nnorm_affine false\n", "rmsnorm", each(peri)},
    {"batchnorm_without_parameters", "placement post-ln\nnorm_kind batchnorm\nnorm_affine false\n", "batchnorm",
     each(post)},
    {"dyt_without_gain_and_shift", "placement pre-ln\nnorm_kind dyt\nnorm_affine false\n", "dyt", each(pre)},
    {"queries_and_keys", "placement output-ln\nqk_norm qk\n", "layernorm", each(output), "qk", "layernorm"},
    {"queries_and_keys_by_rmsnorm", "placement pre-ln\nqk_norm qk\nnorm_kind rmsnorm\n", "rmsnorm", each(pre), "qk",
     "rmsnorm"},
    {"queries_and_keys_beside_dyt", "placement pre-ln\nqk_norm qkv\nnorm_kind dyt\n", "dyt", each(pre), "qkv",
     "rmsnorm"},
    {"queries_and_keys_beside_batchnorm", "placement pre-ln\nqk_norm qk\nnorm_kind batchnorm\n", "batchnorm", each(pre),
     "qk", "rmsnorm"},
    {"queries_and_keys_without_parameters", "placement pre-ln\nqk_norm qkv\nnorm_affine false\n", "layernorm",
     each(pre), "qkv", "layernorm"},
};

class ReferenceBlocks {
 public:
  ReferenceBlocks(const BlockCase& block_case, const Plan& plan, Arena<double>& arena)
      : case_(block_case), plan_(plan), arena_(arena) {}

  Values step(size_t i, const Values& x) {
    const Step& s = case_.steps[i];
    const bool attention = i % 2 == 0;
    const std::string block = "blocks." + std::to_string(i / 2), part = attention ? "attn" : "mlp",
                      norms = block + ".ln_" + part;
    const Values input = s.in ? norm(norms + "_in", x) : x;
    Values branch = reference::map(input, [&](double v) { return static_cast<float>(s.c) * v; });
    branch = attention ? attention_branch(block + ".attn", branch) : mlp_branch(block + ".mlp", branch);
    if (s.out) branch = norm(norms + "_out", branch);
    const Values scale = value(block + ".scale_" + part, {1});
    for (size_t k = 0; k < branch.size(); ++k) branch[k] *= scale[k % scale.size()];
    const Values sum =
        reference::residual(s.normed_skip ? input : x, branch, static_cast<float>(s.skip), static_cast<float>(s.dt));
    return s.stream ? norm(norms + "_stream", sum) : sum;
  }

 private:
  Values value(const std::string& name, const Values& when_absent) {
    return plan_.find(name) == no_tensor ? when_absent : arena_.read(name);
  }
  Values linear(const std::string& name, const Values& x, size_t n_in, size_t n_out) {
    return reference::linear(x, arena_.read(name + ".weight"), arena_.read(name + ".bias"), n_in, n_out);
  }
  Values norm(const std::string& name, const Values& x) { return norm(case_.kind, name, x, d); }
  Values norm(const std::string& kind, const std::string& name, const Values& x, size_t width) {
    const Values gamma = value(name + ".weight", Values(width, 1)), beta = value(name + ".bias", Values(width, 0));
    const size_t rows = x.size() / width;
    if (kind == "layernorm") return reference::layernorm(x, gamma, beta, rows, width, 1e-5f).y;
    if (kind == "rmsnorm") return reference::rmsnorm(x, gamma, rows, width, 1e-5f).y;
    if (kind == "batchnorm") return reference::batchnorm(x, gamma, beta, rows, width, 1e-5f).y;
    if (kind == "none") return x;
    const double alpha = arena_.read(name + ".alpha")[0];
    Values y(x.size());
    for (size_t i = 0; i < y.size(); ++i) y[i] = gamma[i % width] * std::tanh(alpha * x[i]) + beta[i % width];
    return y;
  }
  Values attention_branch(const std::string& name, const Values& x) {
    Values part[3];
    for (size_t i = 0; i < 3; ++i) {
      const std::string letter(1, "qkv"[i]);
      part[i] = linear(name + "." + letter + "_proj", x, d, d);
      if (case_.head_norms.find(letter) != std::string::npos)
        part[i] = norm(case_.head_kind, name + "." + letter + "_norm", part[i], d / n_head);
    }
    const reference::Attention shape{n_batch, n_ctx, n_ctx, n_head, d / n_head, true};
    return linear(name + ".out_proj", reference::attention(part[0], part[1], part[2], {}, shape).y, d, d);
  }
  Values mlp_branch(const std::string& name, const Values& x) {
    return linear(name + ".fc2", reference::map(linear(name + ".fc1", x, d, d_ff), reference::gelu_tanh), d_ff, d);
  }

  const BlockCase& case_;
  const Plan& plan_;
  Arena<double>& arena_;
};

// No 1 and no 0, so that each one counts; matrices small enough that the attention looks at more than one key.
void fill_parameters(const Plan& plan, Arena<double>& arena) {
  uint32_t n = 0;
  for (const Tensor& t : plan.tensors) {
    if (t.role != Role::parameter) continue;
    const double size = t.shape.size() > 1 ? 0.4 : 1;
    arena.write(t.name, reference::map(normals(t.n_per_model, ++n), [&](double v) { return size * v; }));
  }
}

class Blocks : public testing::TestWithParam<BlockCase> {};

TEST_P(Blocks, EqualTheirFormulaAtEveryPoint) {
  Machine machine("block", "n_layer 2\nd_model 8\nn_head 2\nd_ff 7\nn_ctx 3\nn_batch 2\n" + GetParam().fields, "");
  ASSERT_TRUE(machine.status().ok()) << machine.status().message;
  const Plan& plan = machine.plan();
  Arena<double> arena(plan);
  fill_parameters(plan, arena);
  Values x = normals(n_row * d, 99);
  arena.write("x", x);
  arena.run(Phase::forward);
  ReferenceBlocks blocks(GetParam(), plan, arena);
  for (size_t i = 0; i < 4; ++i) {
    x = blocks.step(i, x);
    const std::string& name = plan.tensors[machine.layout().points[i + 1]].name;
    EXPECT_EQ(name, i == 3 ? "y" : "blocks." + std::to_string(i / 2) + (i % 2 ? ".resid_post" : ".resid_mid"));
    expect_near(arena.read(name), x, 1e-11, name);
  }
}

TEST_P(Blocks, HaveNoParameterThatChangesNothing) {
  Machine machine("block", "n_layer 2\nd_model 8\nn_head 2\nd_ff 7\nn_ctx 3\nn_batch 2\n" + GetParam().fields, "");
  const Plan& plan = machine.plan();
  Arena<double> arena(plan);
  fill_parameters(plan, arena);
  arena.write("x", normals(n_row * d, 99));
  arena.write("y.grad", normals(n_row * d, 98));
  arena.run(Phase::forward);
  arena.run(Phase::backward);
  for (const Tensor& t : plan.tensors) {
    // The keys' shift cancels in the softmax; a LayerNorm or BatchNorm takes a common shift out as well.
    if (t.role != Role::parameter || t.name.find(".bias") != std::string::npos) continue;
    EXPECT_GT(largest(arena.read(t.name + ".grad")), 1e-6) << t.name;
  }
}

INSTANTIATE_TEST_SUITE_P(, Blocks, testing::ValuesIn(cases), [](const auto& info) { return info.param.name; });

TEST(NormAffine, OffLeavesNoGainsAndShifts) {
  for (const std::string kind : {"layernorm", "rmsnorm", "batchnorm", "dyt"}) {
    Machine machine("block", "placement hybridnorm\nnorm_affine false\nnorm_kind " + kind + "\n", "");
    for (const Tensor& t : machine.plan().tensors) {
      if (t.role != Role::parameter) continue;
      const bool of_a_norm = t.name.find(".ln_") != std::string::npos || t.name.find("_norm.") != std::string::npos;
      EXPECT_TRUE(!of_a_norm || t.name.find(".alpha") != std::string::npos) << t.name;
    }
  }
}

// What a step adds to the stream, and the whole step, planned alone.
TEST(StepAlone, IsItsBranchAddedToTheSkipPathAndNormalized) {
  for (const Placement& row : placements())
    for (const uint32_t step : {2u, 3u}) {
      ModelSpec spec;
      ASSERT_TRUE(parse_spec("n_layer 2\nd_model 8\nn_head 2\nd_ff 7\nn_ctx 3\nn_batch 2\ndt 0.3\nplacement " +
                                 std::string(row.name) + "\n",
                             spec)
                      .ok());
      const StepWiring wiring = step_wiring(spec, step);
      Values y[2];
      for (const bool branch_only : {false, true}) {
        Builder b;
        build_step(b, spec, step, branch_only);
        ASSERT_TRUE(b.status().ok()) << b.status().message;
        const Plan plan = b.finish();
        Arena<double> arena(plan);
        for (const Tensor& t : plan.tensors)
          if (t.role == Role::parameter && t.shape.size() > 1) arena.write(t.name, normals(t.n_per_model, 7));
        if (plan.find("blocks.1.scale_mlp") != no_tensor) arena.at("blocks.1.scale_mlp")[0] = 0.7;
        arena.write("x", normals(n_row * d, 99));
        arena.run(Phase::forward);
        y[branch_only] = arena.read("y");
        EXPECT_TRUE(!branch_only || plan.find("blocks.1.ln_mlp_stream.weight") == no_tensor);
      }
      const Values x = normals(n_row * d, 99), one(d, 1), zero(d, 0);
      const Values skip = wiring.normed_skip ? reference::layernorm(x, one, zero, n_row, d, 1e-5f).y : x;
      Values sum = reference::residual(skip, y[1], static_cast<float>(wiring.skip), 1);
      if (wiring.norms.stream) sum = reference::layernorm(sum, one, zero, n_row, d, 1e-5f).y;
      expect_near(y[0], sum, 1e-12, row.name);
    }
}

}  // namespace
}  // namespace normscope
