#pragma once
#include "plan/builder.h"

namespace normscope {

// Mean softmax cross-entropy in nats over the rows whose target is not ignore_index.
// logits: [n_row, n_class]; targets: [n_row]. Returns loss: { mean, counted rows, sum, 0 }; its gradient is 1.
TensorId cross_entropy(Builder& b, const std::string& name, TensorId logits, TensorId targets, float ignore_index);

TensorId softmax(Builder& b, const std::string& name, TensorId z);

}  // namespace normscope
