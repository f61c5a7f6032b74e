#include "ops/embedding.h"

namespace normscope {

TensorId embedding(Builder& b, const std::string& name, TensorId tokens, TensorId token_table,
                   TensorId position_table) {
  const uint32_t n_batch = b[tokens].shape[0], n_ctx = b[tokens].shape[1], d = b[token_table].shape[1];
  const EmbeddingParams p{n_batch, n_ctx, d, b[token_table].shape[0], 0};
  const TensorId y = b.result(name, {n_batch, n_ctx, d}, {token_table, position_table});
  b.emit(Kernel::embedding_forward, {tokens, token_table, position_table, y}, p, {n_batch * n_ctx, d});
  b.on_backward([=](Builder& b) {
    if (!b.has_grad(y)) return;
    EmbeddingParams token = p, position = p;
    const TensorId dtoken = b.grad_to_write(token_table, token.accumulate);
    b.emit(Kernel::embedding_backward_token, {tokens, b.grad(y), dtoken}, token, {p.n_vocab, d});
    const TensorId dposition = b.grad_to_write(position_table, position.accumulate);
    b.emit(Kernel::embedding_backward_position, {b.grad(y), dposition}, position, {n_ctx, d});
  });
  return y;
}

}  // namespace normscope
