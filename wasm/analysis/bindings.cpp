// The border of the analysis module: one class. wasm/analysis/engine.ts is its only user and checks every argument.
#include <emscripten/bind.h>

#include <cstdint>
#include <string>

#include "analysis/analysis.h"
#include "model/machine.h"

namespace {

using normscope::Analysis;

std::string status(const Analysis& analysis) {
  const normscope::Status& s = analysis.status();
  return s.ok() ? std::string() : s.code + ": " + s.message;
}

// The address of room for n floats.
double reserve(Analysis& analysis, uint32_t n) {
  return static_cast<double>(reinterpret_cast<uintptr_t>(analysis.reserve(n)));
}

std::string version() { return normscope::core_version; }

}  // namespace

EMSCRIPTEN_BINDINGS(normscope_analysis) {
  emscripten::class_<Analysis>("Analysis")
      .constructor<std::string, std::string, uint32_t>()
      .function("status", &status)
      .function("parameters", &Analysis::parameters)
      .function("describe", &Analysis::describe)
      .function("reserve", &reserve)
      .function("write", &Analysis::write)
      .function("run", &Analysis::run)
      .class_function("version", &version);
}
