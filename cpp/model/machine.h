// One thing that can be planned and run: models with their training data, blocks alone, or a single op.
// This is all that the embind border and the native tests see.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/dataset.h"
#include "model/spec.h"
#include "model/transformer.h"

namespace normscope {

constexpr const char* core_version = "0.1.0";

class Machine {
 public:
  // kind: "model", "block" or "op:<name>"; spec: "key value" lines, of several models with an empty line between them
  // (see parse_specs); data: see make_dataset. Never throws: look at status().
  Machine(const std::string& kind, const std::string& spec, const std::string& data);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Status& status() const { return status_; }
  const Plan& plan() const { return plan_; }
  const ModelSpec& spec() const { return models_.front(); }
  const std::vector<ModelSpec>& models() const { return models_; }
  const ModelLayout& layout() const { return layout_; }
  const Dataset& data() const { return data_; }
  // The plan as JSON: tensors, phases, data set, spec, layout of the statistics.
  std::string describe() const;

  // Memory for the whole plan, the arena, with its initial values; nullptr and a status when there is none. The first
  // call allocates and takes the place of what allocate_inputs gave.
  float* allocate();
  // Memory for `control` and the inputs alone, where another executor holds the rest: begin_step needs no more.
  float* allocate_inputs();
  // [n_model, shape…] of a tensor; nullptr when there is none or it has no memory.
  float* tensor(std::string_view name);
  // Initial values `first` … `first` + n - 1 of tensor `id`, counted over all models. They need no arena, and they stay
  // until the next call; nullptr beyond the tensor's end or without memory.
  const float* initial_values(TensorId id, uint64_t first, uint64_t n);
  void run(Phase phase);

  // For every model: draws the batch of the step in `control` into tokens and targets, and sets its learning rate.
  void begin_step(Split split);

 private:
  void plan_model(const std::string& kind, const std::string& spec, const std::string& data);

  bool is_op() const { return kind_.substr(0, 3) == "op:"; }
  void write_initial_values(const Tensor& tensor, uint64_t first, uint64_t n, float* values) const;
  float* hold(bool (*wanted)(const Tensor&));

  std::string kind_;
  Status status_;
  std::vector<ModelSpec> models_ = {{}};
  Dataset data_;
  Plan plan_;
  ModelLayout layout_;
  float* memory_ = nullptr;
  bool whole_ = false;        // memory_ is the arena
  std::vector<uint64_t> at_;  // where in memory_ each tensor lies, or `nowhere`
  std::vector<float> initial_;
};

// Learning rate of update `step` (0, 1, …): linear warm-up over n_warmup steps to `most`, which step n_warmup is the
// first to reach; with n_total > 0 then a cosine down to `least`, which holds from step n_total on.
double scheduled_rate(uint32_t step, double most, double least, uint32_t n_warmup, uint32_t n_total);

}  // namespace normscope
