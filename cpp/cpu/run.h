#pragma once
#include "plan/plan.h"

namespace normscope {

// Runs one phase of a plan over an arena of plan.n_float scalars, model by model. T is float or double.
template <class T>
void run(const Plan& plan, Phase phase, T* arena);

// Writes the initial value of every tensor.
template <class T>
void fill_arena(const Plan& plan, T* arena);

}  // namespace normscope
