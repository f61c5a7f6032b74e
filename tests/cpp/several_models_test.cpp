// Several models in one plan: each trains as if it were alone, and what they cannot share is refused.
#include <gtest/gtest.h>

#include <cstring>

#include "model/generate.h"
#include "model/machine.h"

namespace normscope {
namespace {

constexpr uint32_t n_model = 3;
const char* const own[n_model] = {
    "seed 1\nlearning_rate 0.01\nweight_decay 0.1\n",
    "seed 4294967295\nlearning_rate 0.03\nwarmup 3\ninit xavier\nmax_grad_norm 0.5\n",
    "seed 70000\nlearning_rate 0.002\nschedule cosine\ntotal_steps 4\nfinal_learning_rate 0.001\ninit_gain deepnorm\n",
};

std::string joined(const std::string& shared) {
  std::string text;
  for (const char* fields : own) text += (text.empty() ? "" : "\n") + shared + fields;
  return text;
}

void train(Machine& machine, int n_step) {
  for (int i = 0; i < n_step; ++i) {
    machine.begin_step(Split::train);
    for (const Phase phase : {Phase::forward, Phase::backward, Phase::observe, Phase::update}) machine.run(phase);
  }
  machine.begin_step(Split::held_out);
  machine.run(Phase::evaluate);
}

bool same_bits(const float* a, const float* b, uint64_t n) { return n == 0 || std::memcmp(a, b, n * sizeof *a) == 0; }

// Every tensor of `alone` holds the bits that the model has in `together`.
void expect_same_tensors(Machine& together, uint32_t model, Machine& alone) {
  for (const Tensor& t : alone.plan().tensors)
    EXPECT_TRUE(same_bits(together.tensor(t.name) + model * t.n_per_model, alone.tensor(t.name), t.n_per_model))
        << t.name << " of model " << model + 1;
}

class ModelsOfOnePlan : public testing::TestWithParam<const char*> {};

TEST_P(ModelsOfOnePlan, TrainBitForBitAsEachAlone) {
  const std::string shared = std::string("n_layer 2\nd_model 12\nn_ctx 6\nn_batch 3\n") + GetParam();
  Machine together("model", joined(shared), "markov 32 7");
  ASSERT_TRUE(together.status().ok()) << together.status().message;
  ASSERT_EQ(together.plan().n_model, n_model);
  ASSERT_NE(together.allocate(), nullptr);
  train(together, 5);
  for (uint32_t model = 0; model < n_model; ++model) {
    Machine alone("model", shared + own[model], "markov 32 7");
    ASSERT_NE(alone.allocate(), nullptr) << alone.status().message;
    train(alone, 5);
    expect_same_tensors(together, model, alone);
  }
}

INSTANTIATE_TEST_SUITE_P(, ModelsOfOnePlan,
                         testing::Values("placement pre-ln\n", "placement post-ln\noptimizer sgd\n",
                                         "placement peri-ln\ndropout 0.2\n",
                                         "placement layerscale\nformat fp16\ndropout 0.1\n",
                                         "placement rezero\nformat bf16\n", "placement post-ln\nnorm_kind batchnorm\n",
                                         "placement sandwich-ln\nnorm_kind rmsnorm\nz_loss 0.01\n",
                                         "placement pre-ln\nnorm_kind dyt\nqk_norm qkv\noptimizer sgd\n",
                                         "placement hybridnorm\nnorm_affine false\n",
                                         "placement keel\nd_model 13\nn_head 1\n",
                                         "placement plain\nblock sublayer\nactivation relu\n"));

TEST(SeveralModels, GoOnWhenOneOfThemDiverges) {
  Machine together("model", "learning_rate 1e6\nformat fp16\nn_layer 1\n\nn_layer 1\nformat fp16\n", "markov 32 7"),
      alone("model", "n_layer 1\nformat fp16\n", "markov 32 7");
  ASSERT_NE(together.allocate(), nullptr);
  ASSERT_NE(alone.allocate(), nullptr);
  train(together, 4), train(alone, 4);
  EXPECT_LT(together.tensor("control")[0], 4) << "a step that is not finite was left out";
  expect_same_tensors(together, 1, alone);
}

TEST(SeveralModels, BlocksHaveEachTheirOwnParameters) {
  Machine together("block", "n_layer 1\nseed 3\n\nn_layer 1\nseed 4\n", ""), alone("block", "n_layer 1\nseed 4\n", "");
  ASSERT_NE(together.allocate(), nullptr);
  ASSERT_NE(alone.allocate(), nullptr);
  expect_same_tensors(together, 1, alone);
}

TEST(SeveralModels, AreSeparatedByAnEmptyLineEvenWhereASpecSaysNothing) {
  std::vector<ModelSpec> specs;
  for (const auto& [text, n] : std::initializer_list<std::pair<const char*, size_t>>{
           {"", 1}, {"seed 2\n", 1}, {"\n", 2}, {"seed 2\n\nseed 3", 2}, {"seed 2\n\n", 2}, {"\nseed 2\n", 2}}) {
    ASSERT_TRUE(parse_specs(text, specs).ok()) << text;
    EXPECT_EQ(specs.size(), n) << "'" << text << "'";
  }
  EXPECT_EQ(specs[0].seed, 1u);
  EXPECT_EQ(specs[1].seed, 2u);
}

TEST(SeveralModels, MayDifferInWhatReachesAPlanThroughTensorsAlone) {
  const std::string fields = std::string(" ") + own_fields + " ", every = print_spec({});
  for (const char* line : {"seed 2", "learning_rate 1", "final_learning_rate 1", "warmup 2", "schedule cosine",
                           "total_steps 9", "weight_decay 1", "max_grad_norm 1", "init xavier", "init_gain residual"}) {
    const std::string name(line, std::strchr(line, ' '));
    EXPECT_NE(fields.find(" " + name + " "), std::string::npos) << name;
    EXPECT_NE(every.find(name + " "), std::string::npos) << name << " is no field";
    EXPECT_TRUE(Machine("model", "n_layer 0\n\nn_layer 0\n" + std::string(line), "").status().ok()) << line;
  }
}

TEST(SeveralModels, RefuseEveryOtherDifferenceByName) {
  const Status status = Machine("model", "d_model 32\n\nd_model 32\nseed 2\n\nd_model 64\n", "").status();
  EXPECT_EQ(status.code, "bad-spec");
  EXPECT_NE(status.message.find("model 3 has d_model 64 and the first model 32"), std::string::npos) << status.message;
  EXPECT_NE(status.message.find("seed"), std::string::npos) << "it says what may differ";
  for (const char* line : {"placement post-ln", "dropout 0.1", "eps 1e-3", "beta1 0.5", "optimizer sgd", "n_batch 2",
                           "decay1d true", "momentum 0.5", "format fp16", "z_loss 1", "n_vocab 40", "adam_eps 1"})
    EXPECT_EQ(Machine("model", "\n" + std::string(line), "").status().code, "bad-spec") << line;
  EXPECT_EQ(Machine("model", "seed 2\n\nseed two\n", "").status().code, "bad-spec");
}

TEST(SeveralModels, RefuseMoreThanAGpuCanCount) {
  std::vector<ModelSpec> specs;
  EXPECT_TRUE(parse_specs(std::string(max_model - 1, '\n'), specs).ok());
  EXPECT_NE(parse_specs(std::string(max_model, '\n'), specs).message.find("at most 65535 models"), std::string::npos);
}

TEST(SeveralModels, AreAllDescribed) {
  const std::string json = Machine("model", "n_layer 0\nseed 5\n\nn_layer 0\nseed 6\n", "").describe();
  const size_t models = json.find("\"models\":[{"), first = json.find("\"seed\":5}", models),
               second = json.find("\"seed\":6}]", first);
  EXPECT_LT(json.find("\"spec\":{"), models);
  EXPECT_NE(second, std::string::npos) << json.substr(models);
}

TEST(SeveralModels, WriteNoText) {
  std::string text = "text plain\n";
  for (int i = 0; i < 100; ++i) text += "abcdef";
  const Machine machine("model", "n_ctx 8\n\nn_ctx 8\nseed 2\n", text);
  EXPECT_NE(check_generation(machine, {}).message.find("a plan of its own"), std::string::npos);
}

TEST(InputsAlone, AreDrawnAsInTheWholeArena) {
  Machine inputs("model", joined("n_layer 1\n"), "markov 32 7"), whole("model", joined("n_layer 1\n"), "markov 32 7");
  ASSERT_NE(inputs.allocate_inputs(), nullptr);
  ASSERT_NE(whole.allocate(), nullptr);
  for (const float step : {0.0f, 7.0f}) {
    for (Machine* m : {&inputs, &whole})
      for (uint32_t model = 0; model < n_model; ++model) m->tensor("control")[8 * model] = step;
    inputs.begin_step(Split::train), whole.begin_step(Split::train);
    for (const Tensor& t : whole.plan().tensors) {
      if (t.role != Role::input && t.name != "control") continue;
      ASSERT_NE(inputs.tensor(t.name), nullptr) << t.name;
      EXPECT_TRUE(same_bits(inputs.tensor(t.name), whole.tensor(t.name), t.n_per_model * n_model)) << t.name;
    }
  }
}

TEST(InputsAlone, HoldNothingElseAndRunNothing) {
  Machine machine("model", "n_layer 1\n", "markov 32 7");
  EXPECT_EQ(machine.tensor("tokens"), nullptr) << "nothing is allocated yet";
  float* inputs = machine.allocate_inputs();
  EXPECT_EQ(machine.allocate_inputs(), inputs) << "the first call allocates";
  EXPECT_EQ(machine.tensor("head.weight"), nullptr);
  EXPECT_EQ(machine.tensor("logits"), nullptr);
  machine.run(Phase::forward);
  ASSERT_NE(machine.allocate(), nullptr) << "the arena takes its place";
  EXPECT_NE(machine.tensor("logits"), nullptr);
  EXPECT_NE(machine.tensor("tokens"), nullptr);
}

TEST(InitialValues, AreThoseOfTheArenaInPiecesOfAnySize) {
  Machine machine("model", joined("n_layer 1\nd_model 9\nn_head 1\nbranch_scale vector\nbranch_scale_init 0.5\n"),
                  "markov 32 7");
  ASSERT_NE(machine.allocate(), nullptr);
  for (TensorId id = 0; id < machine.plan().tensors.size(); ++id) {
    const Tensor& t = machine.plan().tensors[id];
    const uint64_t size = t.n_per_model * n_model;
    for (const uint64_t piece : {uint64_t{7}, uint64_t{1000}, size})
      for (uint64_t first = 0; first < size; first += piece) {
        const uint64_t n = std::min(piece, size - first);
        ASSERT_TRUE(same_bits(machine.initial_values(id, first, n), machine.tensor(t.name) + first, n))
            << t.name << " from " << first;
      }
    EXPECT_EQ(machine.initial_values(id, 1, size), nullptr) << "beyond its end";
  }
}

TEST(InitialValues, NeedNoArena) {
  Machine machine("model", "n_layer 48\nd_model 1600\nn_head 25\nn_ctx 1024\nn_vocab 50257\n", "");
  ASSERT_TRUE(machine.status().ok()) << machine.status().message;
  const TensorId head = machine.plan().find("head.weight");
  const float* last = machine.initial_values(head, uint64_t{50257} * 1600 - 2, 2);
  ASSERT_NE(last, nullptr);
  EXPECT_NE(last[0], 0);
  EXPECT_NE(last[0], last[1]);
}

}  // namespace
}  // namespace normscope
