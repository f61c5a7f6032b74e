// A model under analysis: its parameters in double, one batch, and plans of the whole and of its parts.
// Dropout is off and nothing is rounded to a smaller format.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analysis/double_plan.h"
#include "model/dataset.h"
#include "model/transformer.h"

namespace normscope {

struct AnalysisModel {
  ModelSpec spec;
  uint32_t n_vocab = 0;
  std::map<std::string, Vector> parameters;  // by the names that they have in the whole
  Vector tokens, targets;                    // [n_batch · n_ctx]
};

// Initial parameters of spec.seed, and the batch of (spec.seed, step) of the training split; without data, token t of a
// sequence is t modulo the vocabulary.
Status make_model(const ModelSpec& spec, const Dataset& data, uint32_t step, AnalysisModel& model);

// The batch of a step.
void draw_tokens(const Dataset& data, uint32_t step, AnalysisModel& model);

uint32_t n_row(const AnalysisModel& model);  // n_batch · n_ctx

// Tokens in, loss out; all phases.
struct WholeNet {
  DoublePlan plan;
  ModelLayout layout;
};
Status plan_whole(const ModelSpec& spec, uint32_t n_vocab, Plan& plan, ModelLayout& layout);
WholeNet whole_net(const AnalysisModel& model);

// Maps x -> y of residual steps; n_batch 0 keeps the model's.
DoublePlan step_map(const AnalysisModel& model, uint32_t step, uint32_t n_batch = 0);
DoublePlan branch_map(const AnalysisModel& model, uint32_t step, uint32_t n_batch = 0);  // as added, with dt
DoublePlan blocks_map(const AnalysisModel& model, uint32_t n_batch = 0);                 // x_0 -> x_D; n_layer >= 1
// The last residual point in, `loss` out.
DoublePlan head_map(const AnalysisModel& model);

// Writes the model's parameters, tokens and targets into a plan that has them.
void load(const AnalysisModel& model, DoublePlan& plan);

// Name of the last linear map of a step's branch, e.g. "blocks.0.attn.out_proj", and of its norms, "blocks.0.ln_attn".
std::string last_linear(const ModelSpec& spec, uint32_t step);
std::string norm_prefix(const ModelSpec& spec, uint32_t step);
std::string branch_scale_name(const ModelSpec& spec, uint32_t step);

// Multiplies weight and bias of the last linear map of every step.
AnalysisModel scaled_branches(const AnalysisModel& model, double c);

// What the wiring of a step is, read from the plan of the whole.
struct StepFacts {
  bool norm_input = false, norm_output = false, norm_stream = false;
  bool bounded = false;        // the bound of theory goes on over this step
  double keep = 0, step = 0;   // next bound = keep · bound + step · gain
  TensorId gamma = no_tensor;  // of the norm that bounds
};
std::vector<StepFacts> read_wiring(const AnalysisModel& model, const WholeNet& net);

// A parameter of d_model numbers; where the model has none, the number that stands for each.
Vector parameter_or(const AnalysisModel& model, const std::string& name, double otherwise);

// Output gains and shifts of a step with an output norm, with the branch scale: [d].
struct OutputGain {
  Vector gamma, beta;
};
OutputGain output_gain(const AnalysisModel& model, uint32_t step);

}  // namespace normscope
