// Rounding to a 16-bit float by looking it up in the list of all its values: nearest, ties to even.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace reference {

class FormatTable {
 public:
  // n_mantissa stored bits; exponents from 2^least to 2^most. Codes ascend with the value, as in the bit patterns.
  FormatTable(int n_mantissa, int least, int most) {
    const int n = 1 << n_mantissa;
    for (int m = 0; m < n; ++m) values_.push_back(std::ldexp(m, least - n_mantissa));  // zero and subnormals
    for (int e = least; e <= most; ++e)
      for (int m = 0; m < n; ++m) values_.push_back(std::ldexp(n + m, e - n_mantissa));
    values_.push_back(std::ldexp(1.0, most + 1));  // takes the place of infinity
  }
  double largest() const { return values_[values_.size() - 2]; }

  double round(double x) const {
    if (std::isnan(x) || std::isinf(x)) return x;
    const double magnitude = std::fabs(x);
    if (magnitude >= values_.back()) return std::copysign(std::numeric_limits<double>::infinity(), x);
    const size_t above =
        static_cast<size_t>(std::upper_bound(values_.begin(), values_.end(), magnitude) - values_.begin());
    const double low = magnitude - values_[above - 1], high = values_[above] - magnitude;
    const size_t code = low < high || (low == high && (above - 1) % 2 == 0) ? above - 1 : above;
    return std::copysign(code + 1 == values_.size() ? std::numeric_limits<double>::infinity() : values_[code], x);
  }

 private:
  std::vector<double> values_;
};

inline const FormatTable& fp16() {
  static const FormatTable table(10, -14, 15);
  return table;
}
inline const FormatTable& bf16() {
  static const FormatTable table(7, -126, 127);
  return table;
}

}  // namespace reference
