// Where the output of a normalization can lie (Lemma 1 of Kan et al. 2025): for LayerNorm and RMSNorm an ellipsoid
//   { γ⊙w + β : ‖w‖² ≤ d, and 1ᵀw = 0 for LayerNorm },  with ‖w‖² = d when ε is 0,
// for DyT a box |w_j| ≤ 1, for BatchNorm, over the rows, Σ w_j = 0 and Σ w_j² ≤ n_row.
#pragma once
#include <string>

#include "analysis/double_plan.h"

namespace normscope {

struct OutputNorm {
  std::string kind;    // norm_kind of the spec
  Vector gamma, beta;  // [d]
};

// sup of −Σ_t p_t·v_t over all outputs v a norm can have, summed over the rows of p. "layernorm": −p·β + √d ‖Π(γ⊙p)‖.
double support(const OutputNorm& norm, const Matrix& p);
// The outputs where it is reached, row by row (not for BatchNorm: empty).
Matrix maximizers(const OutputNorm& norm, const Matrix& p);

struct Lemma {
  double radius_excess;   // largest (‖w‖² − d)/d; NaN for a kind without ellipsoid or when a γ is 0
  double plane_residual;  // largest |1ᵀw|/d; NaN for all but LayerNorm
};
Lemma check_lemma(const OutputNorm& norm, const Matrix& outputs);

// The features shown of the ellipsoid: all for d ≤ 3, else those of the three largest |γ|.
std::vector<Eigen::Index> shown_features(const OutputNorm& norm);
// A of { β + A u : ‖u‖ ≤ 1 }, the ellipsoid's projection onto these features, [k, k].
Matrix projected_body(const OutputNorm& norm, const std::vector<Eigen::Index>& features);
// Points of the set itself for d ≤ 3 (d = 1 and 2 LayerNorm: its one or two points; d = 3 LayerNorm and d = 2 RMSNorm:
// a closed curve; d = 3 RMSNorm: points of a sphere's grid), [n, d]; empty above.
Matrix outline(const OutputNorm& norm);

}  // namespace normscope
