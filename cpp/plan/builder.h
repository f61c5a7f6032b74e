// Builds a Plan. An op emits its forward dispatch and pushes its gradient rule on a tape; backward() runs the tape
// in reverse at planning time. The builder refuses what WebGPU would refuse, with a sentence.
#pragma once
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>

#include "plan/plan.h"

namespace normscope {

class Builder {
 public:
  explicit Builder(const Limits& limits = {}, uint32_t n_model = 1);

  TensorId add(std::string name, Role role, Shape shape, float fill = 0);
  TensorId input(std::string name, Shape shape, bool needs_grad = false);
  TensorId parameter(std::string name, Shape shape, float fill = 0);
  // An op's result; it needs a gradient when one of its sources does.
  TensorId result(std::string name, Shape shape, std::initializer_list<TensorId> sources);
  // A constant of one value, shared: for operands that a kernel ignores.
  TensorId unused();

  const Tensor& operator[](TensorId id) const { return plan_.tensors[id]; }
  uint64_t size(TensorId id) const { return plan_.tensors[id].n_per_model; }
  bool needs_grad(TensorId id) const { return plan_.tensors[id].needs_grad; }
  uint32_t n_tensor() const { return static_cast<uint32_t>(plan_.tensors.size()); }
  void rename(TensorId id, std::string name) { plan_.tensors[id].name = std::move(name); }

  // Appends to the phase being built. Forward dispatches also go to `evaluate`; give `evaluate_params` where they
  // differ.
  template <class Params>
  void emit(Kernel kernel, std::initializer_list<TensorId> operands, const Params& params, Grid grid) {
    append(kernel, operands, &params, sizeof(Params), nullptr, grid);
  }
  template <class Params>
  void emit(Kernel kernel, std::initializer_list<TensorId> operands, const Params& params,
            const Params& evaluate_params, Grid grid) {
    append(kernel, operands, &params, sizeof(Params), &evaluate_params, grid);
  }

  // Appends to that phase alone, whatever is being built: where another kernel stands for a forward dispatch in
  // `evaluate`.
  template <class Params>
  void emit_only(Phase phase, Kernel kernel, std::initializer_list<TensorId> operands, const Params& params,
                 Grid grid) {
    Dispatch dispatch;
    if (make(kernel, operands, &params, sizeof(Params), grid, dispatch)) push(phase, dispatch);
  }

  void on_backward(std::function<void(Builder&)> rule) { tape_.push_back(std::move(rule)); }

  // The gradient of a tensor inside a gradient rule: has_grad says whether anything flowed into it.
  bool has_grad(TensorId id) const { return grads_.count(id) != 0; }
  TensorId grad(TensorId id) const { return grads_.at(id); }
  // The gradient tensor to write into. `accumulate` gets bit `output` when it already holds something.
  TensorId grad_to_write(TensorId id, uint32_t& accumulate, uint32_t output = 0);
  // A seed gradient that the caller writes before `backward`.
  TensorId seed_grad(TensorId id);

  void backward();  // runs the tape; afterwards dispatches go to `update` unless begin() says otherwise

  // What an op does once per step: runs in `update`, after the step's control is written.
  void on_update(std::function<void(Builder&)> rule) { updates_.push_back(std::move(rule)); }
  void update();  // begins `update` and runs those rules, in the order of the ops

  void begin(Phase phase) { phase_ = phase; }

  void fail(std::string code, std::string message);
  const Status& status() const { return status_; }
  uint32_t n_model() const { return plan_.n_model; }
  Plan finish();  // with neighbours joined, see fuse.h

 private:
  void append(Kernel kernel, std::initializer_list<TensorId> operands, const void* params, size_t n_byte,
              const void* evaluate_params, Grid grid);
  bool make(Kernel kernel, std::initializer_list<TensorId> operands, const void* params, size_t n_byte, Grid grid,
            Dispatch& dispatch);
  void push(Phase phase, const Dispatch& dispatch) { plan_.phases[static_cast<size_t>(phase)].push_back(dispatch); }

  Limits limits_;
  Plan plan_;
  Phase phase_ = Phase::forward;
  std::vector<std::function<void(Builder&)>> tape_, updates_;
  std::map<TensorId, TensorId> grads_;
  TensorId unused_ = no_tensor;
  Status status_;
};

}  // namespace normscope
