#pragma once
#include <limits>

#include "plan/builder.h"

namespace normscope {

struct AttentionShape {
  uint32_t n_batch = 1, n_query = 0, n_key = 0, n_head = 1, d_head = 0;
  bool causal = false;
  int32_t query_offset = 0;  // position of the first query among the keys; negative: the first queries see nothing
  float scale = std::numeric_limits<float>::quiet_NaN();  // NaN: 1 / sqrt(d_head)
};

// q: [n_batch, n_query, n_head d_head]; k, v: [n_batch, n_key, n_head d_head]; mask: [n_query, n_key] of 0 and 1, or
// no_tensor.
TensorId attention(Builder& b, const std::string& name, TensorId q, TensorId k, TensorId v, TensorId mask,
                   const AttentionShape& shape);

}  // namespace normscope
