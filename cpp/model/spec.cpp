#include "model/spec.h"

#include <cmath>

#include "model/text_lines.h"

namespace normscope {
namespace {

constexpr Placement placements[] = {
#define PLACEMENT(...) {__VA_ARGS__},
#include "model/placements.def"
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
    for (const Placement& p : placements) list += (list.empty() ? "" : " ") + std::string(p.name);
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

}  // namespace

const Placement* find_placement(std::string_view name) {
  for (const Placement& p : placements)
    if (name == p.name) return &p;
  return nullptr;
}

void apply(const Placement& p, ModelSpec& spec) {
  spec.placement = p.name;
  spec.residual = p.residual;
  spec.norm_input = p.norm_input;
  spec.norm_output = p.norm_output;
  spec.norm_stream = p.norm_stream;
  spec.norm_embedding = p.norm_embedding;
  spec.norm_final = p.norm_final;
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

Status check_spec(const ModelSpec& spec) {
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
