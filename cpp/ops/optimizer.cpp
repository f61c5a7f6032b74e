#include "ops/optimizer.h"

#include <cmath>

#include "ops/shape.h"

namespace normscope {

void grad_square_sums(Builder& b, const std::vector<TensorId>& parameters, TensorId partial) {
  b.begin(Phase::backward);
  for (uint32_t slot = 0; slot < parameters.size(); ++slot) {
    const TensorId g = b.grad(parameters[slot]);
    b.emit(Kernel::grad_square_sum, {g, partial}, GradSquareParams{n_value(b, g), slot}, {n_value(b, g)});
  }
}

void adamw(Builder& b, const std::vector<TensorId>& parameters, const UpdateState& state, const AdamWOptions& options) {
  b.begin(Phase::update);
  const ControlParams control{static_cast<uint32_t>(parameters.size()), static_cast<float>(std::log(options.beta1)),
                              static_cast<float>(std::log(options.beta2))};
  b.emit(Kernel::update_control, {state.partial, state.hyper, state.control}, control, {1});
  for (const TensorId p : parameters) {
    const std::string name = b[p].name;
    const Shape shape = b[p].shape;
    const TensorId m = b.add(name + ".adam_m", Role::state, shape), v = b.add(name + ".adam_v", Role::state, shape);
    const AdamWParams params{n_value(b, p), shape.size() > 1 || options.decay_1d, static_cast<float>(1 - options.beta1),
                             static_cast<float>(1 - options.beta2), static_cast<float>(options.eps)};
    b.emit(Kernel::adamw, {b.grad(p), state.hyper, state.control, p, m, v}, params, {params.n});
  }
}

}  // namespace normscope
