// A plan: named tensors in one logical arena and, for each phase, a list of kernel dispatches.
// A plan can exist without memory; executors (cpu/run.h, the WebGPU executor) give it some and replay the lists.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/kernel_params.h"

namespace normscope {

enum class Kernel : uint16_t {
#define KERNEL(name, params, operands, n_output) name,
#include "plan/kernels.def"
#undef KERNEL
};

constexpr uint32_t max_operand = 8;  // storage buffers per stage that every WebGPU device has
constexpr uint32_t max_param_word = 12;
constexpr uint32_t max_model = 65535;  // workgroups per dimension that every WebGPU device has

struct KernelInfo {
  const char* name;
  const char* operands;  // separated by spaces
  uint32_t n_operand;
  uint32_t n_output;  // the last ones
  uint32_t n_param_word;
};
const KernelInfo& kernel_info(Kernel kernel);

enum class Phase : uint8_t { forward, backward, update, observe, evaluate };
constexpr int n_phase = 5;
const char* phase_name(Phase phase);

enum class Role : uint8_t { parameter, gradient, activation, input, state, constant, statistic };
const char* role_name(Role role);

using TensorId = uint32_t;
constexpr TensorId no_tensor = 0xffffffffu;
using Shape = std::vector<uint32_t>;

constexpr uint64_t float_alignment = 64;  // 256 bytes, the alignment of WebGPU binding offsets
inline uint64_t aligned(uint64_t n) { return (n + float_alignment - 1) / float_alignment * float_alignment; }

// [n_model, shape...]; offset and sizes in floats. Tensors start at multiples of 64 floats (256 bytes).
struct Tensor {
  std::string name;
  Role role = Role::activation;
  Shape shape;
  uint64_t offset = 0;
  uint64_t n_per_model = 0;
  float fill = 0;  // initial value
  bool needs_grad = false;
};

// Rows, columns and models to cover; each executor divides by its own tile.
struct Grid {
  uint32_t n_row = 0;
  uint32_t n_col = 1;
  uint32_t n_model = 1;
};

struct Dispatch {
  Kernel kernel = Kernel::scale_add;
  std::array<TensorId, max_operand> operand{};
  std::array<uint32_t, max_param_word> param{};
  Grid grid;
};

// The operand of that name in kernels.def; no_tensor where the kernel has none.
TensorId operand_named(const Dispatch& dispatch, std::string_view name);

struct Plan {
  uint32_t n_model = 1;
  uint64_t n_float = 0;
  std::vector<Tensor> tensors;
  std::array<std::vector<Dispatch>, n_phase> phases;

  const std::vector<Dispatch>& operator[](Phase phase) const { return phases[static_cast<size_t>(phase)]; }
  TensorId find(std::string_view name) const;  // no_tensor when absent
};

// What went wrong, for people: a code that is the same in every language and a sentence.
struct Status {
  std::string code;  // empty: fine
  std::string message;
  bool ok() const { return code.empty(); }
};

constexpr uint64_t max_memory_float = (uint64_t{3} << 30) / sizeof(float);  // 3 GiB: fits a 32-bit address space
constexpr uint64_t max_plan_float = uint64_t{1} << 53;  // a plan without memory: its offsets are exact in JSON

struct Limits {
  uint64_t max_float = max_memory_float;
};

}  // namespace normscope
