#include "model/spec.h"

#include <algorithm>
#include <cmath>

#include "model/text_lines.h"

namespace normscope {
namespace {

#define NEUTRAL(fields) constexpr const char* neutral_fields = fields;
#define PLACEMENT(...)
#include "model/placements.def"
#undef NEUTRAL
#undef PLACEMENT

constexpr Placement rows[] = {
#define NEUTRAL(...)
#define PLACEMENT(...) {__VA_ARGS__},
#include "model/placements.def"
#undef NEUTRAL
#undef PLACEMENT
};

Status bad(std::string message) { return {"bad-spec", std::move(message)}; }

Status set_flag(const char* name, const std::string& text, bool& field) {
  if (text != "true" && text != "false") return bad(std::string(name) + " must be true or false, not '" + text + "'");
  field = text == "true";
  return {};
}

Status set_number(const char* name, const std::string& text, bool whole, double least, double most, double& value) {
  if (!read_number(text, value) || !(value >= least && value <= most) || (whole && value != std::floor(value)))
    return bad(std::string(name) + " must be a " + (whole ? "whole number" : "number") + " from " + number_text(least) +
               " to " + number_text(most) + ", not '" + text + "'");
  return {};
}

bool is_word_of(const std::string& word, const std::string& list) {
  return !word.empty() && (" " + list + " ").find(" " + word + " ") != std::string::npos &&
         word.find(' ') == std::string::npos;
}

Status set_choice(const char* name, const std::string& text, const char* allowed, std::string& field) {
  std::string list = allowed ? allowed : "";
  if (!allowed)
    for (const Placement& p : placements()) list += (list.empty() ? "" : " ") + std::string(p.name);
  if (!is_word_of(text, list)) return bad(std::string(name) + " must be one of " + list + ", not '" + text + "'");
  field = text;
  return {};
}

Status set_field(const std::string& key, const std::string& text, ModelSpec& spec) {
#define FLAG(name, value) \
  if (key == #name) return set_flag(#name, text, spec.name);
#define REAL(name, value, least, most) \
  if (key == #name) return set_number(#name, text, false, least, most, spec.name);
#define COUNT(name, value, least, most)                                  \
  if (key == #name) {                                                    \
    double number = 0;                                                   \
    const Status s = set_number(#name, text, true, least, most, number); \
    if (s.ok()) spec.name = static_cast<uint32_t>(number);               \
    return s;                                                            \
  }
#define CHOICE(name, value, allowed) \
  if (key == #name) return set_choice(#name, text, allowed, spec.name);
#include "model/spec_fields.def"
#undef FLAG
#undef COUNT
#undef REAL
#undef CHOICE
  return bad("there is no field '" + key + "' in a model spec");
}

// Cuts the first word off a text of words with single spaces between them.
std::string next_word(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string word(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

// "key value key value …"; tests see to it that the table's pairs are right.
void set_pairs(std::string_view pairs, ModelSpec& spec) {
  while (!pairs.empty()) {
    const std::string key = next_word(pairs);
    set_field(key, next_word(pairs), spec);
  }
}

NormSlots slots_named(const std::string& names) {
  const auto has = [&](const char* name) { return names.find(name) != std::string::npos; };
  return {has("input"), has("output"), has("stream")};
}

// The first blocks may have norms of their own, else the MLP steps may.
NormSlots norm_slots(const ModelSpec& spec, uint32_t layer, bool mlp) {
  // 1e-9: a product such as 0.29 · 100 falls just short of 29.
  const bool early = layer + 1 <= spec.early_fraction * spec.n_layer + 1e-9;
  if (early && spec.early_norms != "same") return slots_named(spec.early_norms);
  if (mlp && spec.mlp_norms != "same") return slots_named(spec.mlp_norms);
  return {spec.norm_input, spec.norm_output, spec.norm_stream};
}

double skip_factor(const ModelSpec& spec) {
  if (spec.alpha_rule == "deepnorm") return spec.alpha * std::sqrt(std::sqrt(2.0 * spec.n_layer));
  return spec.alpha_rule == "n-layer" ? spec.alpha * spec.n_layer : spec.alpha;
}

// Calls f(name, printed value, is a word) for every field.
template <class F>
void for_fields(const ModelSpec& spec, F f) {
#define FLAG(name, value) f(#name, std::string(spec.name ? "true" : "false"), false);
#define COUNT(name, value, least, most) f(#name, number_text(spec.name), false);
#define REAL(name, value, least, most) f(#name, number_text(spec.name), false);
#define CHOICE(name, value, allowed) f(#name, spec.name, true);
#include "model/spec_fields.def"
#undef FLAG
#undef COUNT
#undef REAL
#undef CHOICE
}

// The models of one plan share its shapes, its lists and their parameters.
Status check_shared_fields(const ModelSpec& first, const ModelSpec& other, size_t n_before) {
  std::vector<std::string> values;
  for_fields(first, [&](const char*, const std::string& value, bool) { values.push_back(value); });
  Status status;
  size_t i = 0;
  for_fields(other, [&](const char* name, const std::string& value, bool) {
    const std::string& wanted = values[i++];
    if (!status.ok() || value == wanted || is_word_of(name, own_fields)) return;
    status = bad("model " + std::to_string(n_before + 1) + " has " + name + " " + value + " and the first model " +
                 wanted + "; the models of one plan may differ in " + own_fields + " alone. Give it a plan of its own");
  });
  return status;
}

// Cuts the lines up to the first empty one off a text; false when the text has none.
bool next_paragraph(std::string_view& text, std::string_view& paragraph) {
  size_t end = 0;
  while (end < text.size() && text[end] != '\n') end = std::min(text.find('\n', end), text.size() - 1) + 1;
  const bool more = end < text.size();
  paragraph = text.substr(0, end);
  text.remove_prefix(more ? end + 1 : end);
  return more;
}

bool every_mlp_step_has_an_input_norm(const ModelSpec& spec) {
  for (uint32_t layer = 0; layer < spec.n_layer; ++layer)
    if (!norm_slots(spec, layer, true).input) return false;
  return true;
}

bool some_step_has_an_input_norm(const ModelSpec& spec) {
  for (uint32_t step = 0; step < n_residual_step(spec); ++step)
    if (step_wiring(spec, step).norms.input) return true;
  return spec.n_layer == 0;
}

// Wirings that name something which is not there.
Status check_wiring(const ModelSpec& spec) {
  if (spec.block == "sublayer") {
    const char* needs = " is about the attention and MLP steps of block transformer; a block sublayer has neither";
    if (spec.mlp_norms != "same") return bad("mlp_norms " + spec.mlp_norms + needs);
    if (spec.mlp_skip != "stream") return bad("mlp_skip " + spec.mlp_skip + needs);
    if (spec.qk_norm != "none") return bad("qk_norm " + spec.qk_norm + needs);
  }
  if (spec.early_fraction > 0 && spec.early_norms == "same")
    return bad("early_fraction " + number_text(spec.early_fraction) +
               " sets the first blocks apart, but early_norms same gives them no norms of their own");
  if (spec.mlp_skip == "normed" && !spec.residual)
    return bad("mlp_skip normed needs residual true; without a residual connection there is no skip path");
  if (spec.mlp_skip == "normed" && !every_mlp_step_has_an_input_norm(spec))
    return bad(
        "mlp_skip normed starts the skip path at the input norm of the MLP step, but an MLP step has none; give "
        "mlp_norms (and early_norms) an input norm");
  if (spec.depth_scale != "none" && !some_step_has_an_input_norm(spec))
    return bad("depth_scale " + spec.depth_scale +
               " multiplies the output of input norms, but no step has one; set norm_input true");
  if (spec.init == "gpt2" && spec.init_gain == "residual")
    return bad("init_gain residual repeats what init gpt2 does already; leave one of them out");
  return {};
}

}  // namespace

std::span<const Placement> placements() { return rows; }

const Placement* find_placement(std::string_view name) {
  for (const Placement& p : placements())
    if (name == p.name) return &p;
  return nullptr;
}

void apply(const Placement& p, ModelSpec& spec) {
  spec.placement = p.name;
  set_pairs(neutral_fields, spec);
  set_pairs(p.fields, spec);
}

uint32_t steps_per_block(const ModelSpec& spec) { return spec.block == "sublayer" ? 1 : 2; }

uint32_t n_residual_step(const ModelSpec& spec) { return spec.n_layer * steps_per_block(spec); }

StepWiring step_wiring(const ModelSpec& spec, uint32_t step) {
  const uint32_t layer = step / steps_per_block(spec);
  const bool mlp = spec.block == "transformer" && step % 2 == 1;
  const double c = spec.depth_scale == "inverse-sqrt" ? 1 / std::sqrt(layer + 1.0) : 1;
  return {norm_slots(spec, layer, mlp), mlp && spec.mlp_skip == "normed", spec.residual ? skip_factor(spec) : 0, c};
}

Status parse_spec(std::string_view text, ModelSpec& spec) {
  const auto lines = key_value_lines(text);
  for (const auto& [key, value] : lines)
    if (key == "placement") {
      const Status s = set_field(key, value, spec);
      if (!s.ok()) return s;
      apply(*find_placement(value), spec);
    }
  for (const auto& [key, value] : lines) {
    const Status s = set_field(key, value, spec);
    if (!s.ok()) return s;
  }
  return check_spec(spec);
}

Status parse_specs(std::string_view text, std::vector<ModelSpec>& specs) {
  specs.clear();
  for (bool more = true; more;) {
    std::string_view lines;
    more = next_paragraph(text, lines);
    ModelSpec spec;
    Status s = parse_spec(lines, spec);
    if (s.ok() && !specs.empty()) s = check_shared_fields(specs[0], spec, specs.size());
    if (!s.ok()) return s;
    specs.push_back(std::move(spec));
  }
  if (specs.size() <= max_model) return {};
  return bad("one plan holds at most " + std::to_string(max_model) + " models, not " + std::to_string(specs.size()));
}

Status check_spec(const ModelSpec& spec) {
  const Status wiring = check_wiring(spec);
  if (!wiring.ok()) return wiring;
  if (spec.block == "transformer" && spec.d_model % spec.n_head != 0)
    return bad("n_head " + std::to_string(spec.n_head) + " does not divide d_model " + std::to_string(spec.d_model) +
               "; every head needs the same width");
  if (uint64_t{spec.n_batch} * spec.n_ctx >= (1u << 24))
    return bad("n_batch " + std::to_string(spec.n_batch) + " times n_ctx " + std::to_string(spec.n_ctx) +
               " must stay below 16777216 tokens");
  return {};
}

std::string print_spec(const ModelSpec& spec) {
  std::string out;
  for_fields(spec,
             [&](const char* name, const std::string& value, bool) { out += std::string(name) + " " + value + "\n"; });
  return out;
}

std::string spec_json(const ModelSpec& spec) {
  std::string out;
  for_fields(spec, [&](const char* name, const std::string& value, bool word) {
    out += (out.empty() ? "" : ",") + json_string(name) + ":" + (word ? json_string(value) : value);
  });
  return out;
}

}  // namespace normscope
