#include "ops/residual.h"

#include "ops/shape.h"

namespace normscope {
namespace {

void scale_backward(Builder& b, TensorId x, TensorId y, float scale) {
  if (!b.has_grad(y) || !b.needs_grad(x)) return;
  ScaleParams p{n_value(b, x), scale, 0};
  const TensorId dx = b.grad_to_write(x, p.accumulate);
  b.emit(Kernel::scale_add, {b.grad(y), dx}, p, {p.n});
}

}  // namespace

TensorId residual_add(Builder& b, const std::string& name, TensorId skip, TensorId branch, float alpha, float dt) {
  const ResidualParams p{n_value(b, skip), alpha, dt, 0};
  const TensorId y = b.result(name, b[skip].shape, {skip, branch});
  b.emit(Kernel::residual_add, {skip, branch, y}, p, {p.n});
  b.on_backward([=](Builder& b) {
    scale_backward(b, skip, y, alpha);
    scale_backward(b, branch, y, dt);
  });
  return y;
}

TensorId scaled(Builder& b, const std::string& name, TensorId x, float scale) {
  const TensorId y = b.result(name, b[x].shape, {x});
  b.emit(Kernel::scale_add, {x, y}, ScaleParams{n_value(b, x), scale, 0}, {n_value(b, x)});
  b.on_backward([=](Builder& b) { scale_backward(b, x, y, scale); });
  return y;
}

}  // namespace normscope
