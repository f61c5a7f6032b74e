// What a model spec accepts, and how it refuses: each refusal names the field and what was given.
#include "model/spec.h"

#include <gtest/gtest.h>

#include "model/machine.h"

namespace normscope {
namespace {

Status parsed(const std::string& fields) {
  ModelSpec spec;
  return parse_spec(fields, spec);
}

struct Refusal {
  std::string fields, field, given;

  friend void PrintTo(const Refusal& r, std::ostream* out) { *out << r.fields; }
};

class SpecRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(SpecRefusal, NamesTheFieldAndTheValue) {
  const Status status = parsed(GetParam().fields);
  EXPECT_EQ(status.code, "bad-spec");
  EXPECT_NE(status.message.find(GetParam().field), std::string::npos) << status.message;
  EXPECT_NE(status.message.find(GetParam().given), std::string::npos) << status.message;
}

INSTANTIATE_TEST_SUITE_P(
    , SpecRefusal,
    testing::Values(
        Refusal{"placement side-ln\n", "placement", "'side-ln'"}, Refusal{"placement \n", "placement", "''"},
        Refusal{"placement pre-ln post-ln\n", "placement", "'pre-ln post-ln'"},
        Refusal{"norm_input yes\n", "norm_input", "'yes'"},
        Refusal{"norm_kind groupnorm\n", "norm_kind", "'groupnorm'"}, Refusal{"d_model 0\n", "d_model", "'0'"},
        Refusal{"d_model -4\n", "d_model", "'-4'"}, Refusal{"d_model 2.5\n", "d_model", "'2.5'"},
        Refusal{"d_model nan\n", "d_model", "'nan'"}, Refusal{"d_model 8x\n", "d_model", "'8x'"},
        Refusal{"d_model  8\n", "d_model", "' 8'"}, Refusal{"d_model\n", "d_model", "''"},
        Refusal{"n_batch 4294967298\n", "n_batch", "'4294967298'"}, Refusal{"n_layer 5000\n", "n_layer", "'5000'"},
        Refusal{"dropout 1\n", "dropout", "'1'"}, Refusal{"dropout -0.1\n", "dropout", "'-0.1'"},
        Refusal{"dt inf\n", "dt", "'inf'"}, Refusal{"beta2 1\n", "beta2", "'1'"},
        Refusal{"eps -1e-5\n", "eps", "'-1e-5'"}, Refusal{"seed 4294967296\n", "seed", "'4294967296'"},
        Refusal{"init zeros\n", "init", "'zeros'"}, Refusal{"format fp8\n", "format", "'fp8'"},
        Refusal{"widht 3\n", "widht", "'widht'"}, Refusal{"d_model 64\nn_head 3\n", "n_head 3", "d_model 64"},
        Refusal{"n_batch 65536\nn_ctx 65536\n", "n_batch 65536", "n_ctx 65536"},
        Refusal{"mlp_norms in\n", "mlp_norms", "'in'"}, Refusal{"alpha_rule 2\n", "alpha_rule", "'2'"},
        Refusal{"early_fraction 1.5\n", "early_fraction", "'1.5'"},
        Refusal{"branch_scale on\n", "branch_scale", "'on'"}, Refusal{"optimizer lion\n", "optimizer", "'lion'"},
        Refusal{"momentum 1\n", "momentum", "'1'"}, Refusal{"z_loss -1\n", "z_loss", "'-1'"},
        Refusal{"total_steps 1.5\n", "total_steps", "'1.5'"},
        Refusal{"early_fraction 0.5\n", "early_fraction 0.5", "early_norms same"},
        Refusal{"placement output-ln\nmlp_skip normed\n", "mlp_skip normed", "input norm"},
        Refusal{"placement hybridnorm\nearly_fraction 0.5\nearly_norms stream\n", "mlp_skip normed", "early_norms"},
        Refusal{"mlp_skip normed\nresidual false\n", "mlp_skip normed", "residual true"},
        Refusal{"placement post-ln\ndepth_scale inverse-sqrt\n", "depth_scale inverse-sqrt", "norm_input true"},
        Refusal{"block sublayer\nqk_norm qk\n", "qk_norm qk", "block sublayer"},
        Refusal{"block sublayer\nmlp_norms none\n", "mlp_norms none", "block sublayer"},
        Refusal{"block sublayer\nmlp_skip normed\n", "mlp_skip normed", "block sublayer"},
        Refusal{"init gpt2\ninit_gain residual\n", "init_gain residual", "init gpt2"}));

TEST(Spec, TheDefaultIsAValidPreLnModel) {
  ModelSpec spec;
  EXPECT_TRUE(check_spec(spec).ok());
  EXPECT_EQ(spec.placement, "pre-ln");
  ModelSpec applied;
  apply(*find_placement("pre-ln"), applied);
  EXPECT_EQ(print_spec(spec), print_spec(applied));
}

TEST(Spec, WhatIsPrintedReadsBackTheSame) {
  ModelSpec spec, again;
  ASSERT_TRUE(
      parse_spec("placement peri-ln\ndt 0.1\nlearning_rate 0.3333333333333333\nseed 4294967295\nnorm_input false\n",
                 spec)
          .ok());
  ASSERT_TRUE(parse_spec(print_spec(spec), again).ok());
  EXPECT_EQ(print_spec(again), print_spec(spec));
  EXPECT_EQ(again.learning_rate, spec.learning_rate);
  EXPECT_EQ(again.seed, 4294967295u);
  EXPECT_FALSE(again.norm_input);
  EXPECT_TRUE(again.norm_output);
}

TEST(Spec, APlacementComesFirstWhereverItStands) {
  ModelSpec first, last;
  ASSERT_TRUE(parse_spec("placement peri-ln\nnorm_final false\n", first).ok());
  ASSERT_TRUE(parse_spec("norm_final false\nplacement peri-ln\n", last).ok());
  EXPECT_EQ(print_spec(first), print_spec(last));
  EXPECT_FALSE(last.norm_final);
}

TEST(Spec, AnMlpIsFourTimesAsWideUnlessToldOtherwise) {
  ModelSpec spec;
  ASSERT_TRUE(parse_spec("d_model 12\n", spec).ok());
  EXPECT_EQ(spec.mlp_width(), 48u);
  ASSERT_TRUE(parse_spec("d_ff 5\n", spec).ok());
  EXPECT_EQ(spec.mlp_width(), 5u);
}

TEST(Machine, RefusesAnUnknownKindOpAndData) {
  EXPECT_EQ(Machine("net", "", "").status().code, "bad-spec");
  const Status op = Machine("op:fourier", "", "").status();
  EXPECT_EQ(op.code, "unknown-op");
  EXPECT_NE(op.message.find("'fourier'"), std::string::npos);
  EXPECT_NE(op.message.find("layernorm_forward"), std::string::npos);
  EXPECT_EQ(Machine("model", "", "speech 3").status().code, "bad-data");
  EXPECT_EQ(Machine("model", "", "markov 1 7").status().code, "bad-data");
  EXPECT_EQ(Machine("model", "", "markov 32").status().code, "bad-data");
  EXPECT_EQ(Machine("model", "", "text plain\ntoo short").status().code, "bad-data");
  EXPECT_EQ(Machine("model", "n_vocab 8\n", "markov 32 7").status().code, "bad-spec");
  EXPECT_EQ(Machine("block", "n_layer 0\n", "").status().code, "bad-spec");
}

TEST(Machine, RefusesOpSizesByName) {
  const auto message = [](const char* op, const char* params) { return Machine(op, params, "").status().message; };
  EXPECT_NE(message("op:layernorm_forward", "rows 2\n").find("size d"), std::string::npos);
  EXPECT_NE(message("op:layernorm_forward", "rows -1\nd 4\n").find("rows"), std::string::npos);
  EXPECT_NE(message("op:layernorm_forward", "rows 2.5\nd 4\n").find("2.5"), std::string::npos);
  EXPECT_NE(message("op:layernorm_forward", "rows 2\nd four\n").find("'four'"), std::string::npos);
  EXPECT_NE(message("op:dropout", "n 4\nrate 1\n").find("rate"), std::string::npos);
  EXPECT_EQ(Machine("op:layernorm_forward", "rows 65536\nd 65536\n", "").status().code, "too-large");
}

TEST(Machine, PlansWhatCannotFitAndRefusesToAllocateItByName) {
  Machine machine("model", "d_model 16384\nn_head 1\nn_layer 1\n", "markov 32 7");
  EXPECT_TRUE(machine.status().ok()) << machine.status().message;
  EXPECT_GT(machine.plan().n_float, max_memory_float);
  EXPECT_EQ(machine.allocate(), nullptr);
  EXPECT_EQ(machine.status().code, "too-large");
  EXPECT_NE(machine.status().message.find("blocks.0.mlp.fc1.weight is the largest with 4096 MiB"), std::string::npos)
      << machine.status().message;
  EXPECT_NE(machine.status().message.find("the limit is 3072 MiB"), std::string::npos) << machine.status().message;
  EXPECT_NE(machine.allocate_inputs(), nullptr) << "its inputs fit";
  EXPECT_TRUE(machine.status().ok());
}

TEST(Machine, RefusesATensorWhoseValuesNoKernelCanCountWhenPlanning) {
  const Machine machine("model", "d_model 65536\nn_head 1\nn_layer 4\n", "markov 32 7");
  EXPECT_EQ(machine.status().code, "too-large");
  EXPECT_NE(machine.status().message.find("attn.q_proj.weight of at least 16384 MiB has more than 4294967295 values"),
            std::string::npos)
      << machine.status().message;
  EXPECT_EQ(machine.plan().n_float, 0u);
}

}  // namespace
}  // namespace normscope
