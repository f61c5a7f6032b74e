// Plans of single ops, by name: for one-shot calls and for tests. Tensor names are the ones the op is known by.
#pragma once
#include <string>
#include <string_view>

#include "plan/builder.h"

namespace normscope {

// params: "key value" lines. An unknown op or a bad size is the builder's status.
void build_op(Builder& b, std::string_view op, std::string_view params);

}  // namespace normscope
