#pragma once
#include "plan/builder.h"

namespace normscope {

// y[b, t] = token_table[tokens[b, t]] + position_table[t]; tokens: [n_batch, n_ctx]; tables: [n_vocab, d], [n_ctx, d].
TensorId embedding(Builder& b, const std::string& name, TensorId tokens, TensorId token_table, TensorId position_table);

}  // namespace normscope
