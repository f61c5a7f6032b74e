#include "ops/linear.h"

#include "ops/shape.h"

namespace normscope {
namespace {

void linear_backward(Builder& b, TensorId x, TensorId weight, TensorId bias, TensorId y, const LinearParams& p) {
  if (!b.has_grad(y)) return;
  const TensorId dy = b.grad(y);
  if (b.needs_grad(weight)) {
    LinearParams with = p;
    const TensorId dweight = b.grad_to_write(weight, with.accumulate);
    b.emit(Kernel::linear_backward_weight, {x, dy, dweight}, with, {p.n_out, p.n_in});
  }
  if (bias != no_tensor && b.needs_grad(bias)) {
    LinearParams with = p;
    const TensorId dbias = b.grad_to_write(bias, with.accumulate);
    b.emit(Kernel::linear_backward_bias, {dy, dbias}, with, {1, p.n_out});
  }
  if (b.needs_grad(x)) {
    LinearParams with = p;
    const TensorId dx = b.grad_to_write(x, with.accumulate);
    b.emit(Kernel::linear_backward_x, {dy, weight, dx}, with, {p.n_row, p.n_in});
  }
}

}  // namespace

TensorId linear(Builder& b, const std::string& name, TensorId x, TensorId weight, TensorId bias) {
  const LinearParams p{n_row(b, x), n_column(b, x), b[weight].shape[0], bias != no_tensor, 0};
  Shape shape = b[x].shape;
  shape.back() = p.n_out;
  const TensorId y = bias == no_tensor ? b.result(name, shape, {x, weight}) : b.result(name, shape, {x, weight, bias});
  b.emit(Kernel::linear_forward, {x, weight, bias == no_tensor ? b.unused() : bias, y}, p, {p.n_row, p.n_out});
  b.on_backward([=](Builder& b) { linear_backward(b, x, weight, bias, y, p); });
  return y;
}

}  // namespace normscope
