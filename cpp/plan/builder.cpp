#include "plan/builder.h"

#include <algorithm>
#include <utility>

#include "plan/fuse.h"

namespace normscope {
namespace {

constexpr uint64_t max_tensor_float = 0xffffffffu;  // per model

}  // namespace

Builder::Builder(const Limits& limits, uint32_t n_model) : limits_(limits) { plan_.n_model = n_model; }

void Builder::fail(std::string code, std::string message) {
  if (status_.ok()) status_ = {std::move(code), std::move(message)};
}

TensorId Builder::add(std::string name, Role role, Shape shape, float fill) {
  Tensor tensor{std::move(name), role, std::move(shape), plan_.n_float, 1, fill, false};
  for (uint32_t extent : tensor.shape) {
    tensor.n_per_model *= extent;
    if (tensor.n_per_model > max_tensor_float) break;
  }
  const uint64_t n_float = plan_.n_float + aligned(tensor.n_per_model * plan_.n_model);
  if (tensor.n_per_model > max_tensor_float)
    fail("too-large", "tensor " + tensor.name + " of at least " + std::to_string(tensor.n_per_model / 262144) +
                          " MiB has more than " + std::to_string(max_tensor_float) +
                          " values; kernels count them in 32 bits. Use a smaller batch, width or vocabulary.");
  else if (n_float > limits_.max_float)
    fail("too-large", "tensor " + tensor.name + " brings the plan to at least " + std::to_string(n_float / 262144) +
                          " MiB; the limit is " + std::to_string(limits_.max_float / 262144) +
                          " MiB. Use a smaller batch, width, depth or vocabulary.");
  if (status_.ok())
    plan_.n_float = n_float;
  else
    tensor.n_per_model = 0;
  plan_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(plan_.tensors.size() - 1);
}

TensorId Builder::input(std::string name, Shape shape, bool needs_grad) {
  const TensorId id = add(std::move(name), Role::input, std::move(shape));
  plan_.tensors[id].needs_grad = needs_grad;
  return id;
}

TensorId Builder::parameter(std::string name, Shape shape, float fill) {
  const TensorId id = add(std::move(name), Role::parameter, std::move(shape), fill);
  plan_.tensors[id].needs_grad = true;
  return id;
}

TensorId Builder::result(std::string name, Shape shape, std::initializer_list<TensorId> sources) {
  const TensorId id = add(std::move(name), Role::activation, std::move(shape));
  plan_.tensors[id].needs_grad = std::any_of(sources.begin(), sources.end(), [&](TensorId s) { return needs_grad(s); });
  return id;
}

TensorId Builder::unused() {
  if (unused_ == no_tensor) unused_ = add("unused", Role::constant, {1});
  return unused_;
}

TensorId Builder::grad_to_write(TensorId id, uint32_t& accumulate, uint32_t output) {
  const auto found = grads_.find(id);
  if (found != grads_.end()) {
    accumulate |= 1u << output;
    return found->second;
  }
  return seed_grad(id);
}

TensorId Builder::seed_grad(TensorId id) {
  const Tensor source = plan_.tensors[id];
  return grads_[id] = add(source.name + ".grad", Role::gradient, source.shape);
}

void Builder::backward() {
  begin(Phase::backward);
  while (!tape_.empty()) {
    const auto rule = std::move(tape_.back());
    tape_.pop_back();
    rule(*this);
  }
  begin(Phase::update);
}

void Builder::update() {
  begin(Phase::update);
  for (const auto& rule : std::exchange(updates_, {})) rule(*this);
}

Plan Builder::finish() { return with_fused_norms(std::move(plan_)); }

void Builder::append(Kernel kernel, std::initializer_list<TensorId> operands, const void* params, size_t n_byte,
                     const void* evaluate_params, Grid grid) {
  Dispatch dispatch;
  if (!make(kernel, operands, params, n_byte, grid, dispatch)) return;
  push(phase_, dispatch);
  if (phase_ != Phase::forward) return;
  if (evaluate_params) std::memcpy(dispatch.param.data(), evaluate_params, n_byte);
  push(Phase::evaluate, dispatch);
}

// Fills the dispatch; false when the builder refuses it.
bool Builder::make(Kernel kernel, std::initializer_list<TensorId> operands, const void* params, size_t n_byte,
                   Grid grid, Dispatch& dispatch) {
  const KernelInfo& info = kernel_info(kernel);
  dispatch.kernel = kernel;
  dispatch.grid = {grid.n_row, grid.n_col, plan_.n_model};
  std::copy(operands.begin(), operands.end(), dispatch.operand.begin());
  std::memcpy(dispatch.param.data(), params, n_byte);
  if (operands.size() != info.n_operand || n_byte != info.n_param_word * 4) {
    fail("bad-plan", std::string(info.name) + " was given " + std::to_string(operands.size()) + " operands and " +
                         std::to_string(n_byte / 4) + " parameters; kernels.def says " +
                         std::to_string(info.n_operand) + " and " + std::to_string(info.n_param_word));
    return false;
  }
  std::vector<TensorId> sorted(operands);
  std::sort(sorted.begin(), sorted.end());
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
  if (twin == sorted.end()) return true;
  fail("bad-plan", std::string(info.name) + " binds " + plan_.tensors[*twin].name +
                       " twice; WebGPU refuses overlapping writable bindings. Copy it first.");
  return false;
}

}  // namespace normscope
