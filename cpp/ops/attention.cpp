#include "ops/attention.h"

#include <cmath>

namespace normscope {

TensorId attention(Builder& b, const std::string& name, TensorId q, TensorId k, TensorId v, TensorId mask,
                   const AttentionShape& s) {
  const float scale = s.scale == s.scale ? s.scale : 1.0f / __builtin_sqrtf(static_cast<float>(s.d_head));
  const AttentionParams p{s.n_batch, s.n_query,      s.n_key,           s.n_head, s.d_head,
                          s.causal,  s.query_offset, mask != no_tensor, scale,    0};
  const TensorId y = b.result(name, b[q].shape, {q, k, v});
  const TensorId probs = b.add(name + ".probs", Role::activation, {s.n_batch, s.n_head, s.n_query, s.n_key});
  const Grid grid{s.n_batch * s.n_head, s.n_query};
  b.emit(Kernel::attention_forward, {q, k, v, mask == no_tensor ? b.unused() : mask, y, probs}, p, grid);
  b.on_backward([=](Builder& b) {
    if (!b.has_grad(y)) return;
    AttentionParams with = p;
    const TensorId dq = b.grad_to_write(q, with.accumulate, 0), dk = b.grad_to_write(k, with.accumulate, 1),
                   dv = b.grad_to_write(v, with.accumulate, 2);
    b.emit(Kernel::attention_backward, {q, k, v, probs, b.grad(y), dq, dk, dv}, with, grid);
  });
  return y;
}

}  // namespace normscope
