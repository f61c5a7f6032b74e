#include "plan/plan.h"

#include "plan/kernel_params.h"

namespace normscope {
namespace {

constexpr uint32_t count_words(const char* text) {
  uint32_t n = *text ? 1 : 0;
  for (; *text; ++text) n += *text == ' ';
  return n;
}

constexpr KernelInfo kernel_table[] = {
#define KERNEL(name, params, operands, n_output) {#name, operands, count_words(operands), n_output, sizeof(params) / 4},
#include "plan/kernels.def"
#undef KERNEL
};

#define KERNEL(name, params, operands, n_output)                                                    \
  static_assert(count_words(operands) <= max_operand, #name " binds too many operands for WebGPU"); \
  static_assert(sizeof(params) <= max_param_word * 4, #name " has too many parameters");
#include "plan/kernels.def"
#undef KERNEL

}  // namespace

const KernelInfo& kernel_info(Kernel kernel) { return kernel_table[static_cast<size_t>(kernel)]; }

const char* phase_name(Phase phase) {
  static constexpr const char* names[] = {"forward", "backward", "update", "observe", "evaluate"};
  return names[static_cast<size_t>(phase)];
}

const char* role_name(Role role) {
  static constexpr const char* names[] = {"parameter", "gradient", "activation", "input",
                                          "state",     "constant", "statistic"};
  return names[static_cast<size_t>(role)];
}

TensorId operand_named(const Dispatch& dispatch, std::string_view name) {
  std::string_view names = kernel_info(dispatch.kernel).operands;
  for (const TensorId id : dispatch.operand) {
    const size_t end = names.find(' ');
    if (names.substr(0, end) == name) return id;
    if (end == std::string_view::npos) break;
    names.remove_prefix(end + 1);
  }
  return no_tensor;
}

TensorId Plan::find(std::string_view name) const {
  for (TensorId id = 0; id < tensors.size(); ++id)
    if (tensors[id].name == name) return id;
  return no_tensor;
}

}  // namespace normscope
