// One op under test. From one case follow: equals the reference, gradients equal finite differences, adds to gradients
// already there, float agrees with double, two models in one plan get what each would get alone.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "arena.h"
#include "plan/builder.h"

namespace normscope {

struct OpCase {
  std::string name;
  std::function<std::vector<TensorId>(Builder&)> inputs;
  // The op on those inputs; its result is called `name`, its by-products `name` + suffix.
  std::function<TensorId(Builder&, const std::string& name, const std::vector<TensorId>&)> apply;
  // Expected outputs by suffix ("" is the result itself), from the inputs by name.
  std::function<Tensors(const Tensors&)> reference;
  // Gradients of inputs by name, where a textbook formula gives them; may be empty.
  std::function<Tensors(const Tensors&, const std::vector<double>& dy)> gradients = nullptr;
  // Values for inputs that random numbers do not fit: tokens, masks, seeds.
  std::function<void(Tensors&)> prepare = nullptr;
  bool is_loss = false;  // the result's first value is the loss itself; no gradient arrives
  double step = 1e-3;    // of the finite differences; small where the op has a kink

  friend void PrintTo(const OpCase& c, std::ostream* out) { *out << c.name; }
};

std::vector<OpCase> norm_cases();
std::vector<OpCase> layer_cases();
std::vector<OpCase> attention_cases();
std::vector<OpCase> loss_cases();
std::vector<OpCase> all_op_cases();

// For "of_3x5" and the like.
std::string size_name(std::initializer_list<uint32_t> sizes);

}  // namespace normscope
