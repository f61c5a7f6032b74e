#pragma once
#include "plan/builder.h"

namespace normscope {

// ReLU, GELU (tanh form or erf form; Hendrycks & Gimpel 2016) or tanh of every value.
TensorId activation(Builder& b, const std::string& name, TensorId x, Activation kind);

// Inverted dropout of rate [0, 1). control holds the step, seed the two halves of the run's seed; off in `evaluate`.
TensorId dropout(Builder& b, const std::string& name, TensorId x, TensorId control, TensorId seed, float rate);

// Rounds x in place to fp16 or bf16 in the forward pass; the gradient passes unchanged. `point` names the place in the
// latch.
void round_in_place(Builder& b, TensorId x, TensorId control, TensorId latch, Format format, uint32_t point);

}  // namespace normscope
