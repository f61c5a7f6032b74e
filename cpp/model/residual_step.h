// One residual step, the formula that every placement is a case of:
//     x_next = N_stream(alpha · x + dt · N_out(dropout(f(N_in(x)))))
#pragma once
#include <functional>

#include "model/spec.h"
#include "plan/builder.h"

namespace normscope {

// What a residual step needs from its model, and the record that it leaves for the statistics.
struct StepContext {
  const ModelSpec& spec;
  TensorId control, seed, latch, zeros;  // zeros: [d_model], the shift of a norm that has none

  // How the bound of theory grows over a step; no gain: none (see BoundParams).
  struct Bound {
    TensorId gamma = no_tensor, beta = no_tensor;
    float keep = 0, step = 0;
  };
  std::vector<TensorId> points;
  std::vector<Bound> bounds;  // bounds[i] leads from point i to point i + 1
};

struct Norm {
  TensorId y, gamma, beta;
};
// Creates `name`.weight and `name`.bias as the norm's kind has them. Kind "none" returns x itself.
Norm add_norm(Builder& b, const StepContext& context, const std::string& name, TensorId x);

using Branch = std::function<TensorId(TensorId)>;

// norm_prefix + "_in", "_out", "_stream" name the norms, point_name the new residual point.
TensorId residual_step(Builder& b, StepContext& context, const std::string& norm_prefix, const std::string& point_name,
                       TensorId x, const Branch& f);

}  // namespace normscope
