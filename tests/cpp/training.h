// A model in training, as a session drives it: draw a batch, forward, backward, observe, update.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "model/machine.h"

namespace normscope {

// Long statistical runs say nothing new under a sanitizer, only slowly.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

class Training {
 public:
  // fields: "key value" lines of a ModelSpec.
  explicit Training(const std::string& fields, const std::string& data = "markov 32 7")
      : machine("model", fields, data) {
    EXPECT_TRUE(machine.status().ok()) << machine.status().message;
    EXPECT_NE(machine.allocate(), nullptr);
  }

  // One step of training; checks that every point stays below its bound.
  void step() {
    machine.begin_step(Split::train);
    machine.run(Phase::forward);
    machine.run(Phase::backward);
    observe();
    losses.push_back(row_[1]);
    machine.run(Phase::update);
  }
  // The statistics of the next batch, without learning from it.
  void look() {
    machine.begin_step(Split::train);
    machine.run(Phase::forward);
    observe();
  }
  void steps(int n) {
    for (int i = 0; i < n; ++i) step();
  }

  uint32_t step_count() { return static_cast<uint32_t>(machine.tensor("control")[0]); }
  size_t n_point() const { return machine.layout().points.size(); }
  // The eight statistics of a residual point at the last step; see MomentParams.
  const float* point(size_t i) const { return row_ + n_header_slot + n_point_slot * i; }
  const float* last_point() const { return point(n_point() - 1); }
  float group_norm(size_t i) const { return row_[n_header_slot + n_point_slot * n_point() + i]; }
  const float* header() const { return row_; }
  float largest_state() const {
    float most = 0;
    for (size_t i = 0; i < n_point(); ++i)
      if (!(point(i)[3] <= most)) most = point(i)[3];
    return most;
  }
  double mean_of_last_losses(size_t n) const {
    double sum = 0;
    for (size_t i = losses.size() - n; i < losses.size(); ++i) sum += losses[i] / static_cast<double>(n);
    return sum;
  }
  std::vector<std::vector<float>> parameters() {
    std::vector<std::vector<float>> all;
    for (const Tensor& t : machine.plan().tensors)
      if (t.role == Role::parameter) all.emplace_back(machine.tensor(t.name), machine.tensor(t.name) + t.n_per_model);
    return all;
  }

  Machine machine;
  std::vector<float> losses;

 private:
  void observe() {
    machine.run(Phase::observe);
    row_ = machine.tensor("ring") + step_count() % n_ring * machine.layout().row_width;
    expect_bounds_hold();
  }

  void expect_bounds_hold() const {
    // Rounding of the stream to a 16-bit format is not part of the theory.
    const float slack = machine.spec().number_format() == Format::fp32 ? 1 + 1e-5f : 1 + 1e-2f;
    for (size_t i = 0; i < n_point(); ++i) {
      const float* p = point(i);
      if (std::isnan(p[4])) continue;
      EXPECT_LE(p[0], p[4] * slack) << "mean |x| at point " << i;
      EXPECT_LE(std::sqrt(p[1]), p[5] * slack) << "std at point " << i;
      EXPECT_LE(std::sqrt(p[2]), p[6] * slack) << "data-wise std at point " << i;
    }
  }

  const float* row_ = nullptr;
};

}  // namespace normscope
