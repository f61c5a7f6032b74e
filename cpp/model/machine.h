// One thing that can be planned and run: a model with its training data, blocks alone, or a single op.
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
  // kind: "model", "block" or "op:<name>"; spec: "key value" lines; data: see make_dataset. Never throws: look at
  // status().
  Machine(const std::string& kind, const std::string& spec, const std::string& data);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Status& status() const { return status_; }
  const Plan& plan() const { return plan_; }
  const ModelSpec& spec() const { return spec_; }
  const ModelLayout& layout() const { return layout_; }
  const Dataset& data() const { return data_; }
  // The plan as JSON: tensors, phases, data set, spec, layout of the statistics.
  std::string describe() const;

  // The arena with its initial values; nullptr and a status when there is no memory. The first call allocates.
  float* allocate();
  float* tensor(std::string_view name);  // nullptr when absent or not allocated
  void run(Phase phase);

  // Draws the batch of the step in `control` into tokens and targets, and sets the step's learning rate.
  void begin_step(Split split);

 private:
  void plan_model(const std::string& kind, const std::string& spec, const std::string& data);

  std::string kind_;
  Status status_;
  ModelSpec spec_;
  Dataset data_;
  Plan plan_;
  ModelLayout layout_;
  float* arena_ = nullptr;
};

// Learning rate of update `step` (0, 1, …): linear warm-up over n_warmup steps to `most`, which step n_warmup is the
// first to reach; with n_total > 0 then a cosine down to `least`, which holds from step n_total on.
double scheduled_rate(uint32_t step, double most, double least, uint32_t n_warmup, uint32_t n_total);

}  // namespace normscope
