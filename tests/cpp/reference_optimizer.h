// AdamW, SGD and clipping as their papers write them, in long double.
#pragma once
#include <cmath>
#include <vector>

namespace reference {

struct AdamW {
  long double lr, beta1, beta2, eps, decay;
  long double m = 0, v = 0;
  int step = 0;

  // The parameter after one more update (Loshchilov & Hutter 2019, algorithm 2).
  long double update(long double p, long double g) {
    ++step;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    const long double m_hat = m / (1 - std::pow(beta1, static_cast<long double>(step)));
    const long double v_hat = v / (1 - std::pow(beta2, static_cast<long double>(step)));
    return p - lr * decay * p - lr * m_hat / (std::sqrt(v_hat) + eps);
  }
};

struct Sgd {
  long double lr, momentum, decay;
  long double v = 0;

  // Polyak's heavy ball with decoupled decay.
  long double update(long double p, long double g) {
    v = momentum * v + g;
    return p - lr * decay * p - lr * v;
  }
};

inline long double norm(const std::vector<double>& g) {
  long double square = 0;
  for (const double value : g) square += static_cast<long double>(value) * value;
  return std::sqrt(square);
}

}  // namespace reference
