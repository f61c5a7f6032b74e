#include "op_case.h"
#include "ops/loss.h"
#include "reference_layers.h"

namespace normscope {
namespace {

OpCase softmax_case(uint32_t n_row, uint32_t n_col) {
  OpCase c;
  c.name = "softmax_of_" + size_name({n_row, n_col});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> { return {b.input("z", {n_row, n_col}, true)}; };
  c.apply = [](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return softmax(b, name, in[0]);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    return {{"", reference::softmax(in.at("z"), n_col, [](size_t, size_t) { return true; })}};
  };
  return c;
}

// `n_ignored` rows carry the target that does not count.
OpCase cross_entropy_case(uint32_t n_row, uint32_t n_class, uint32_t n_ignored, float z_loss = 0) {
  constexpr float ignore_index = -100;
  OpCase c;
  c.name = "cross_entropy_of_" + size_name({n_row, n_class}) +
           (n_ignored ? "_with_" + std::to_string(n_ignored) + "_ignored" : "") + (z_loss > 0 ? "_and_z_loss" : "");
  c.is_loss = true;
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    return {b.input("logits", {n_row, n_class}, true), b.input("targets", {n_row})};
  };
  c.apply = [=](Builder& b, const std::string& name, const std::vector<TensorId>& in) {
    return cross_entropy(b, name, in[0], in[1], ignore_index, z_loss);
  };
  c.prepare = [=](Tensors& in) {
    for (uint32_t i = 0; i < n_row; ++i) in.at("targets")[i] = i < n_ignored ? ignore_index : i * 7 % n_class;
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    const auto r = reference::cross_entropy(in.at("logits"), in.at("targets"), n_class, ignore_index, z_loss);
    return {{"", {r.mean, r.n_counted, r.sum, 0}}};
  };
  c.gradients = [=](const Tensors& in, const std::vector<double>&) -> Tensors {
    return {
        {"logits", reference::cross_entropy(in.at("logits"), in.at("targets"), n_class, ignore_index, z_loss).dlogits}};
  };
  return c;
}

}  // namespace

std::vector<OpCase> loss_cases() {
  return {softmax_case(1, 1),
          softmax_case(2, 2),
          softmax_case(5, 7),
          softmax_case(3, 65),
          cross_entropy_case(1, 1, 0),
          cross_entropy_case(2, 3, 0),
          cross_entropy_case(5, 7, 2),
          cross_entropy_case(3, 33, 1),
          cross_entropy_case(9, 65, 0),
          cross_entropy_case(2, 5, 2),
          cross_entropy_case(1, 1, 0, 0.5f),
          cross_entropy_case(5, 7, 2, 0.25f),
          cross_entropy_case(9, 65, 0, 1e-4f),
          cross_entropy_case(2, 5, 2, 0.5f)};
}

}  // namespace normscope
