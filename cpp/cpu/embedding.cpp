// Token plus learned position embedding and the gradients of both tables.
#include "cpu/column_sums.h"
#include "cpu/kernels.h"

namespace normscope::cpu {

template <class T>
void embedding_forward(const EmbeddingParams& p, T* const* operand) {
  const T *tokens = operand[0], *token_table = operand[1], *position_table = operand[2];
  T* y = operand[3];
  for (size_t row = 0; row < size_t{p.n_batch} * p.n_ctx; ++row) {
    const T* token = token_table + static_cast<size_t>(tokens[row]) * p.d;
    const T* position = position_table + (row % p.n_ctx) * p.d;
    for_lanes(p.d, [&](uint32_t i, uint32_t k) {
      store_n(y + row * p.d + i, load_n(token + i, k) + load_n(position + i, k), k);
    });
  }
}

template <class T>
void embedding_backward_token(const EmbeddingParams& p, T* const* operand) {
  const T *tokens = operand[0], *dy = operand[1];
  T* dtable = operand[2];
  if (!(p.accumulate & 1))
    for (size_t i = 0; i < size_t{p.n_vocab} * p.d; ++i) dtable[i] = 0;
  for (size_t row = 0; row < size_t{p.n_batch} * p.n_ctx; ++row) {
    T* out = dtable + static_cast<size_t>(tokens[row]) * p.d;
    for_lanes(p.d,
              [&](uint32_t i, uint32_t k) { store_n(out + i, load_n(out + i, k) + load_n(dy + row * p.d + i, k), k); });
  }
}

template <class T>
void embedding_backward_position(const EmbeddingParams& p, T* const* operand) {
  const T* dy = operand[0];
  T* dtable = operand[1];
  for (size_t t = 0; t < p.n_ctx; ++t)
    sum_columns<T, 1>(p.n_batch, p.d, p.accumulate, {dtable + t * p.d},
                      [&](size_t batch, uint32_t i, uint32_t n, Vec<T>* value) {
                        value[0] = load_n(dy + (batch * p.n_ctx + t) * p.d + i, n);
                      });
}

NORMSCOPE_INSTANTIATE(embedding_forward, EmbeddingParams)
NORMSCOPE_INSTANTIATE(embedding_backward_token, EmbeddingParams)
NORMSCOPE_INSTANTIATE(embedding_backward_position, EmbeddingParams)

}  // namespace normscope::cpu
