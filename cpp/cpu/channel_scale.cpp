// A learnable scale on a branch: one for all features or one for each.
#include <vector>

#include "cpu/column_sums.h"
#include "cpu/kernels.h"

namespace normscope::cpu {

template <class T>
void channel_scale(const ChannelScaleParams& p, T* const* operand) {
  const T *x = operand[0], *s = operand[1];
  T* y = operand[2];
  for (size_t row = 0; row < p.n_row; ++row)
    for_lanes(p.d, [&](uint32_t i, uint32_t k) {
      const size_t at = row * p.d + i;
      Vec<T> v = load_n(x + at, k) * (p.n_scale == 1 ? splat(s[0]) : load_n(s + i, k));
      if (p.accumulate & 1) v += load_n(y + at, k);
      store_n(y + at, v, k);
    });
}

template <class T>
void channel_scale_backward_s(const ChannelScaleParams& p, T* const* operand) {
  const T *x = operand[0], *dy = operand[1];
  const auto sum_into = [&](uint32_t accumulate, T* ds) {
    sum_columns<T, 1>(p.n_row, p.d, accumulate, {ds}, [&](size_t row, uint32_t i, uint32_t n, Vec<T>* value) {
      value[0] = load_n(x + row * p.d + i, n) * load_n(dy + row * p.d + i, n);
    });
  };
  if (p.n_scale == p.d) return sum_into(p.accumulate, operand[2]);
  std::vector<T> column(p.d);
  sum_into(0, column.data());
  sum_values<T>(p.d, p.accumulate & 1, operand[2], [&](size_t j) { return column[j]; });
}

NORMSCOPE_INSTANTIATE(channel_scale, ChannelScaleParams)
NORMSCOPE_INSTANTIATE(channel_scale_backward_s, ChannelScaleParams)

}  // namespace normscope::cpu
