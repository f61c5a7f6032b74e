// The border between C++ and JavaScript: one class. wasm/runtime/core.ts is its only user and checks every argument.
#include <emscripten/bind.h>

#include <cstdint>
#include <string>

#include "model/generate.h"
#include "model/machine.h"

namespace {

using normscope::Machine;
using normscope::Phase;
using normscope::Split;

std::string status(const Machine& machine) {
  const normscope::Status& s = machine.status();
  return s.ok() ? std::string() : s.code + ": " + s.message;
}

// 0 where there is no memory. A double: addresses may lie above 2 GiB.
double address_of(const float* values) { return static_cast<double>(reinterpret_cast<uintptr_t>(values)); }

double allocate(Machine& machine) { return address_of(machine.allocate()); }

double allocate_inputs(Machine& machine) { return address_of(machine.allocate_inputs()); }

double address(Machine& machine, const std::string& name) { return address_of(machine.tensor(name)); }

double initial_values(Machine& machine, uint32_t tensor, double first, double n) {
  return address_of(machine.initial_values(tensor, static_cast<uint64_t>(first), static_cast<uint64_t>(n)));
}

void run(Machine& machine, int phase) { machine.run(static_cast<Phase>(phase)); }

void begin_step(Machine& machine, int split) { machine.begin_step(static_cast<Split>(split)); }

// JSON, or "code: sentence" of what is in the way.
std::string generate(Machine& machine, int n_sample, int n_prompt, int n_token, double temperature) {
  const normscope::Generation wanted{static_cast<uint32_t>(n_sample), static_cast<uint32_t>(n_prompt),
                                     static_cast<uint32_t>(n_token), temperature};
  const normscope::Status status = check_generation(machine, wanted);
  return status.ok() ? generate_json(machine, wanted) : status.code + ": " + status.message;
}

std::string own_fields() { return normscope::own_fields; }

std::string version() { return normscope::core_version; }

bool simd() {
#ifdef __wasm_simd128__
  return true;
#else
  return false;
#endif
}

}  // namespace

EMSCRIPTEN_BINDINGS(normscope) {
  emscripten::class_<Machine>("Core")
      .constructor<std::string, std::string, std::string>()
      .function("status", &status)
      .function("describe", &Machine::describe)
      .function("allocate", &allocate)
      .function("allocate_inputs", &allocate_inputs)
      .function("address", &address)
      .function("initial_values", &initial_values)
      .function("run", &run)
      .function("begin_step", &begin_step)
      .function("generate", &generate)
      .class_function("own_fields", &own_fields)
      .class_function("version", &version)
      .class_function("simd", &simd)
      .class_function("scheduled_rate", &normscope::scheduled_rate);
}
