#pragma once
#include "plan/builder.h"

namespace normscope {

// y = s x with learnable s, of one value (ReZero, Bachlechner et al. 2020) or one for each feature (LayerScale, Touvron
// et al. 2021). x: [..., d]; s: [1] or [d].
TensorId channel_scale(Builder& b, const std::string& name, TensorId x, TensorId s);

}  // namespace normscope
