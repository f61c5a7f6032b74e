// Layers of a transformer as a textbook writes them: obvious loops in double, nothing shared with the product.
#pragma once
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace reference {

using Values = std::vector<double>;

inline Values residual(const Values& skip, const Values& branch, double alpha, double dt) {
  Values y(skip.size());
  for (size_t i = 0; i < y.size(); ++i) y[i] = alpha * skip[i] + dt * branch[i];
  return y;
}

// s: one scale for all values or one for each of the s.size() features.
inline Values channel_scale(const Values& x, const Values& s) {
  Values y(x.size());
  for (size_t i = 0; i < y.size(); ++i) y[i] = s[i % s.size()] * x[i];
  return y;
}

struct ChannelScaleBackward {
  Values dx, ds;
};
inline ChannelScaleBackward channel_scale_backward(const Values& x, const Values& s, const Values& dy) {
  ChannelScaleBackward out{channel_scale(dy, s), Values(s.size())};
  for (size_t i = 0; i < x.size(); ++i) out.ds[i % s.size()] += x[i] * dy[i];
  return out;
}

// y = x W^T + b; weight: [n_out, n_in]; bias may be empty.
inline Values linear(const Values& x, const Values& weight, const Values& bias, size_t n_in, size_t n_out) {
  Values y(x.size() / n_in * n_out);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t row = i / n_out, out = i % n_out;
    y[i] = bias.empty() ? 0 : bias[out];
    for (size_t k = 0; k < n_in; ++k) y[i] += x[row * n_in + k] * weight[out * n_in + k];
  }
  return y;
}

inline double relu(double x) { return x > 0 ? x : 0; }
// x Phi(x); erfc keeps the digits of the left tail.
inline double gelu_erf(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
// 1 + tanh(u) = 2 / (1 + e^-2u) keeps them too.
inline double gelu_tanh(double x) {
  const double u = std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

inline Values map(const Values& x, const std::function<double(double)>& f) {
  Values y;
  for (const double value : x) y.push_back(f(value));
  return y;
}

// Softmax of every row of n_col values. A row in which nothing is visible gives 0.
inline Values softmax(const Values& z, size_t n_col, const std::function<bool(size_t row, size_t col)>& visible) {
  Values p(z.size());
  for (size_t row = 0; row < z.size() / n_col; ++row) {
    double most = -INFINITY, total = 0;
    for (size_t j = 0; j < n_col; ++j)
      if (visible(row, j)) most = std::fmax(most, z[row * n_col + j]);
    for (size_t j = 0; j < n_col; ++j)
      if (visible(row, j)) total += p[row * n_col + j] = std::exp(z[row * n_col + j] - most);
    for (size_t j = 0; j < n_col; ++j)
      if (total > 0) p[row * n_col + j] /= total;
  }
  return p;
}

struct Attention {
  size_t n_batch, n_query, n_key, n_head, d_head;
  bool causal = false;
  long query_offset = 0;
  double scale = 0;  // 0: 1 / sqrt(d_head)
};
struct AttentionResult {
  Values y, probs;  // as q; [n_batch, n_head, n_query, n_key]
};

// softmax(scale q k^T) v for every head. mask: [n_query, n_key] of 1 and 0, or empty.
inline AttentionResult attention(const Values& q, const Values& k, const Values& v, const Values& mask,
                                 const Attention& s) {
  const auto visible = [&](size_t query, size_t key) {
    return (!s.causal || static_cast<long>(key) <= static_cast<long>(query) + s.query_offset) &&
           (mask.empty() || mask[query * s.n_key + key] != 0);
  };
  const double scale = s.scale != 0 ? s.scale : 1 / std::sqrt(static_cast<double>(s.d_head));
  AttentionResult out{Values(q.size()), Values()};
  for (size_t batch = 0; batch < s.n_batch; ++batch)
    for (size_t head = 0; head < s.n_head; ++head) {
      const auto query_at = [&](size_t i, size_t c) {
        return ((batch * s.n_query + i) * s.n_head + head) * s.d_head + c;
      };
      const auto key_at = [&](size_t j, size_t c) { return ((batch * s.n_key + j) * s.n_head + head) * s.d_head + c; };
      Values scores(s.n_query * s.n_key);
      for (size_t i = 0; i < s.n_query; ++i)
        for (size_t j = 0; j < s.n_key; ++j)
          for (size_t c = 0; c < s.d_head; ++c) scores[i * s.n_key + j] += scale * q[query_at(i, c)] * k[key_at(j, c)];
      const Values p = softmax(scores, s.n_key, visible);
      for (size_t i = 0; i < s.n_query; ++i)
        for (size_t c = 0; c < s.d_head; ++c)
          for (size_t j = 0; j < s.n_key; ++j)
            if (visible(i, j)) out.y[query_at(i, c)] += p[i * s.n_key + j] * v[key_at(j, c)];
      out.probs.insert(out.probs.end(), p.begin(), p.end());
    }
  return out;
}

inline Values embedding(const Values& tokens, const Values& token_table, const Values& position_table, size_t n_ctx,
                        size_t d) {
  Values y(tokens.size() * d);
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = token_table[static_cast<size_t>(tokens[i / d]) * d + i % d] + position_table[i / d % n_ctx * d + i % d];
  return y;
}

struct CrossEntropy {
  double mean = 0, n_counted = 0, sum = 0;
  Values dlogits;  // of the mean
};
// Rows whose target is ignore_index do not count. The others also cost z_loss (log Z)², Z = Σ e^logit.
inline CrossEntropy cross_entropy(const Values& logits, const Values& targets, size_t n_class, double ignore_index,
                                  double z_loss = 0) {
  CrossEntropy out;
  const Values p = softmax(logits, n_class, [](size_t, size_t) { return true; });
  out.dlogits.assign(logits.size(), 0);
  for (size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] == ignore_index) continue;
    const size_t target = row * n_class + static_cast<size_t>(targets[row]);
    out.n_counted += 1;
    const double log_z = logits[target] - std::log(p[target]);
    out.sum += z_loss * log_z * log_z - std::log(p[target]);
    for (size_t j = row * n_class; j < (row + 1) * n_class; ++j)
      out.dlogits[j] = p[j] * (1 + 2 * z_loss * log_z) - (j == target ? 1 : 0);
  }
  if (out.n_counted > 0) out.mean = out.sum / out.n_counted;
  for (double& g : out.dlogits) g /= std::fmax(out.n_counted, 1);
  return out;
}

}  // namespace reference
