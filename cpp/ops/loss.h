#pragma once
#include "plan/builder.h"

namespace normscope {

// Mean softmax cross-entropy in nats over the rows whose target is not ignore_index.
// logits: [n_row, n_class]; targets: [n_row]. Returns loss: { mean, counted rows, sum, 0 }; its gradient is 1.
// z_loss adds z_loss (log Z)² to every counted row (Chowdhery et al. 2022), which keeps the logits from drifting; not
// in `evaluate`, whose loss is the cross-entropy alone, so that e^loss is the perplexity.
TensorId cross_entropy(Builder& b, const std::string& name, TensorId logits, TensorId targets, float ignore_index,
                       float z_loss = 0);

TensorId softmax(Builder& b, const std::string& name, TensorId z);

}  // namespace normscope
