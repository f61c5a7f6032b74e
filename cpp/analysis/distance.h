// Wasserstein-2 distances between two clouds of equally many points, [n_point, d] each.
#pragma once
#include <vector>

#include "analysis/double_plan.h"

namespace normscope {

// By assignment of least cost (shortest augmenting paths, O(n³)): the distance itself.
double exact_w2(const Matrix& a, const Matrix& b);
// Row i with row i: an upper bound.
double paired_w2(const Matrix& a, const Matrix& b);
// Root mean square over random directions of the distance of the projections, which is that of the sorted values: a
// lower bound, smaller by about √d than the distance of two clouds that differ by a shift.
double sliced_w2(const Matrix& a, const Matrix& b, uint32_t n_direction, uint32_t seed);

// Column of each row in the assignment of least total cost; cost is [n, n] and finite.
std::vector<int> assignment(const Matrix& cost);

}  // namespace normscope
