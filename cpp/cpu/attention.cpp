// Scaled dot-product attention (Vaswani et al. 2017), softmax over the visible keys only: a masked key never enters a
// sum, so its NaN cannot leak, and a query that sees no key yields 0.
#include <limits>
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
  T largest = -std::numeric_limits<T>::infinity();
  bool any = false;
  for (uint32_t key = 0; key < end; ++key) {
    if (p.has_mask && !head.sees(query, key)) continue;
    const T score = row[key] * static_cast<T>(p.scale);
    row[key] = score;
    if (score > largest || score != score) largest = score;
    any = true;
  }
  T sum = 0;
  for_lanes(end, [&](uint32_t j, uint32_t n) {
    Vec<T> e = exp_lanes(load_n(row + j, n) - largest);
    if (n != n_lane) e = keep_first<T>(e, n);
    for (uint32_t lane = 0; p.has_mask && lane < n; ++lane)
      if (!head.sees(query, j + lane)) e[lane] = 0;
    sum += sum_lanes<T>(e);
    store_n(row + j, e, n);
  });
  for (uint32_t key = end; key < p.n_key; ++key) row[key] = 0;
  if (!any) return;
  const T inverse = 1 / sum;
  for_lanes(end, [&](uint32_t j, uint32_t n) { store_n(row + j, load_n(row + j, n) * inverse, n); });
}

// Rows that lie `stride` apart, and one weight for each, `weight_stride` apart.
template <class T>
struct WeightedRows {
  uint32_t n;
  const T* weight;
  size_t weight_stride;
  const T* row;
  size_t stride;
  bool skip_zero;  // a row of weight 0 adds nothing, whatever it holds: for explicit masks
};

// out (+)= Σ weight · row over n_channel channels, in the order of the rows.
template <class T>
void sum_rows(const WeightedRows<T>& rows, uint32_t n_channel, bool accumulate, T* out) {
  for_lanes(n_channel, [&](uint32_t c, uint32_t k) {
    Vec<T> sum = accumulate ? load_n(out + c, k) : Vec<T>{};
    for (uint32_t j = 0; j < rows.n; ++j) {
      const T weight = rows.weight[j * rows.weight_stride];
      if (rows.skip_zero && weight == 0) continue;
      sum = madd(splat(weight), load_n(rows.row + j * rows.stride + c, k), sum);
    }
    store_n(out + c, sum, k);
  });
}

// dp -> ds = scale p (dp - Σ p dp) in place. Where p is 0 dp does not count: it may come from a masked NaN.
template <class T>
void softmax_gradient(const T* probs, uint32_t n, T scale, T* dp) {
  const auto product = [&](uint32_t j, uint32_t k, const Vec<T>& factor) {
    const Vec<T> p = load_n(probs + j, k);
    return select<T>(p != Vec<T>{}, p * factor, Vec<T>{});
  };
  const T weighted =
      sum_row<T, 1>(n, [&](uint32_t j, uint32_t k, Vec<T>* s) { s[0] += product(j, k, load_n(dp + j, k)); }).sum[0];
  for_lanes(n,
            [&](uint32_t j, uint32_t k) { store_n(dp + j, product(j, k, load_n(dp + j, k) - weighted) * scale, k); });
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
      sum_rows<T>({head.key_end(query), row, 1, v + at_key, head.stride, p.has_mask != 0}, p.d_head, p.accumulate & 1,
                  y + at_query + query * head.stride);
    }
  });
}

// dp = dy vᵀ, ds = scale p (dp - Σ p dp); dq = ds k, dk = dsᵀ q, dv = pᵀ dy.
template <class T>
void attention_backward(const AttentionParams& p, T* const* operand) {
  const T *q = operand[0], *k = operand[1], *v = operand[2], *probs = operand[3], *dy = operand[4];
  T *dq = operand[5], *dk = operand[6], *dv = operand[7];
  const Head<T> head{p, nullptr, size_t{p.n_head} * p.d_head};
  const bool masked = p.has_mask != 0;
  constexpr uint32_t strip = 16;  // queries at a time, so that the scratch stays small
  std::vector<T> ds_rows(size_t{strip} * p.n_key);
  for_heads<T>(p, [&](size_t at_query, size_t at_key, size_t at_probs) {
    if (!(p.accumulate & 2)) clear_rows(p.n_key, p.d_head, head.stride, dk + at_key);
    if (!(p.accumulate & 4)) clear_rows(p.n_key, p.d_head, head.stride, dv + at_key);
    for (uint32_t begin = 0; begin < p.n_query; begin += strip) {
      const uint32_t n_query = p.n_query - begin < strip ? p.n_query - begin : strip;
      const T* strip_probs = probs + at_probs + size_t{begin} * p.n_key;
      const size_t at_strip = at_query + begin * head.stride;
      dot_products(head, dy + at_query, v + at_key, begin, begin + n_query, ds_rows.data());
      for (uint32_t i = 0; i < n_query; ++i) {
        T* ds = ds_rows.data() + size_t{i} * p.n_key;
        const uint32_t end = head.key_end(begin + i);
        softmax_gradient(strip_probs + size_t{i} * p.n_key, end, static_cast<T>(p.scale), ds);
        sum_rows<T>({end, ds, 1, k + at_key, head.stride, masked}, p.d_head, p.accumulate & 1,
                    dq + at_strip + i * head.stride);
      }
      uint32_t first = 0;  // the first query of the strip that sees the key; later keys are seen by later queries only
      for (uint32_t key = 0; key < head.key_end(begin + n_query - 1); ++key) {
        while (head.key_end(begin + first) <= key) ++first;
        const uint32_t n = n_query - first;
        const size_t at = size_t{first} * p.n_key + key, from = at_strip + first * head.stride,
                     to = at_key + key * head.stride;
        sum_rows<T>({n, ds_rows.data() + at, p.n_key, q + from, head.stride, masked}, p.d_head, true, dk + to);
        sum_rows<T>({n, strip_probs + at, p.n_key, dy + from, head.stride, masked}, p.d_head, true, dv + to);
      }
    }
  });
}

NORMSCOPE_INSTANTIATE(attention_forward, AttentionParams)
NORMSCOPE_INSTANTIATE(attention_backward, AttentionParams)

}  // namespace normscope::cpu
