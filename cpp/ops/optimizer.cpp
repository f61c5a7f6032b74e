#include "ops/optimizer.h"

#include <algorithm>
#include <cmath>

#include "ops/shape.h"

namespace normscope {
namespace {

bool decays(const Builder& b, TensorId p, const DecayRule& rule) {
  return b[p].shape.size() > 1 || rule.decay_1d || std::count(rule.also.begin(), rule.also.end(), p) > 0;
}

// The step's control, then whatever else waits for it.
void begin_update(Builder& b, const std::vector<TensorId>& parameters, const UpdateState& state, double beta1,
                  double beta2) {
  b.begin(Phase::update);
  const ControlParams control{static_cast<uint32_t>(parameters.size()), static_cast<float>(std::log(beta1)),
                              static_cast<float>(std::log(beta2))};
  b.emit(Kernel::update_control, {state.partial, state.hyper, state.control}, control, {1});
  b.update();
}

}  // namespace

void grad_square_sums(Builder& b, const std::vector<TensorId>& parameters, TensorId partial) {
  b.begin(Phase::backward);
  for (uint32_t slot = 0; slot < parameters.size(); ++slot) {
    const TensorId g = b.grad(parameters[slot]);
    b.emit(Kernel::grad_square_sum, {g, partial}, GradSquareParams{n_value(b, g), slot}, {n_value(b, g)});
  }
}

void adamw(Builder& b, const std::vector<TensorId>& parameters, const UpdateState& state, const AdamWOptions& options) {
  begin_update(b, parameters, state, options.beta1, options.beta2);
  for (const TensorId p : parameters) {
    const std::string name = b[p].name;
    const Shape shape = b[p].shape;
    const TensorId m = b.add(name + ".adam_m", Role::state, shape), v = b.add(name + ".adam_v", Role::state, shape);
    const AdamWParams params{n_value(b, p), decays(b, p, options.decay), static_cast<float>(1 - options.beta1),
                             static_cast<float>(1 - options.beta2), static_cast<float>(options.eps)};
    b.emit(Kernel::adamw, {b.grad(p), state.hyper, state.control, p, m, v}, params, {params.n});
  }
}

void sgd(Builder& b, const std::vector<TensorId>& parameters, const UpdateState& state, const SgdOptions& options) {
  begin_update(b, parameters, state, 0, 0);  // no moments whose bias would need correction
  for (const TensorId p : parameters) {
    const TensorId v = b.add(b[p].name + ".sgd_v", Role::state, b[p].shape);
    const SgdParams params{n_value(b, p), decays(b, p, options.decay), static_cast<float>(options.momentum)};
    b.emit(Kernel::sgd, {b.grad(p), state.hyper, state.control, p, v}, params, {params.n});
  }
}

}  // namespace normscope
