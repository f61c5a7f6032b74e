// Training data inside the core: a Markov chain, or a text read by characters.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace normscope {

struct Dataset {
  std::string kind;  // "markov" or "text"; empty: none
  uint32_t n_symbol = 0;
  double uniform_loss = 0, unigram_loss = 0, best_loss = 0;  // nats; best_loss is NaN for a text
  std::vector<std::string> symbols;                          // text: UTF-8 of each token
  std::vector<uint32_t> tokens;                              // text
  std::vector<uint32_t> first_threshold;  // markov: cumulative stationary distribution, as parts of 2^32
  std::vector<uint32_t> threshold;        // markov: [n_symbol, n_symbol] cumulative transition rows
};

enum class Split { train, held_out };

// "" | "markov <n_symbol> <seed>" | "text jamo\n…" | "text plain\n…"
Status make_dataset(std::string_view description, Dataset& data);

// Order-1 chain: 4 likely successors per symbol with weights e^N(0,1), 0.01 for every other one.
void make_markov(uint32_t n_symbol, uint32_t seed, Dataset& data);

// One token per character; with `jamo`, Hangul syllables are decomposed (Unicode's arithmetic rule) and recompose under
// NFC.
void make_text(std::string_view utf8, bool jamo, Dataset& data);

// Whether batches of n_ctx tokens can be drawn from both splits (the last tenth of a text is held out).
Status check_dataset(const Dataset& data, uint32_t n_ctx);

// Batch of a step: tokens and their successors, [n_batch, n_ctx] each. Depends only on (seed, split, step).
void draw_batch(const Dataset& data, uint32_t seed, Split split, uint32_t step, uint32_t n_batch, uint32_t n_ctx,
                float* tokens, float* targets);

std::string dataset_json(const Dataset& data);

}  // namespace normscope
