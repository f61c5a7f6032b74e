// A plan as JSON, for the other side of the border.
#pragma once
#include <string>

#include "model/transformer.h"
#include "plan/plan.h"

namespace normscope {

// "tensors":[…],"phases":{…}: members of an object, without its braces. The plan of a deep model takes a megabyte, so
// it is written front to back into one text.
std::string plan_json(const Plan& plan);

// Where the statistics of a model lie in its ring; null where it has none.
std::string observe_json(const Plan& plan, const ModelLayout& layout);

}  // namespace normscope
