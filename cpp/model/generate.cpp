#include "model/generate.h"

#include <algorithm>

#include "cpu/lane_math.h"
#include "plan/random.h"

namespace normscope {
namespace {

const float* find_logits(Machine& machine, uint32_t& n_vocab) {
  const TensorId id = machine.plan().find("logits");
  n_vocab = machine.plan().tensors[id].shape.back();
  return machine.tensor("logits");
}

// The last n_ctx tokens of each text as the model's input; what follows a shorter text is never looked at.
void write_windows(Machine& machine, const Tokens* texts, size_t n_text) {
  const uint32_t n_ctx = machine.spec().n_ctx;
  float* tokens = machine.tensor("tokens");
  std::fill(tokens, tokens + size_t{machine.spec().n_batch} * n_ctx, 0.0f);
  for (size_t i = 0; i < n_text; ++i) {
    const size_t n = std::min<size_t>(texts[i].size(), n_ctx);
    std::copy(texts[i].end() - static_cast<std::ptrdiff_t>(n), texts[i].end(), tokens + i * n_ctx);
  }
}

std::string tokens_json(const std::vector<Tokens>& texts) {
  std::string out;
  for (const Tokens& text : texts) {
    std::string list;
    for (const uint32_t token : text) list += (list.empty() ? "" : ",") + std::to_string(token);
    out += (out.empty() ? "[" : ",[") + list + "]";
  }
  return "[" + out + "]";
}

}  // namespace

Status check_generation(const Machine& machine, const Generation& wanted) {
  const Dataset& data = machine.data();
  if (machine.models().size() > 1)
    return {"bad-spec", "a plan of " + std::to_string(machine.models().size()) +
                            " models writes no text; give the one that is to write a plan of its own"};
  if (data.kind != "text") return {"bad-data", "only a text can be continued; the data is not one"};
  if (!machine.spec().causal)
    return {"bad-spec", "a model with causal false sees what follows and cannot write; use causal true"};
  const uint64_t n_held_out = data.tokens.size() / 10, n_passage = uint64_t{wanted.n_prompt} + wanted.n_token;
  if (wanted.n_prompt > 0 && n_held_out >= n_passage) return {};
  return {"bad-data", "the text holds out " + std::to_string(n_held_out) + " tokens; a prompt of " +
                          std::to_string(wanted.n_prompt) + " and a continuation of " + std::to_string(wanted.n_token) +
                          " need " + std::to_string(n_passage) + ". Use a longer text or shorter samples"};
}

std::vector<Passage> held_out_passages(const Dataset& data, uint32_t seed, const Generation& wanted) {
  const uint32_t n_held_out = static_cast<uint32_t>(data.tokens.size() / 10),
                 n_passage = wanted.n_prompt + wanted.n_token;
  const auto begin = data.tokens.end() - n_held_out;
  std::vector<Passage> passages;
  for (uint32_t i = 0; i < wanted.n_sample; ++i) {
    const uint32_t word = random_word(seed, Purpose::sample, stream_of("passage"), 0, i);
    const auto at = begin + uniform_index(word, n_held_out - n_passage + 1);
    passages.push_back({{at, at + wanted.n_prompt}, {at + wanted.n_prompt, at + n_passage}});
  }
  return passages;
}

uint32_t pick_token(const float* logits, uint32_t n_vocab, double temperature, uint32_t word) {
  const uint32_t likeliest = static_cast<uint32_t>(std::max_element(logits, logits + n_vocab) - logits);
  if (temperature <= 0) return likeliest;
  std::vector<double> below(n_vocab);  // cumulative weights
  double total = 0;
  for (uint32_t i = 0; i < n_vocab; ++i) {
    // In double, and cut where exp is 0: a temperature below the smallest float is not 0.
    const double scaled = (logits[i] - logits[likeliest]) / temperature;
    below[i] = total += exp_lanes(splat(static_cast<float>(std::max(scaled, -1000.0))))[0];
  }
  const auto found = std::upper_bound(below.begin(), below.end(), uniform_unit(word) * total);
  return std::min(static_cast<uint32_t>(found - below.begin()), n_vocab - 1);
}

std::vector<Tokens> continue_prompts(Machine& machine, const std::vector<Tokens>& prompts, const Generation& wanted) {
  const uint32_t n_ctx = machine.spec().n_ctx, n_batch = machine.spec().n_batch;
  uint32_t n_vocab = 0;
  const float* logits = find_logits(machine, n_vocab);
  std::vector<Tokens> texts = prompts;
  for (size_t first = 0; first < texts.size(); first += n_batch) {
    const size_t n_text = std::min<size_t>(n_batch, texts.size() - first);
    for (uint32_t t = 0; t < wanted.n_token; ++t) {
      write_windows(machine, &texts[first], n_text);
      machine.run(Phase::evaluate);
      for (size_t i = 0; i < n_text; ++i) {
        Tokens& text = texts[first + i];
        const size_t row = i * n_ctx + std::min<size_t>(text.size(), n_ctx) - 1;
        const uint32_t word = random_word(machine.spec().seed, Purpose::sample, static_cast<uint32_t>(first + i), 1, t);
        text.push_back(pick_token(logits + row * n_vocab, n_vocab, wanted.temperature, word));
      }
    }
  }
  for (size_t i = 0; i < texts.size(); ++i)
    texts[i].erase(texts[i].begin(), texts[i].begin() + static_cast<std::ptrdiff_t>(prompts[i].size()));
  return texts;
}

std::string generate_json(Machine& machine, const Generation& wanted) {
  std::vector<Tokens> prompts, references;
  for (Passage& passage : held_out_passages(machine.data(), machine.spec().seed, wanted)) {
    prompts.push_back(std::move(passage.prompt));
    references.push_back(std::move(passage.reference));
  }
  return "{\"prompt\":" + tokens_json(prompts) +
         ",\"text\":" + tokens_json(continue_prompts(machine, prompts, wanted)) +
         ",\"reference\":" + tokens_json(references) + "}";
}

}  // namespace normscope
