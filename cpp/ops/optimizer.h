// AdamW with global gradient clipping, and the statistics of a step.
#pragma once
#include "plan/builder.h"

namespace normscope {

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8;
  bool decay_1d = false;  // decay one-dimensional parameters as well
};

// The per-step values that updates read and write; see ControlParams.
struct UpdateState {
  TensorId hyper, control, partial;
};

// Appends to `backward` the partial square sums of every gradient, in the order of `parameters`.
void grad_square_sums(Builder& b, const std::vector<TensorId>& parameters, TensorId partial);
// Appends to `update` the global norm, the step count and AdamW for every parameter.
void adamw(Builder& b, const std::vector<TensorId>& parameters, const UpdateState& state, const AdamWOptions& options);

}  // namespace normscope
