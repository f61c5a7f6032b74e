// Scaled dot-product attention (Vaswani et al. 2017), softmax over the visible keys only: a masked key never enters a
// sum, so its NaN cannot leak, and a query that sees no key yields 0.
#include <vector>

#include "cpu/kernels.h"
#include "cpu/lane_math.h"

namespace normscope::cpu {
namespace {

constexpr uint32_t key_tile = 64, max_channel_tile = 64;

// One head of one sequence. Rows of q, k, v are `stride` apart.
template <class T>
struct Head {
  const AttentionParams& p;
  const T* mask;
  size_t stride;

  bool sees(uint32_t query, uint32_t key) const {
    if (p.causal && key >= key_end(query)) return false;
    return !p.has_mask || mask[size_t{query} * p.n_key + key] != 0;
  }
  // Keys at or beyond this one are invisible to the query.
  uint32_t key_end(uint32_t query) const {
    const int64_t end = int64_t{query} + p.query_offset + 1;
    if (!p.causal || end >= p.n_key) return p.n_key;
    return end > 0 ? static_cast<uint32_t>(end) : 0;
  }
};

// rows[query - begin][key] = a[query] · b[key] over the channels, for the keys that may be visible. b's tile is
// transposed on the stack.
template <class T>
void dot_products(const Head<T>& head, const T* a, const T* b, uint32_t begin, uint32_t end_query, T* rows) {
  const AttentionParams& p = head.p;
  alignas(16) T tile[max_channel_tile][key_tile];
  for (uint32_t key0 = 0; key0 < p.n_key; key0 += key_tile) {
    const uint32_t n_key = p.n_key - key0 < key_tile ? p.n_key - key0 : key_tile;
    for (uint32_t channel0 = 0; channel0 < p.d_head; channel0 += max_channel_tile) {
      const uint32_t n_channel = p.d_head - channel0 < max_channel_tile ? p.d_head - channel0 : max_channel_tile;
      for (uint32_t key = 0; key < key_tile; ++key)
        for (uint32_t c = 0; c < n_channel; ++c)
          tile[c][key] = key < n_key ? b[(key0 + key) * head.stride + channel0 + c] : T(0);
      for (uint32_t query = begin; query < end_query; ++query) {
        const uint32_t end = head.key_end(query);
        if (end <= key0) continue;
        const T* a_row = a + query * head.stride + channel0;
        T* out = rows + size_t{query - begin} * p.n_key + key0;
        for_lanes(end - key0 < n_key ? end - key0 : n_key, [&](uint32_t j, uint32_t n) {
          Vec<T> sum = channel0 == 0 ? Vec<T>{} : load_n(out + j, n);
          for (uint32_t c = 0; c < n_channel; ++c) sum = madd(splat(a_row[c]), load(&tile[c][j]), sum);
          store_n(out + j, sum, n);
        });
      }
    }
  }
}

// scores -> probabilities in place; invisible keys become 0.
template <class T>
void softmax_visible(const Head<T>& head, uint32_t query, T* row) {
  const AttentionParams& p = head.p;
  const uint32_t end = head.key_end(query);
  T largest = 0;
  bool any = false;
  for (uint32_t key = 0; key < end; ++key)
    if (head.sees(query, key)) {
      const T score = row[key] * static_cast<T>(p.scale);
      row[key] = score;
      if (!any || score > largest || score != score) largest = score;
      any = true;
    }
  T sum = 0;
  for_lanes(end, [&](uint32_t j, uint32_t n) {
    Vec<T> e = exp_lanes(load_n(row + j, n) - largest);
    for (uint32_t lane = 0; lane < n_lane; ++lane)
      if (lane >= n || !head.sees(query, j + lane)) e[lane] = 0;
    sum += sum_lanes<T>(e);
    store_n(row + j, e, n);
  });
  for (uint32_t key = end; key < p.n_key; ++key) row[key] = 0;
  if (!any) return;
  const T inverse = 1 / sum;
  for_lanes(end, [&](uint32_t j, uint32_t n) { store_n(row + j, load_n(row + j, n) * inverse, n); });
}

// out += weight * row over the channels
template <class T>
inline void add_scaled(uint32_t n, T weight, const T* row, T* out) {
  for_lanes(n, [&](uint32_t c, uint32_t k) {
    store_n(out + c, madd(splat(weight), load_n(row + c, k), load_n(out + c, k)), k);
  });
}

template <class T, class F>
void for_heads(const AttentionParams& p, F f) {
  const size_t stride = size_t{p.n_head} * p.d_head;
  for (size_t batch = 0; batch < p.n_batch; ++batch)
    for (size_t h = 0; h < p.n_head; ++h)
      f(batch * p.n_query * stride + h * p.d_head, batch * p.n_key * stride + h * p.d_head,
        (batch * p.n_head + h) * p.n_query * p.n_key);
}

template <class T>
void clear_rows(uint32_t n_row, uint32_t n, size_t stride, T* out) {
  for (uint32_t row = 0; row < n_row; ++row)
    for (uint32_t c = 0; c < n; ++c) out[row * stride + c] = 0;
}

}  // namespace

template <class T>
void attention_forward(const AttentionParams& p, T* const* operand) {
  const T *q = operand[0], *k = operand[1], *v = operand[2];
  T *y = operand[4], *probs = operand[5];
  const Head<T> head{p, operand[3], size_t{p.n_head} * p.d_head};
  for_heads<T>(p, [&](size_t at_query, size_t at_key, size_t at_probs) {
    dot_products(head, q + at_query, k + at_key, 0, p.n_query, probs + at_probs);
    for (uint32_t query = 0; query < p.n_query; ++query) {
      T* row = probs + at_probs + size_t{query} * p.n_key;
      softmax_visible(head, query, row);
      T* out = y + at_query + query * head.stride;
      if (!(p.accumulate & 1)) clear_rows(1, p.d_head, head.stride, out);
      for (uint32_t key = 0; key < head.key_end(query); ++key)
        if (head.sees(query, key)) add_scaled(p.d_head, row[key], v + at_key + key * head.stride, out);
    }
  });
}

// ds = p (dp - Σ p dp), dp = dy vᵀ; dq = scale ds k, dk = scale dsᵀ q, dv = pᵀ dy.
template <class T>
void attention_backward(const AttentionParams& p, T* const* operand) {
  const T *q = operand[0], *k = operand[1], *v = operand[2], *probs = operand[3], *dy = operand[4];
  T *dq = operand[5], *dk = operand[6], *dv = operand[7];
  const Head<T> head{p, nullptr, size_t{p.n_head} * p.d_head};
  constexpr uint32_t strip = 16;  // queries at a time, so that the scratch stays small
  std::vector<T> dp_rows(size_t{strip} * p.n_key);
  for_heads<T>(p, [&](size_t at_query, size_t at_key, size_t at_probs) {
    if (!(p.accumulate & 1)) clear_rows(p.n_query, p.d_head, head.stride, dq + at_query);
    if (!(p.accumulate & 2)) clear_rows(p.n_key, p.d_head, head.stride, dk + at_key);
    if (!(p.accumulate & 4)) clear_rows(p.n_key, p.d_head, head.stride, dv + at_key);
    for (uint32_t begin = 0; begin < p.n_query; begin += strip) {
      const uint32_t end_query = p.n_query - begin < strip ? p.n_query : begin + strip;
      dot_products(head, dy + at_query, v + at_key, begin, end_query, dp_rows.data());
      for (uint32_t query = begin; query < end_query; ++query) {
        const T* row = probs + at_probs + size_t{query} * p.n_key;
        const T* dp = dp_rows.data() + size_t{query - begin} * p.n_key;
        const T* dy_row = dy + at_query + query * head.stride;
        const uint32_t end = head.key_end(query);
        T weighted = 0;
        for (uint32_t key = 0; key < end; ++key)
          if (row[key] != 0) weighted += row[key] * dp[key];
        for (uint32_t key = 0; key < end; ++key) {
          if (row[key] == 0) continue;
          const T ds = row[key] * (dp[key] - weighted) * static_cast<T>(p.scale);
          add_scaled(p.d_head, ds, k + at_key + key * head.stride, dq + at_query + query * head.stride);
          add_scaled(p.d_head, ds, q + at_query + query * head.stride, dk + at_key + key * head.stride);
          add_scaled(p.d_head, row[key], dy_row, dv + at_key + key * head.stride);
        }
      }
    }
  });
}

NORMSCOPE_INSTANTIATE(attention_forward, AttentionParams)
NORMSCOPE_INSTANTIATE(attention_backward, AttentionParams)

}  // namespace normscope::cpu
