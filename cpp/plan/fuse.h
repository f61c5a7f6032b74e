// Joins neighbours of a finished plan that one kernel does as well as two.
#pragma once
#include "plan/plan.h"

namespace normscope {

// A residual addition and the LayerNorm or RMSNorm of its sum just behind it, in `forward` and in `evaluate`, become
// one pass over the rows: the same tensors, the same bits, one dispatch less. Nothing may stand between the two (such
// as the rounding of the sum), and both must overwrite what they write.
Plan with_fused_norms(Plan plan);

}  // namespace normscope
