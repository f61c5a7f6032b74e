#include "ops/activation.h"

#include "ops/shape.h"
#include "plan/random.h"

namespace normscope {

TensorId activation(Builder& b, const std::string& name, TensorId x, Activation kind) {
  const ActivationParams p{n_value(b, x), static_cast<uint32_t>(kind), 0};
  const TensorId y = b.result(name, b[x].shape, {x});
  b.emit(Kernel::activation_forward, {x, y}, p, {p.n});
  b.on_backward([=](Builder& b) {
    if (!b.has_grad(y) || !b.needs_grad(x)) return;
    ActivationParams with = p;
    const TensorId dx = b.grad_to_write(x, with.accumulate);
    b.emit(Kernel::activation_backward, {x, b.grad(y), dx}, with, {p.n});
  });
  return y;
}

TensorId dropout(Builder& b, const std::string& name, TensorId x, TensorId control, TensorId seed, float rate) {
  const DropoutParams p{n_value(b, x), stream_of(name), rate, 1, 0};
  DropoutParams off = p;
  off.train = 0;
  const TensorId y = b.result(name, b[x].shape, {x});
  b.emit(Kernel::dropout_forward, {x, control, seed, y}, p, off, {p.n});
  b.on_backward([=](Builder& b) {
    if (!b.has_grad(y) || !b.needs_grad(x)) return;
    DropoutParams with = p;
    const TensorId dx = b.grad_to_write(x, with.accumulate);
    b.emit(Kernel::dropout_backward, {b.grad(y), control, seed, dx}, with, {p.n});
  });
  return y;
}

void round_in_place(Builder& b, TensorId x, TensorId control, TensorId latch, Format format, uint32_t point) {
  if (format == Format::fp32) return;
  b.emit(Kernel::round_format, {control, x, latch},
         RoundParams{n_value(b, x), n_column(b, x), static_cast<uint32_t>(format), point},
         {n_row(b, x), n_column(b, x)});
}

}  // namespace normscope
