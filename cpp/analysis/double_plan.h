// A plan with memory of its own in double: finite differences and singular values need the digits.
#pragma once
#include <Eigen/Core>
#include <memory>
#include <string>
#include <string_view>

#include "plan/plan.h"

namespace normscope {

using Vector = Eigen::VectorXd;
// Row-major, as tensors lie in the arena: [n_row, n_col].
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class DoublePlan {
 public:
  // Ends the program when there is no memory; ask fits() first where a plan may be large.
  explicit DoublePlan(Plan plan);
  static bool fits(const Plan& plan);

  const Plan& plan() const { return plan_; }
  void run(Phase phase);

  bool has(std::string_view name) const { return plan_.find(name) != no_tensor; }
  // The tensor must exist. One model: [shape…].
  Eigen::Map<Vector> values(std::string_view name);
  Eigen::Map<Vector> values(TensorId id);
  // [rows, last extent]
  Eigen::Map<Matrix> rows(std::string_view name);
  Eigen::Map<Matrix> rows(TensorId id);

  // Drops what `backward` computes for parameters alone: Jacobians of the input need none of it.
  void drop_parameter_gradients();

 private:
  struct Free {
    void operator()(double* arena) const;
  };
  Plan plan_;
  std::unique_ptr<double[], Free> arena_;
};

}  // namespace normscope
