// C[m, n] (+)= Σ_k A[m, k] B[k, n] with any strides, packed into panels. Every output sums k in order inside blocks of
// 256, so the bits do not depend on the tile.
#pragma once
#include "cpu/lanes.h"

namespace normscope::cpu {

template <class T>
struct Matrix {
  const T* data;
  size_t row_stride, column_stride;
  T at(size_t row, size_t column) const { return data[row * row_stride + column * column_stride]; }
};

namespace detail {

constexpr uint32_t tile_row = 4, tile_vec = 2, tile_column = tile_vec * n_lane;  // eight accumulators
constexpr uint32_t block_k = 256, block_row = 64;

// panel[k][i] = matrix(first + i, k0 + k), zeros beyond `n`.
template <class T, uint32_t width>
void pack(const Matrix<T>& matrix, uint32_t first, uint32_t n, uint32_t k0, uint32_t n_k, T* panel) {
  const T* base = matrix.data + size_t{first} * matrix.row_stride + size_t{k0} * matrix.column_stride;
  for (uint32_t k = 0; k < n_k; ++k, base += matrix.column_stride, panel += width)
    for (uint32_t i = 0; i < width; ++i) panel[i] = i < n ? base[i * matrix.row_stride] : T(0);
}

template <class T>
inline void multiply_tile(const T* a, const T* b, uint32_t n_k, Vec<T> (&sum)[tile_row][tile_vec]) {
  for (auto& row : sum)
    for (auto& v : row) v = Vec<T>{};
  for (uint32_t k = 0; k < n_k; ++k, a += tile_row, b += tile_column) {
    const Vec<T> b0 = load(b), b1 = load(b + n_lane);
    for (uint32_t i = 0; i < tile_row; ++i) {
      const Vec<T> ai = splat(a[i]);
      sum[i][0] = madd(ai, b0, sum[i][0]);
      sum[i][1] = madd(ai, b1, sum[i][1]);
    }
  }
}

}  // namespace detail

// bias (per column, may be null) is added once. C is row-major [n_row, n_column].
template <class T>
void gemm(uint32_t n_row, uint32_t n_column, uint32_t n_inner, const Matrix<T>& a, const Matrix<T>& b, const T* bias,
          bool accumulate, T* c) {
  using namespace detail;
  alignas(16) T a_panel[block_row * block_k], b_panel[tile_column * block_k];
  const Matrix<T> b_columns{b.data, b.column_stride, b.row_stride};  // packed along its columns
  for (uint32_t k0 = 0; k0 < n_inner || k0 == 0; k0 += block_k) {
    const uint32_t n_k = n_inner - k0 < block_k ? n_inner - k0 : block_k;
    const bool add = accumulate || k0 > 0;
    const T* tile_bias = k0 == 0 ? bias : nullptr;
    for (uint32_t row0 = 0; row0 < n_row; row0 += block_row) {
      const uint32_t row_end = n_row - row0 < block_row ? n_row : row0 + block_row;
      for (uint32_t row = row0; row < row_end; row += tile_row)
        pack<T, tile_row>(a, row, row_end - row, k0, n_k, a_panel + size_t{row - row0} * n_k);
      for (uint32_t column = 0; column < n_column; column += tile_column) {
        pack<T, tile_column>(b_columns, column, n_column - column, k0, n_k, b_panel);
        for (uint32_t row = row0; row < row_end; row += tile_row) {
          Vec<T> sum[tile_row][tile_vec];
          multiply_tile(a_panel + size_t{row - row0} * n_k, b_panel, n_k, sum);
          for (uint32_t i = 0; i < tile_row && row + i < row_end; ++i)
            for (uint32_t v = 0; v < tile_vec && column + v * n_lane < n_column; ++v) {
              const uint32_t j = column + v * n_lane, n = n_column - j < n_lane ? n_column - j : n_lane;
              T* out = c + size_t{row + i} * n_column + j;
              Vec<T> value = sum[i][v];
              if (tile_bias) value += load_n(tile_bias + j, n);
              if (add) value += load_n(out, n);
              store_n(out, value, n);
            }
        }
      }
    }
  }
}

}  // namespace normscope::cpu
