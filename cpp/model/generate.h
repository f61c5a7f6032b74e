// A text model writes: passages of held-out text are cut in two, and the model continues each first half.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/machine.h"

namespace normscope {

using Tokens = std::vector<uint32_t>;

struct Passage {
  Tokens prompt, reference;  // n_prompt tokens and the n_token that follow them in the text
};

struct Generation {
  uint32_t n_sample = 4, n_prompt = 16, n_token = 32;
  double temperature = 0;  // 0: always the likeliest token
};

// Passages at places that depend only on the seed; from the held-out tenth of a text that is long enough.
std::vector<Passage> held_out_passages(const Dataset& data, uint32_t seed, const Generation& wanted);

// The likeliest token (the first of equals), or one drawn from softmax(logits / temperature) by a random word.
uint32_t pick_token(const float* logits, uint32_t n_vocab, double temperature, uint32_t word);

// n_token tokens after each prompt, from the last n_ctx tokens before each. Of the machine, `tokens` and the
// activations change. A causal model with an arena is asked for.
std::vector<Tokens> continue_prompts(Machine& machine, const std::vector<Tokens>& prompts, const Generation& wanted);

// Why nothing can be generated: several models, no text, too short a text, or a model that looks ahead.
Status check_generation(const Machine& machine, const Generation& wanted);

// {"prompt":[[token,…],…],"text":[[…]],"reference":[[…]]} of held-out passages.
std::string generate_json(Machine& machine, const Generation& wanted);

}  // namespace normscope
