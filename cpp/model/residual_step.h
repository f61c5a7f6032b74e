// One residual step, the formula that every placement is a case of:
//     x_next = N_stream(alpha · skip + dt · s ⊙ N_out(dropout(f(c · N_in(x)))))
#pragma once
#include <functional>
#include <map>

#include "model/spec.h"
#include "plan/builder.h"

namespace normscope {

// What a residual step needs from its model, and the record that it leaves for the statistics.
struct StepContext {
  const ModelSpec& spec;
  TensorId control, seed, latch, zeros;  // zeros: [d_model], the shift of a norm that has none

  // How the bound of theory grows over a step, |x_next| <= keep |x| + step |gain|; no gamma: none (see BoundParams).
  // It needs no more of a norm than that the x_hat of a batch has a root mean square of at most 1, and so has each of
  // its rows or each of its columns: LayerNorm and RMSNorm the rows, BatchNorm the columns, DyT both. A branch scale s
  // makes the gain s ⊙ gamma and the shift s ⊙ beta.
  struct Bound {
    TensorId gamma = no_tensor, beta = no_tensor, branch_scale = no_tensor;
    float keep = 0, step = 0;
  };
  std::vector<TensorId> points = {};
  std::vector<Bound> bounds = {};                                 // bounds[i] leads from point i to point i + 1
  std::vector<TensorId> gains = {};                               // the γ of every norm, for weight decay
  std::map<std::pair<uint32_t, float>, TensorId> constants = {};  // by width and value
};

struct Norm {
  TensorId y, gamma, beta;
};
// Creates `name`.weight, .bias and .alpha as the norm's kind has them. Kind "none" returns x itself.
Norm add_norm(Builder& b, StepContext& context, const std::string& name, TensorId x);
// The norm of every head's d_model / n_head features, for QK-norm; the heads share gain and shift.
TensorId add_head_norm(Builder& b, StepContext& context, const std::string& name, TensorId x);

using Branch = std::function<TensorId(TensorId)>;

// What the tensors of a step are called: norms + "_in", "_out", "_stream", the branch scale, the new residual point.
struct StepNames {
  std::string norms, branch_scale, point;
};

TensorId residual_step(Builder& b, StepContext& context, const StepNames& names, const StepWiring& wiring, TensorId x,
                       const Branch& f);

}  // namespace normscope
