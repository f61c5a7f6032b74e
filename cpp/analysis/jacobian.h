// Jacobians of a map x -> y that is a plan: rows by the plan's own reverse pass, columns by central differences.
#pragma once
#include <functional>

#include "analysis/double_plan.h"

namespace normscope {

// The plan (with tensors x, y, y.grad, x.grad) linearized at a point. The plan must outlive it.
class Linearization {
 public:
  Linearization(DoublePlan& plan, Vector x);

  Eigen::Index n_in() const { return x_.size(); }
  Eigen::Index n_out() const { return n_out_; }
  Vector value(const Vector& x);
  Vector vjp(const Vector& u);  // Jᵀu
  // Jv, by a central difference of relative step 1e-5: errors near 1e-9 for smooth maps.
  Vector jvp(const Vector& v);
  Matrix dense();  // [n_out, n_in], n_out reverse passes

 private:
  DoublePlan& plan_;
  Vector x_;
  Eigen::Index n_out_;
  bool at_x_ = false;  // the plan's activations belong to x_
};

// Largest singular value of a map given by its products, by Lanczos on JᵀJ (a power iteration that keeps its past):
// until the Ritz residual is below 1e-8, at most 60 iterations. NaN when anything is not finite.
double spectral_norm(Eigen::Index n_in, const std::function<Vector(const Vector&)>& jvp,
                     const std::function<Vector(const Vector&)>& vjp);
double spectral_norm(Linearization& map);
double spectral_norm(const Matrix& m);  // by singular values

// All singular values, largest first. NaN when anything is not finite.
Vector singular_values(const Matrix& m);
// exp of the entropy of the singular values as shares of their sum (Roy & Vetterli 2007), in [1, min(shape)]; NaN
// for a zero matrix.
double effective_rank(const Vector& singular_values);

// |⟨u, Jv⟩ − ⟨Jᵀu, v⟩| / (‖u‖‖Jv‖) for a random pair.
double product_disagreement(Linearization& map, uint32_t seed);

// Standard normal numbers of Philox: the same for the same seed, stream and size.
Vector random_normals(Eigen::Index n, uint32_t seed, uint32_t stream);

}  // namespace normscope
