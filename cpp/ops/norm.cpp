#include "ops/norm.h"

#include "ops/shape.h"

namespace normscope {
namespace {

NormParams norm_params(const Builder& b, TensorId x, float eps) { return {n_row(b, x), n_column(b, x), eps, 0}; }

// Every row falls into groups of `width`.
NormParams group_params(Builder& b, TensorId x, float eps, uint32_t width) {
  NormParams p = norm_params(b, x, eps);
  if (width == 0 || width == p.d) return p;
  if (p.d % width != 0)
    b.fail("bad-plan", "a norm of width " + std::to_string(width) + " does not divide the " + std::to_string(p.d) +
                           " features of " + b[x].name);
  return {p.n_row * (p.d / width), width, eps, 0};
}

Grid norm_grid(const NormParams& p) { return {p.n_row, p.d}; }

TensorId stats_of(Builder& b, const std::string& name, uint32_t n) {
  return b.add(name + ".stats", Role::activation, {n, 4});
}

// Gradients of gamma, beta and x for the kernels of one norm. beta may be absent.
void norm_backward(Builder& b, Kernel backward_params, Kernel backward_x, TensorId x, TensorId gamma, TensorId beta,
                   TensorId y, TensorId stats, NormParams p) {
  if (!b.has_grad(y)) return;
  const TensorId dy = b.grad(y);
  if (b.needs_grad(gamma) || (beta != no_tensor && b.needs_grad(beta))) {
    NormParams with = p;
    const TensorId dgamma = b.grad_to_write(gamma, with.accumulate, 0);
    if (beta == no_tensor)
      b.emit(backward_params, {x, dy, stats, dgamma}, with, norm_grid(p));
    else
      b.emit(backward_params, {x, dy, stats, dgamma, b.grad_to_write(beta, with.accumulate, 1)}, with, norm_grid(p));
  }
  if (!b.needs_grad(x)) return;
  const TensorId dx = b.grad_to_write(x, p.accumulate);
  b.emit(backward_x, {x, gamma, dy, stats, dx}, p, norm_grid(p));
}

void batchnorm_backward(Builder& b, TensorId x, TensorId gamma, TensorId beta, TensorId y, TensorId stats,
                        const NormParams& p) {
  b.on_backward([=](Builder& b) {
    norm_backward(b, Kernel::batchnorm_backward_params, Kernel::batchnorm_backward_x, x, gamma, beta, y, stats, p);
  });
}

}  // namespace

TensorId layernorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps,
                   uint32_t d) {
  const NormParams p = group_params(b, x, eps, d);
  const TensorId y = b.result(name, b[x].shape, {x, gamma, beta}), stats = stats_of(b, name, p.n_row);
  b.emit(Kernel::layernorm_forward, {x, gamma, beta, y, stats}, p, norm_grid(p));
  b.on_backward([=](Builder& b) {
    norm_backward(b, Kernel::layernorm_backward_params, Kernel::layernorm_backward_x, x, gamma, beta, y, stats, p);
  });
  return y;
}

TensorId rmsnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, float eps, uint32_t d) {
  const NormParams p = group_params(b, x, eps, d);
  const TensorId y = b.result(name, b[x].shape, {x, gamma}), stats = stats_of(b, name, p.n_row);
  b.emit(Kernel::rmsnorm_forward, {x, gamma, y, stats}, p, norm_grid(p));
  b.on_backward([=](Builder& b) {
    norm_backward(b, Kernel::rmsnorm_backward_params, Kernel::rmsnorm_backward_x, x, gamma, no_tensor, y, stats, p);
  });
  return y;
}

TensorId batchnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps) {
  const NormParams p = norm_params(b, x, eps);
  const TensorId y = b.result(name, b[x].shape, {x, gamma, beta}), stats = stats_of(b, name, p.d);
  b.emit(Kernel::batchnorm_forward, {x, gamma, beta, y, stats}, p, norm_grid(p));
  batchnorm_backward(b, x, gamma, beta, y, stats, p);
  return y;
}

TensorId batchnorm(Builder& b, const std::string& name, TensorId x, TensorId gamma, TensorId beta, float eps,
                   float momentum, TensorId control, const std::string& state_name) {
  const NormParams p = norm_params(b, x, eps);
  const TensorId y = b.result(name, b[x].shape, {x, gamma, beta}), stats = stats_of(b, name, p.d);
  const std::string& state = state_name.empty() ? name : state_name;
  const TensorId mean = b.add(state + ".running_mean", Role::state, {p.d}),
                 variance = b.add(state + ".running_var", Role::state, {p.d}, 1);
  b.emit_only(Phase::forward, Kernel::batchnorm_forward, {x, gamma, beta, y, stats}, p, norm_grid(p));
  b.emit_only(Phase::evaluate, Kernel::batchnorm_evaluate, {x, gamma, beta, mean, variance, y}, p, norm_grid(p));
  batchnorm_backward(b, x, gamma, beta, y, stats, p);
  b.on_update([=](Builder& b) {
    b.emit(Kernel::batchnorm_track, {stats, control, mean, variance}, TrackParams{p.n_row, p.d, p.eps, momentum},
           {1, p.d});
  });
  return y;
}

TensorId dyt(Builder& b, const std::string& name, TensorId x, TensorId alpha, TensorId gamma, TensorId beta) {
  const DyTParams p{n_row(b, x), n_column(b, x), 0};
  const Grid grid{p.n_row, p.d};
  const TensorId y = b.result(name, b[x].shape, {x, alpha, gamma, beta});
  b.emit(Kernel::dyt_forward, {x, alpha, gamma, beta, y}, p, grid);
  b.on_backward([=](Builder& b) {
    if (!b.has_grad(y)) return;
    const TensorId dy = b.grad(y);
    if (b.needs_grad(alpha) || b.needs_grad(gamma) || b.needs_grad(beta)) {
      DyTParams with = p;
      const TensorId dalpha = b.grad_to_write(alpha, with.accumulate, 0),
                     dgamma = b.grad_to_write(gamma, with.accumulate, 1),
                     dbeta = b.grad_to_write(beta, with.accumulate, 2);
      b.emit(Kernel::dyt_backward_params, {x, alpha, gamma, dy, dalpha, dgamma, dbeta}, with, grid);
    }
    if (!b.needs_grad(x)) return;
    DyTParams with = p;
    const TensorId dx = b.grad_to_write(x, with.accumulate);
    b.emit(Kernel::dyt_backward_x, {x, alpha, gamma, dy, dx}, with, grid);
  });
  return y;
}

}  // namespace normscope
