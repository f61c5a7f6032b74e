// AdamW or SGD with global gradient clipping, and the statistics of a step.
#pragma once
#include "plan/builder.h"

namespace normscope {

// Which parameters weight decay shrinks: matrices, and the one-dimensional ones that are asked for.
struct DecayRule {
  bool decay_1d = false;       // all of them
  std::vector<TensorId> also;  // these, e.g. the gains of the norms
};

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8;
  DecayRule decay = {};
};

struct SgdOptions {
  double momentum = 0.9;
  DecayRule decay = {};
};

// The per-step values that updates read and write; see ControlParams.
struct UpdateState {
  TensorId hyper, control, partial;
};

// Appends to `backward` the partial square sums of every gradient, in the order of `parameters`.
void grad_square_sums(Builder& b, const std::vector<TensorId>& parameters, TensorId partial);
// Appends to `update` the global norm, the step count, what the ops do once per step, and AdamW for every parameter.
void adamw(Builder& b, const std::vector<TensorId>& parameters, const UpdateState& state, const AdamWOptions& options);
// The same with SGD.
void sgd(Builder& b, const std::vector<TensorId>& parameters, const UpdateState& state, const SgdOptions& options);

}  // namespace normscope
