#include "cpu/run.h"

#include <algorithm>
#include <cstring>

#include "cpu/kernels.h"

namespace normscope {
namespace {

template <class T, class Params, void (*kernel)(const Params&, T* const*)>
void call(const uint32_t* words, T* const* operand) {
  Params params;
  std::memcpy(&params, words, sizeof params);
  kernel(params, operand);
}

template <class T>
constexpr void (*kernel_table[])(const uint32_t*, T* const*) = {
#define KERNEL(name, params, operands, n_output) call<T, params, cpu::name<T>>,
#include "plan/kernels.def"
#undef KERNEL
};

}  // namespace

template <class T>
void run(const Plan& plan, Phase phase, T* arena) {
  for (const Dispatch& dispatch : plan[phase]) {
    const uint32_t n_operand = kernel_info(dispatch.kernel).n_operand;
    for (uint32_t model = 0; model < plan.n_model; ++model) {
      T* operand[max_operand] = {};
      for (uint32_t i = 0; i < n_operand; ++i) {
        const Tensor& tensor = plan.tensors[dispatch.operand[i]];
        operand[i] = arena + tensor.offset + model * tensor.n_per_model;
      }
      kernel_table<T>[static_cast<size_t>(dispatch.kernel)](dispatch.param.data(), operand);
    }
  }
}

template <class T>
void fill_arena(const Plan& plan, T* arena) {
  std::fill(arena, arena + plan.n_float, T(0));
  for (const Tensor& tensor : plan.tensors)
    if (tensor.fill != 0) std::fill_n(arena + tensor.offset, tensor.n_per_model * plan.n_model, T(tensor.fill));
}

template void run<float>(const Plan&, Phase, float*);
template void fill_arena<float>(const Plan&, float*);
#if !defined(__EMSCRIPTEN__) || defined(NORMSCOPE_DOUBLE)
template void run<double>(const Plan&, Phase, double*);
template void fill_arena<double>(const Plan&, double*);
#endif

}  // namespace normscope
