#include <random>

#include "arena.h"

namespace normscope {

// The engine's words are fixed by the language standard; its distributions are not, hence Box and Muller by hand.
std::vector<double> normals(size_t n, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<double> out;
  while (out.size() < n) {
    const double u = (engine() + 0.5) / 4294967296.0, angle = 6.283185307179586 * (engine() / 4294967296.0);
    out.push_back(static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(angle)));
  }
  return out;
}

}  // namespace normscope
