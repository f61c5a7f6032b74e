#include "ops/loss.h"

#include "ops/shape.h"

namespace normscope {

TensorId cross_entropy(Builder& b, const std::string& name, TensorId logits, TensorId targets, float ignore_index,
                       float z_loss) {
  const CrossEntropyParams p{n_row(b, logits), n_column(b, logits), ignore_index, z_loss, 0};
  CrossEntropyParams plain = p;
  plain.z_loss = 0;
  const TensorId rows = b.add(name + ".rows", Role::activation, {p.n_row, 4});
  const TensorId loss = b.result(name, {4}, {logits});
  b.emit(Kernel::cross_entropy_forward, {logits, targets, rows}, p, plain, {p.n_row, p.n_class});
  b.emit(Kernel::cross_entropy_mean, {rows, loss}, p, {1});
  b.on_backward([=](Builder& b) {
    CrossEntropyParams with = p;
    const TensorId dlogits = b.grad_to_write(logits, with.accumulate);
    b.emit(Kernel::cross_entropy_backward, {logits, targets, rows, loss, dlogits}, with, {p.n_row, p.n_class});
  });
  return loss;
}

TensorId softmax(Builder& b, const std::string& name, TensorId z) {
  const SoftmaxParams p{n_row(b, z), n_column(b, z), 0};
  const TensorId probs = b.result(name, b[z].shape, {z});
  b.emit(Kernel::softmax_forward, {z, probs}, p, {p.n_row, p.n_col});
  b.on_backward([=](Builder& b) {
    if (!b.has_grad(probs) || !b.needs_grad(z)) return;
    SoftmaxParams with = p;
    const TensorId dz = b.grad_to_write(z, with.accumulate);
    b.emit(Kernel::softmax_backward, {probs, b.grad(probs), dz}, with, {p.n_row, p.n_col});
  });
  return probs;
}

}  // namespace normscope
