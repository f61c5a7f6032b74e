#include "analysis/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/jacobian.h"

namespace normscope {
namespace {

Matrix squared_distances(const Matrix& a, const Matrix& b) {
  Matrix cost(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < b.rows(); ++j) cost(i, j) = (a.row(i) - b.row(j)).squaredNorm();
  return cost;
}

Vector sorted(Vector values) {
  std::sort(values.data(), values.data() + values.size());
  return values;
}

}  // namespace

// Rows enter one after the other; each takes the cheapest path of reassignments (Jonker & Volgenant 1987). Row and
// column 0 stand for "not assigned".
std::vector<int> assignment(const Matrix& cost) {
  const size_t n = static_cast<size_t>(cost.rows());
  std::vector<double> row_price(n + 1, 0), column_price(n + 1, 0);
  std::vector<size_t> row_of(n + 1, 0), previous(n + 1, 0);
  for (size_t row = 1; row <= n; ++row) {
    std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
    std::vector<bool> done(n + 1, false);
    size_t column = 0;
    row_of[0] = row;
    do {
      done[column] = true;
      const size_t from = row_of[column];
      size_t next = 0;
      double step = std::numeric_limits<double>::infinity();
      for (size_t j = 1; j <= n; ++j) {
        if (done[j]) continue;
        const double reduced = cost(static_cast<Eigen::Index>(from - 1), static_cast<Eigen::Index>(j - 1)) -
                               row_price[from] - column_price[j];
        if (reduced < least[j]) least[j] = reduced, previous[j] = column;
        if (least[j] < step) step = least[j], next = j;
      }
      for (size_t j = 0; j <= n; ++j)
        if (done[j])
          row_price[row_of[j]] += step, column_price[j] -= step;
        else
          least[j] -= step;
      column = next;
    } while (row_of[column] != 0);
    for (; column != 0; column = previous[column]) row_of[column] = row_of[previous[column]];
  }
  std::vector<int> column_of(n, 0);
  for (size_t j = 1; j <= n; ++j) column_of[row_of[j] - 1] = static_cast<int>(j - 1);
  return column_of;
}

double exact_w2(const Matrix& a, const Matrix& b) {
  if (!a.allFinite() || !b.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Matrix cost = squared_distances(a, b);
  if (!cost.allFinite()) return std::numeric_limits<double>::infinity();
  const std::vector<int> column = assignment(cost);
  double sum = 0;
  for (size_t i = 0; i < column.size(); ++i) sum += cost(static_cast<Eigen::Index>(i), column[i]);
  return std::sqrt(sum / static_cast<double>(a.rows()));
}

double paired_w2(const Matrix& a, const Matrix& b) {
  return std::sqrt((a - b).squaredNorm() / static_cast<double>(a.rows()));
}

double sliced_w2(const Matrix& a, const Matrix& b, uint32_t n_direction, uint32_t seed) {
  if (!a.allFinite() || !b.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (uint32_t k = 0; k < n_direction; ++k) {
    const Vector direction = random_normals(a.cols(), seed, 100 + k).normalized();
    sum += (sorted(a * direction) - sorted(b * direction)).squaredNorm() / static_cast<double>(a.rows());
  }
  return std::sqrt(sum / n_direction);
}

}  // namespace normscope
