// A text model continues passages that it has not seen: which passages, which tokens, and when it refuses.
#include "model/generate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/random.h"
#include "training.h"

namespace normscope {
namespace {

const std::string small = "n_layer 1\nd_model 16\nn_head 2\nn_ctx 8\nn_batch 2\nlearning_rate 0.01\n";

std::string repeated(const std::string& word, int n) {
  std::string text = "text plain\n";
  for (int i = 0; i < n; ++i) text += word;
  return text;
}

Dataset counting_text(uint32_t n) {
  Dataset data;
  data.kind = "text";
  for (uint32_t i = 0; i < n; ++i) data.tokens.push_back(i);
  return data;
}

TEST(HeldOutPassages, LieWhollyInTheLastTenthAndGoOnWhereThePromptEnds) {
  const Dataset data = counting_text(1000);
  const Generation wanted{200, 10, 20};
  uint32_t least = 1000, most = 0;
  for (const Passage& passage : held_out_passages(data, 3, wanted)) {
    ASSERT_EQ(passage.prompt.size(), 10u);
    ASSERT_EQ(passage.reference.size(), 20u);
    EXPECT_EQ(passage.reference.front(), passage.prompt.back() + 1);
    least = std::min(least, passage.prompt.front());
    most = std::max(most, passage.reference.back());
  }
  EXPECT_EQ(least, 900u);  // both ends are reached: 71 places, 200 draws
  EXPECT_EQ(most, 999u);
}

TEST(HeldOutPassages, AreTheSameForTheSameSeedOnly) {
  const Dataset data = counting_text(1000);
  const auto first = [&](uint32_t seed) { return held_out_passages(data, seed, {8, 4, 4})[0].prompt; };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
}

TEST(PickToken, TakesTheFirstOfTheLikeliestAtTemperatureZero) {
  const float logits[] = {-1, 3, 3, 2};
  EXPECT_EQ(pick_token(logits, 4, 0, 0xffffffffu), 1u);
}

TEST(PickToken, DrawsFromTheSoftmaxOfLogitsOverTemperature) {
  const float logits[] = {0, 1, -1};
  const double temperature = 0.5;
  double weight[3], total = 0;
  for (int i = 0; i < 3; ++i) total += weight[i] = std::exp(logits[i] / temperature);
  int count[3] = {};
  const int n = 20000;
  for (uint32_t i = 0; i < n; ++i)
    ++count[pick_token(logits, 3, temperature, random_word(1, Purpose::sample, 0, 0, i))];
  for (int i = 0; i < 3; ++i) {
    const double p = weight[i] / total;
    EXPECT_NEAR(count[i], n * p, 4 * std::sqrt(n * p * (1 - p))) << i;
  }
}

TEST(PickToken, TakesTheLikeliestAtTheSmallestTemperatures) {
  const float logits[] = {-1, 2, 3, 1};
  for (const double temperature : {1e-3, 1e-30, 1e-50, 5e-324})
    for (const uint32_t word : {0u, 0x7fffffffu, 0xffffffffu})
      EXPECT_EQ(pick_token(logits, 4, temperature, word), 2u) << temperature;
}

TEST(PickToken, StaysInTheVocabularyForEveryWord) {
  const float logits[] = {0, -200};
  for (const uint32_t word : {0u, 0x7fffffffu, 0xffffffffu}) EXPECT_EQ(pick_token(logits, 2, 1, word), 0u);
}

TEST(Generation, ContinuesATextThatRepeatsItself) {
  Training training(small, repeated("abcdef", 100));
  training.steps(150);
  std::vector<Tokens> prompts = {{0, 1, 2}, {4, 5}, {2, 3, 4, 5, 0, 1, 2, 3, 4, 5}};  // shorter and longer than n_ctx
  const auto texts = continue_prompts(training.machine, prompts, {3, 0, 10});
  for (size_t i = 0; i < prompts.size(); ++i) {
    ASSERT_EQ(texts[i].size(), 10u);
    for (uint32_t t = 0; t < 10; ++t) EXPECT_EQ(texts[i][t], (prompts[i].back() + 1 + t) % 6) << i << " " << t;
  }
}

TEST(Generation, WritesTheSameWhateverElseIsInTheBatch) {
  Training training(small, repeated("a quick brown fox ", 40));
  training.steps(20);
  const Tokens prompt = {1, 2, 3, 4};
  const auto alone = continue_prompts(training.machine, {prompt}, {1, 4, 20, 0.8});
  const auto among = continue_prompts(training.machine, {prompt, {5}, {6, 7}}, {3, 4, 20, 0.8});
  EXPECT_EQ(alone[0], among[0]);
  const auto likeliest = continue_prompts(training.machine, {prompt}, {1, 4, 20});
  EXPECT_NE(alone[0], likeliest[0]);
}

TEST(Generation, LeavesTheCourseOfTrainingAsItWas) {
  Training sampled(small, repeated("abcdef", 100)), plain(small, repeated("abcdef", 100));
  sampled.steps(5), plain.steps(5);
  generate_json(sampled.machine, {2, 4, 8, 1});
  sampled.steps(5), plain.steps(5);
  EXPECT_EQ(sampled.losses, plain.losses);
}

TEST(Generation, SaysWhatIsInTheWay) {
  const auto refusal = [](const std::string& fields, const std::string& data, const Generation& wanted) {
    Machine machine("model", fields, data);
    const Status status = check_generation(machine, wanted);
    return status.code + ": " + status.message;
  };
  EXPECT_NE(refusal(small, "markov 32 7", {}).find("only a text"), std::string::npos);
  EXPECT_NE(refusal(small + "causal false\n", repeated("ab", 500), {}).find("causal true"), std::string::npos);
  EXPECT_NE(
      refusal(small, repeated("ab", 50), {1, 8, 3}).find("holds out 10 tokens; a prompt of 8 and a continuation of 3"),
      std::string::npos);
  EXPECT_EQ(refusal(small, repeated("ab", 50), {1, 8, 2}), ": ");
}

}  // namespace
}  // namespace normscope
