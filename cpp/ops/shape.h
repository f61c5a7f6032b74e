// Rows and columns of a tensor seen as a matrix whose columns are its last axis.
#pragma once
#include "plan/builder.h"

namespace normscope {

inline uint32_t n_column(const Builder& b, TensorId x) { return b[x].shape.back(); }
inline uint32_t n_row(const Builder& b, TensorId x) {
  return n_column(b, x) == 0 ? 0 : static_cast<uint32_t>(b.size(x) / n_column(b, x));
}
inline uint32_t n_value(const Builder& b, TensorId x) { return static_cast<uint32_t>(b.size(x)); }

}  // namespace normscope
