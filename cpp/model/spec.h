// A transformer and the way it is trained, as plain data. ModelSpec{} is a valid small Pre-LN model.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace normscope {

// Every residual step (attention, MLP) is
//     x_next = N_stream(alpha · skip + dt · s ⊙ N_out(dropout(f(c · N_in(x)))))
struct ModelSpec {
#define FLAG(name, value) bool name = value;
#define COUNT(name, value, least, most) uint32_t name = value;
#define REAL(name, value, least, most) double name = value;
#define CHOICE(name, value, allowed) std::string name = value;
#include "model/spec_fields.def"
#undef FLAG
#undef COUNT
#undef REAL
#undef CHOICE

  uint32_t mlp_width() const { return d_ff ? d_ff : 4 * d_model; }
  Format number_format() const {
    return format == "fp16" ? Format::fp16 : format == "bf16" ? Format::bf16 : Format::fp32;
  }
};

// Which norms a residual step has.
struct NormSlots {
  bool input, output, stream;
};

// What the wiring fields come to in residual step `step`, counted from 0 over all blocks.
struct StepWiring {
  NormSlots norms;
  bool normed_skip;   // the skip path starts at N_in(x)
  double skip;        // its factor, alpha with its rule; 0 without a residual connection
  double input_gain;  // c, the factor of the input norm's output
};
uint32_t steps_per_block(const ModelSpec& spec);
uint32_t n_residual_step(const ModelSpec& spec);
StepWiring step_wiring(const ModelSpec& spec, uint32_t step);

struct Placement {
  const char *name, *equation, *source, *users;
  const char* fields;  // "key value" pairs on top of the neutral ones
};
std::span<const Placement> placements();
// nullptr when there is no such row.
const Placement* find_placement(std::string_view name);
// Sets every field that rows are made of, to the row's value or to the neutral one.
void apply(const Placement& placement, ModelSpec& spec);

// Reads "key value" lines. `placement` is applied first, whatever its place; the other keys override it.
Status parse_spec(std::string_view text, ModelSpec& spec);
// Several specs, one for each model of a plan: an empty line ends one, the end of the text the last one. They may
// differ in own_fields alone.
Status parse_specs(std::string_view text, std::vector<ModelSpec>& specs);
// The fields that reach a plan through its tensors: what a step is given and what the parameters start as.
constexpr const char* own_fields =
    "learning_rate final_learning_rate schedule warmup total_steps weight_decay max_grad_norm init init_gain seed";

// What the fields' own ranges cannot say.
Status check_spec(const ModelSpec& spec);
// The canonical lines of every field, in table order.
std::string print_spec(const ModelSpec& spec);
// The same as members of a JSON object, without braces.
std::string spec_json(const ModelSpec& spec);

}  // namespace normscope
