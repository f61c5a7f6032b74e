// Memory for a plan, in float as the product has it or in double for references and finite differences.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/run.h"
#include "plan/plan.h"

namespace normscope {

using Tensors = std::map<std::string, std::vector<double>>;

template <class T>
class Arena {
 public:
  explicit Arena(const Plan& plan) : plan_(plan), data_(plan.n_float) { fill_arena(plan, data_.data()); }

  void run(Phase phase) { normscope::run(plan_, phase, data_.data()); }

  T* at(TensorId id, uint32_t model = 0) {
    const Tensor& t = plan_.tensors.at(id);
    return data_.data() + t.offset + model * t.n_per_model;
  }
  T* at(std::string_view name, uint32_t model = 0) {
    const TensorId id = plan_.find(name);
    if (id == no_tensor) ADD_FAILURE() << "the plan has no tensor " << name;
    return at(id, model);
  }
  void write(std::string_view name, const std::vector<double>& values, uint32_t model = 0) {
    T* to = at(name, model);
    for (size_t i = 0; i < values.size(); ++i) to[i] = static_cast<T>(values[i]);
  }
  void write(const Tensors& tensors, uint32_t model = 0) {
    for (const auto& [name, values] : tensors) write(name, values, model);
  }
  std::vector<double> read(std::string_view name, uint32_t model = 0) {
    const T* from = at(name, model);
    return std::vector<double>(from, from + plan_.tensors[plan_.find(name)].n_per_model);
  }

 private:
  const Plan& plan_;
  std::vector<T> data_;
};

inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::fmax(most, std::fabs(value));
  return most;
}

// Every |got - expected| is at most `tolerance` times the scale, by default the largest expected magnitude.
inline void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance,
                        const std::string& what, double scale = 0) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  const double bound = tolerance * (scale > 0 ? scale : largest(expected));
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::fabs(got[i] - expected[i]), bound)
        << what << "[" << i << "] is " << got[i] << ", expected " << expected[i];
}

// Standard normal numbers that a float holds exactly, so that float and double instances start from the same.
std::vector<double> normals(size_t n, uint32_t seed);

}  // namespace normscope
