#include "op_case.h"
#include "ops/attention.h"
#include "reference_layers.h"

namespace normscope {
namespace {

enum class Mask { none, random, blind_row };

// `blind_row`: the second query sees no key at all.
std::vector<double> make_mask(const reference::Attention& s, Mask kind) {
  std::vector<double> mask = normals(s.n_query * s.n_key, 99);
  for (size_t i = 0; i < mask.size(); ++i) {
    const size_t query = i / s.n_key, key = i % s.n_key;
    mask[i] = key == 0 || mask[i] > 0 ? 1 : 0;
    if (kind == Mask::blind_row && query == 1) mask[i] = 0;
  }
  return mask;
}

OpCase attention_case(const std::string& name, reference::Attention s, Mask kind) {
  // A plan's scale is a float; the reference must not differ by its rounding.
  const float scale = s.scale != 0 ? static_cast<float>(s.scale) : 1 / std::sqrt(static_cast<float>(s.d_head));
  const float asked = s.scale != 0 ? static_cast<float>(s.scale) : std::numeric_limits<float>::quiet_NaN();
  s.scale = scale;
  const auto n = [](size_t value) { return static_cast<uint32_t>(value); };
  const uint32_t d = n(s.n_head * s.d_head);
  OpCase c;
  c.name = "attention_" + name + "_of_" + size_name({n(s.n_batch), n(s.n_query), n(s.n_key), n(s.n_head), n(s.d_head)});
  c.inputs = [=](Builder& b) -> std::vector<TensorId> {
    std::vector<TensorId> in{b.input("q", {n(s.n_batch), n(s.n_query), d}, true),
                             b.input("k", {n(s.n_batch), n(s.n_key), d}, true),
                             b.input("v", {n(s.n_batch), n(s.n_key), d}, true)};
    if (kind != Mask::none) in.push_back(b.input("mask", {n(s.n_query), n(s.n_key)}));
    return in;
  };
  c.apply = [=](Builder& b, const std::string& y, const std::vector<TensorId>& in) {
    const AttentionShape shape{n(s.n_batch),
                               n(s.n_query),
                               n(s.n_key),
                               n(s.n_head),
                               n(s.d_head),
                               s.causal,
                               static_cast<int32_t>(s.query_offset),
                               asked};
    return attention(b, y, in[0], in[1], in[2], kind == Mask::none ? no_tensor : in[3], shape);
  };
  c.prepare = [=](Tensors& in) {
    if (kind != Mask::none) in.at("mask") = make_mask(s, kind);
  };
  c.reference = [=](const Tensors& in) -> Tensors {
    const auto r = reference::attention(in.at("q"), in.at("k"), in.at("v"),
                                        kind == Mask::none ? reference::Values{} : in.at("mask"), s);
    return {{"", r.y}, {".probs", r.probs}};
  };
  return c;
}

}  // namespace

std::vector<OpCase> attention_cases() {
  return {attention_case("over_one_token", {1, 1, 1, 1, 3, true}, Mask::none),
          attention_case("over_everything", {2, 3, 5, 1, 7}, Mask::none),
          attention_case("causal", {2, 7, 7, 2, 3, true}, Mask::none),
          attention_case("causal_wide", {1, 33, 33, 1, 5, true}, Mask::none),
          attention_case("causal_heads", {1, 5, 5, 3, 16, true}, Mask::none),
          attention_case("causal_with_cached_keys", {1, 3, 7, 2, 2, true, 4}, Mask::none),
          attention_case("causal_with_more_queries_than_keys", {1, 20, 4, 2, 3, true, -16}, Mask::none),
          attention_case("masked", {2, 4, 5, 2, 3}, Mask::random),
          attention_case("masked_and_causal", {1, 6, 6, 2, 1, true}, Mask::random),
          attention_case("with_its_own_scale", {1, 3, 3, 1, 4, false, 0, 0.25}, Mask::none),
          attention_case("with_a_blind_query", {2, 3, 3, 2, 4}, Mask::blind_row)};
}

}  // namespace normscope
