#include "model/initial_values.h"

#include "cpu/lane_math.h"
#include "plan/random.h"

namespace normscope {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

double standard_deviation(const ModelSpec& spec, const Tensor& tensor) {
  const bool residual_output = ends_with(tensor.name, "out_proj.weight") || ends_with(tensor.name, "fc2.weight");
  if (spec.init == "gpt2") return residual_output ? 0.02 / square_root(2.0 * spec.n_layer) : 0.02;
  if (tensor.name == "token_embedding.weight") return 1;
  if (tensor.name == "position_embedding.weight") return 0.5;
  const double fan_out = tensor.shape[0], fan_in = tensor.shape[1];
  return spec.init == "xavier" ? square_root(2 / (fan_in + fan_out)) : square_root(1 / fan_in);
}

// Factor by init_gain: of the matrices whose product a branch is linear in, or of the last one alone.
double initial_gain(const ModelSpec& spec, const std::string& name) {
  const auto is = [&](const char* matrix) { return ends_with(name, std::string(matrix) + ".weight"); };
  const bool last = is("out_proj") || is("fc2") || is("sublayer");
  if (spec.init_gain == "residual" && last) return 1 / square_root(1.0 * n_residual_step(spec));
  if (spec.init_gain == "deepnorm" && (last || is("v_proj") || is("fc1")))
    return 1 / square_root(square_root(8.0 * spec.n_layer));
  return 1;
}

}  // namespace

float standard_normal(uint32_t word) {
  const double p = uniform_unit(word), q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    const float r = static_cast<float>(0.180625 - q * q);
    const float top = ((59.109374720f * r + 159.29113202f) * r + 50.434271938f) * r + 3.3871327179f;
    const float bottom = ((67.187563600f * r + 78.757757664f) * r + 17.895169469f) * r + 1.0f;
    return static_cast<float>(q) * top / bottom;
  }
  // 24 bits keep r below 4.2: the far tail's formula is never needed.
  const float r = square_root(-log_positive(static_cast<float>(q < 0 ? p : 1 - p))) - 1.6f;
  const float value = (((0.17023821103f * r + 1.3067284816f) * r + 2.7568153900f) * r + 1.4234372777f) /
                      ((0.12021132975f * r + 0.73700164250f) * r + 1.0f);
  return q < 0 ? -value : value;
}

void initial_values(const ModelSpec& spec, const Tensor& tensor, uint64_t first, uint64_t n, float* values) {
  if (tensor.shape.size() < 2) return;
  const float sigma = static_cast<float>(standard_deviation(spec, tensor) * initial_gain(spec, tensor.name));
  const uint32_t stream = stream_of(tensor.name);
  for (uint64_t i = first, end = first + n; i < end;) {
    const auto words = random_block(spec.seed, Purpose::parameter, stream, 0, static_cast<uint32_t>(i / 4));
    for (uint64_t lane = i % 4; lane < 4 && i < end; ++lane, ++i) *values++ = standard_normal(words[lane]) * sigma;
  }
}

}  // namespace normscope
