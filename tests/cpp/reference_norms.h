// Normalizations as a textbook writes them: obvious loops in double, nothing shared with the product.
// x, dy: [n_row, d]; gamma, beta: [d].
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace reference {

using Values = std::vector<double>;

struct NormForward {
  Values y, mean, rstd;
};
struct NormBackward {
  Values dx, dgamma, dbeta;
};

// Mean and variance of n values that lie `stride` apart; the divisor is n.
inline void mean_and_variance(const double* x, size_t n, size_t stride, double& mean, double& variance) {
  mean = variance = 0;
  for (size_t i = 0; i < n; ++i) mean += x[i * stride] / static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) variance += std::pow(x[i * stride] - mean, 2) / static_cast<double>(n);
}

inline NormForward layernorm(const Values& x, const Values& gamma, const Values& beta, size_t n_row, size_t d,
                             double eps) {
  NormForward out{Values(n_row * d), Values(n_row), Values(n_row)};
  for (size_t row = 0; row < n_row; ++row) {
    double mean, variance;
    mean_and_variance(&x[row * d], d, 1, mean, variance);
    const double rstd = 1 / std::sqrt(variance + eps);
    for (size_t j = 0; j < d; ++j) out.y[row * d + j] = gamma[j] * (x[row * d + j] - mean) * rstd + beta[j];
    out.mean[row] = mean;
    out.rstd[row] = rstd;
  }
  return out;
}

inline NormForward rmsnorm(const Values& x, const Values& gamma, size_t n_row, size_t d, double eps) {
  NormForward out{Values(n_row * d), Values(n_row), Values(n_row)};
  for (size_t row = 0; row < n_row; ++row) {
    double square = 0;
    for (size_t j = 0; j < d; ++j) square += x[row * d + j] * x[row * d + j] / static_cast<double>(d);
    out.rstd[row] = 1 / std::sqrt(square + eps);
    for (size_t j = 0; j < d; ++j) out.y[row * d + j] = gamma[j] * x[row * d + j] * out.rstd[row];
  }
  return out;
}

// Statistics of each feature over all rows.
inline NormForward batchnorm(const Values& x, const Values& gamma, const Values& beta, size_t n_row, size_t d,
                             double eps) {
  NormForward out{Values(n_row * d), Values(d), Values(d)};
  for (size_t j = 0; j < d; ++j) {
    double variance;
    mean_and_variance(x.data() + j, n_row, d, out.mean[j], variance);
    out.rstd[j] = 1 / std::sqrt(variance + eps);
    for (size_t row = 0; row < n_row; ++row)
      out.y[row * d + j] = gamma[j] * (x[row * d + j] - out.mean[j]) * out.rstd[j] + beta[j];
  }
  return out;
}

// dgamma = sum g x_hat, dbeta = sum g, and for every normalised group of n values
//     dx = rstd (h - mean(h) - x_hat mean(h x_hat)),  h = gamma g;  RMSNorm: without mean(h).
inline NormBackward norm_backward(const Values& x_hat, const Values& rstd, const Values& gamma, const Values& dy,
                                  size_t n_row, size_t d, bool over_rows, bool centred) {
  NormBackward out{Values(n_row * d), Values(d), Values(d)};
  const size_t n_group = over_rows ? d : n_row, n = over_rows ? n_row : d;
  for (size_t group = 0; group < n_group; ++group) {
    const auto at = [&](size_t i) { return over_rows ? i * d + group : group * d + i; };
    double mean_h = 0, mean_hx = 0;
    for (size_t i = 0; i < n; ++i) {
      const double h = gamma[at(i) % d] * dy[at(i)];
      mean_h += centred ? h / static_cast<double>(n) : 0;
      mean_hx += h * x_hat[at(i)] / static_cast<double>(n);
    }
    for (size_t i = 0; i < n; ++i)
      out.dx[at(i)] = rstd[group] * (gamma[at(i) % d] * dy[at(i)] - mean_h - x_hat[at(i)] * mean_hx);
  }
  for (size_t i = 0; i < n_row * d; ++i) {
    out.dgamma[i % d] += dy[i] * x_hat[i];
    out.dbeta[i % d] += dy[i];
  }
  return out;
}

inline NormBackward layernorm_backward(const Values& x, const Values& gamma, const Values& dy, size_t n_row, size_t d,
                                       double eps) {
  const NormForward f = layernorm(x, Values(d, 1), Values(d, 0), n_row, d, eps);
  return norm_backward(f.y, f.rstd, gamma, dy, n_row, d, false, true);
}

inline NormBackward rmsnorm_backward(const Values& x, const Values& gamma, const Values& dy, size_t n_row, size_t d,
                                     double eps) {
  const NormForward f = rmsnorm(x, Values(d, 1), n_row, d, eps);
  return norm_backward(f.y, f.rstd, gamma, dy, n_row, d, false, false);
}

inline NormBackward batchnorm_backward(const Values& x, const Values& gamma, const Values& dy, size_t n_row, size_t d,
                                       double eps) {
  const NormForward f = batchnorm(x, Values(d, 1), Values(d, 0), n_row, d, eps);
  return norm_backward(f.y, f.rstd, gamma, dy, n_row, d, true, true);
}

// Running statistics of one feature: r <- (1 - momentum) r + momentum (the batch's), the variance with divisor n - 1.
struct RunningFeature {
  double momentum, mean = 0, variance = 1;

  void track(const Values& batch) {
    double m, v;
    mean_and_variance(batch.data(), batch.size(), 1, m, v);
    const double n = static_cast<double>(batch.size());
    mean = (1 - momentum) * mean + momentum * m;
    variance = (1 - momentum) * variance + momentum * v * n / (n - 1);
  }
  double normalized(double x, double eps) const { return (x - mean) / std::sqrt(variance + eps); }
};

inline Values dyt(const Values& x, double alpha, const Values& gamma, const Values& beta) {
  Values y;
  for (size_t i = 0; i < x.size(); ++i)
    y.push_back(gamma[i % gamma.size()] * std::tanh(alpha * x[i]) + beta[i % gamma.size()]);
  return y;
}

struct DyTBackward {
  Values dx, dalpha, dgamma, dbeta;
};
// The derivative of tanh is 1 / cosh².
inline DyTBackward dyt_backward(const Values& x, double alpha, const Values& gamma, const Values& dy) {
  const size_t d = gamma.size();
  DyTBackward out{{}, {0}, Values(d), Values(d)};
  for (size_t i = 0; i < x.size(); ++i) {
    const double slope = gamma[i % d] * dy[i] / std::pow(std::cosh(alpha * x[i]), 2);
    out.dx.push_back(slope * alpha);
    out.dalpha[0] += slope * x[i];
    out.dgamma[i % d] += dy[i] * std::tanh(alpha * x[i]);
    out.dbeta[i % d] += dy[i];
  }
  return out;
}

}  // namespace reference
