// Least squares of logarithms: how a positive quantity grows.
#pragma once
#include "analysis/double_plan.h"

namespace normscope {

// log value ≈ log factor + exponent · s, with s = log x (power law) or s = x (exponential).
struct Fit {
  double factor, exponent;
  double residual;  // root mean square of the residuals of log value
};
// Points that are not positive and finite are left out; with fewer than two distinct x every number is NaN.
Fit fit_power(const Vector& x, const Vector& value);
Fit fit_exponential(const Vector& x, const Vector& value);

}  // namespace normscope
