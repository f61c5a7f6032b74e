// Sums over the rows of a matrix, column by column, that lose nothing when a large term meets thousands of small ones
// (Kahan).
#pragma once
#include "cpu/lanes.h"

namespace normscope::cpu {

template <class T>
struct ColumnSum {
  Vec<T> sum = {}, lost = {};
  void add(const Vec<T>& value) {
    const Vec<T> v = value - lost, t = sum + v;
    lost = (t - sum) - v;
    sum = t;
  }
};

// out[j][column] (+)= Σ_row term_j. term(row, i, n, values) writes the N terms of the columns i … i+n-1; bit j of
// `accumulate` adds to out[j]. Columns go in tiles of one cache line (of floats), so that a row is read line by line.
template <class T, int N, class F>
void sum_columns(uint32_t n_row, uint32_t n_column, uint32_t accumulate, T* const (&out)[N], F term) {
  constexpr uint32_t tile = 4;
  const auto store_column = [&](int j, uint32_t i, const Vec<T>& sum, uint32_t n) {
    store_n(out[j] + i, (accumulate >> j) & 1 ? sum + load_n(out[j] + i, n) : sum, n);
  };
  uint32_t begin = 0;
  for (; begin + tile * n_lane <= n_column; begin += tile * n_lane) {
    ColumnSum<T> sums[tile][N];
    for (size_t row = 0; row < n_row; ++row)
      for (uint32_t v = 0; v < tile; ++v) {
        Vec<T> values[N];
        term(row, begin + v * n_lane, n_lane, values);
        for (int j = 0; j < N; ++j) sums[v][j].add(values[j]);
      }
    for (uint32_t v = 0; v < tile; ++v)
      for (int j = 0; j < N; ++j) store_column(j, begin + v * n_lane, sums[v][j].sum, n_lane);
  }
  for_lanes(n_column - begin, [&](uint32_t offset, uint32_t n) {
    ColumnSum<T> sums[N];
    for (size_t row = 0; row < n_row; ++row) {
      Vec<T> values[N];
      term(row, begin + offset, n, values);
      for (int j = 0; j < N; ++j) sums[j].add(values[j]);
    }
    for (int j = 0; j < N; ++j) store_column(j, begin + offset, sums[j].sum, n);
  });
}

// total (+)= Σ term(i) over n values, one after the other.
template <class T, class F>
void sum_values(uint32_t n, bool accumulate, T* total, F term) {
  sum_columns<T, 1>(n, 1, accumulate, {total},
                    [&](size_t i, uint32_t, uint32_t, Vec<T>* value) { value[0] = splat(term(i)); });
}

}  // namespace normscope::cpu
