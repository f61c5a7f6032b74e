// Training data: the Markov task's entropies are those of the chain it draws from; texts become tokens and back.
#include "model/dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace normscope {
namespace {

std::vector<float> tokens_of(const Dataset& data, Split split, uint32_t step, uint32_t n_batch, uint32_t n_ctx,
                             uint32_t seed = 1, std::vector<float>* targets = nullptr) {
  std::vector<float> tokens(n_batch * n_ctx), next(n_batch * n_ctx);
  draw_batch(data, seed, split, step, n_batch, n_ctx, tokens.data(), next.data());
  if (targets) *targets = next;
  return tokens;
}

// Probability of each successor, from the thresholds that draws use.
std::vector<double> transition(const Dataset& data, uint32_t symbol) {
  std::vector<double> p;
  double below = 0;
  for (uint32_t i = 0; i < data.n_symbol; ++i) {
    const double threshold = i + 1 == data.n_symbol ? 1 : data.threshold[symbol * data.n_symbol + i] / 4294967296.0;
    p.push_back(threshold - below);
    below = threshold;
  }
  return p;
}

double entropy(const std::vector<double>& p) {
  double sum = 0;
  for (const double x : p) sum -= x > 0 ? x * std::log(x) : 0;
  return sum;
}

TEST(Markov, HasFourLikelySuccessorsPerSymbol) {
  Dataset data;
  make_markov(32, 7, data);
  for (uint32_t symbol = 0; symbol < 32; ++symbol) {
    const std::vector<double> p = transition(data, symbol);
    const double rare = *std::min_element(p.begin(), p.end());
    EXPECT_EQ(std::count_if(p.begin(), p.end(), [&](double x) { return x > 1.5 * rare; }), 4) << symbol;
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-8);
  }
}

TEST(Markov, StatesTheEntropiesOfItsOwnChain) {
  Dataset data;
  make_markov(32, 7, data);
  std::vector<double> p(32, 1.0 / 32);
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> next(32);
    for (uint32_t from = 0; from < 32; ++from)
      for (uint32_t to = 0; const double q : transition(data, from)) next[to++] += p[from] * q;
    p = next;
  }
  double conditional = 0;
  for (uint32_t symbol = 0; symbol < 32; ++symbol) conditional += p[symbol] * entropy(transition(data, symbol));
  EXPECT_NEAR(data.uniform_loss, std::log(32.0), 1e-12);
  EXPECT_NEAR(data.unigram_loss, entropy(p), 1e-6);
  EXPECT_NEAR(data.best_loss, conditional, 1e-6);
  EXPECT_LT(data.best_loss, data.unigram_loss);
  EXPECT_LT(data.unigram_loss, data.uniform_loss);
}

TEST(Markov, DrawsTransitionsAsOftenAsItSays) {
  Dataset data;
  make_markov(8, 3, data);
  std::vector<double> count(64), total(8);
  for (uint32_t step = 0; step < 100; ++step) {
    std::vector<float> targets;
    const std::vector<float> tokens = tokens_of(data, Split::train, step, 8, 128, 1, &targets);
    for (size_t i = 0; i < tokens.size(); ++i) {
      count[static_cast<size_t>(tokens[i]) * 8 + static_cast<size_t>(targets[i])] += 1;
      total[static_cast<size_t>(tokens[i])] += 1;
    }
  }
  for (uint32_t from = 0; from < 8; ++from) {
    const std::vector<double> p = transition(data, from);
    for (uint32_t to = 0; to < 8; ++to)
      EXPECT_NEAR(count[from * 8 + to] / total[from], p[to], 5 * std::sqrt(p[to] / total[from]) + 1e-3)
          << from << " to " << to;
  }
}

TEST(Batch, DependsOnSeedSplitAndStepAlone) {
  Dataset data;
  make_markov(32, 7, data);
  const auto tokens = tokens_of(data, Split::train, 5, 4, 32);
  EXPECT_EQ(tokens, tokens_of(data, Split::train, 5, 4, 32));
  EXPECT_NE(tokens, tokens_of(data, Split::train, 6, 4, 32));
  EXPECT_NE(tokens, tokens_of(data, Split::held_out, 5, 4, 32));
  EXPECT_NE(tokens, tokens_of(data, Split::train, 5, 4, 32, 2));
}

TEST(Batch, EveryTargetIsTheNextToken) {
  Dataset data;
  make_markov(32, 7, data);
  std::vector<float> targets;
  const std::vector<float> tokens = tokens_of(data, Split::train, 0, 3, 16, 1, &targets);
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (i % 16 == 15) continue;  // the last one of a sequence
    EXPECT_EQ(targets[i], tokens[i + 1]);
  }
}

TEST(Text, KoreanBecomesJamoThatComposeBackToTheText) {
  Dataset data;
  make_text("한글 각", true, data);
  std::string back;
  for (const uint32_t token : data.tokens) back += data.symbols[token];
  EXPECT_EQ(back, "\u1112\u1161\u11ab\u1100\u1173\u11af \u1100\u1161\u11a8");
  EXPECT_EQ(data.n_symbol, 8u);
  make_text("한글 각", false, data);
  EXPECT_EQ(data.tokens.size(), 4u);
}

TEST(Text, ReadsOneTokenPerCharacterOfAnyLength) {
  Dataset data;
  make_text("aé€😀a\r\n", false, data);
  std::string back;
  for (const uint32_t token : data.tokens) back += data.symbols[token];
  EXPECT_EQ(back, "aé€😀a\n") << "a carriage return is dropped";
  EXPECT_EQ(data.tokens.front(), data.tokens[4]);
}

TEST(Text, MalformedBytesBecomeReplacementCharacters) {
  for (const char* bytes : {"\xff", "\xc3", "\xe2\x82", "\x80", "\xf8"}) {
    Dataset data;
    make_text(bytes, true, data);
    ASSERT_FALSE(data.tokens.empty());
    for (const std::string& symbol : data.symbols) EXPECT_EQ(symbol, "\ufffd");
  }
}

TEST(Text, StatesItsUnigramEntropy) {
  Dataset data;
  make_text("aaab", false, data);
  EXPECT_NEAR(data.unigram_loss, entropy({0.75, 0.25}), 1e-12);
  EXPECT_NEAR(data.uniform_loss, std::log(2.0), 1e-12);
  EXPECT_TRUE(std::isnan(data.best_loss));
}

TEST(Text, HoldsItsLastTenthOutOfTraining) {
  std::string text(900, 'a');
  text += std::string(100, 'b');
  Dataset data;
  make_text(text, false, data);
  ASSERT_TRUE(check_dataset(data, 16).ok());
  for (uint32_t step = 0; step < 200; ++step) {
    for (const float token : tokens_of(data, Split::train, step, 4, 16)) EXPECT_EQ(token, 0);
    for (const float token : tokens_of(data, Split::held_out, step, 4, 16)) EXPECT_EQ(token, 1);
  }
}

TEST(Text, TooShortATextIsRefusedWithTheLengthItNeeds) {
  Dataset data;
  make_text(std::string(100, 'a'), false, data);
  EXPECT_TRUE(check_dataset(data, 9).ok());
  const Status status = check_dataset(data, 10);
  EXPECT_EQ(status.code, "bad-data");
  EXPECT_NE(status.message.find("100 tokens"), std::string::npos) << status.message;
  EXPECT_NE(status.message.find("110"), std::string::npos) << status.message;
}

}  // namespace
}  // namespace normscope
