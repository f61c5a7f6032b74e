// Every kernel of kernels.def as a function over the slice of one model: operands in binding order.
#pragma once
#include "plan/plan.h"

namespace normscope::cpu {

#define KERNEL(name, params, operands, n_output) \
  template <class T>                             \
  void name(const params& p, T* const* operand);
#include "plan/kernels.def"
#undef KERNEL

// Both scalars of a kernel: float for the product, double for gradient tests and analysis (NORMSCOPE_DOUBLE in WASM).
#if defined(__EMSCRIPTEN__) && !defined(NORMSCOPE_DOUBLE)
#define NORMSCOPE_INSTANTIATE(name, params) template void name<float>(const params& p, float* const* operand);
#else
#define NORMSCOPE_INSTANTIATE(name, params)                          \
  template void name<float>(const params& p, float* const* operand); \
  template void name<double>(const params& p, double* const* operand);
#endif

}  // namespace normscope::cpu
