// ModelSpec -> residual step -> block -> transformer -> loss -> AdamW, written with ops.
#pragma once
#include "model/spec.h"
#include "plan/builder.h"

namespace normscope {

constexpr uint32_t n_ring = 64;         // rows of statistics kept
constexpr uint32_t n_header_slot = 16;  // slots before the residual points
constexpr uint32_t n_point_slot = 8;    // slots of a residual point

// What the outside needs to know of a model's plan.
struct ModelLayout {
  std::vector<TensorId> parameters, points;
  std::vector<std::string> groups;  // gradient groups, in the order of their slots
  std::vector<uint32_t> group_end;  // exclusive, in parameters
  uint32_t row_width = 0;
};

// A whole language model with its training step: inputs `tokens`, `targets`; phases forward, backward, update, observe.
ModelLayout build_transformer(Builder& b, const ModelSpec& spec, uint32_t n_vocab);

// The blocks alone: input `x`, output `y`, seed gradient `y.grad`, gradient `x.grad`.
ModelLayout build_blocks(Builder& b, const ModelSpec& spec);

// The parts of the transformer, one plan each, for analysis; parameters carry the names that they have in the whole.
// Residual step `step` of the whole depth: input `x`, output `y`, seed gradient `y.grad`, gradient `x.grad`.
// branch_only: y is what the step adds to the stream, without skip path and stream norm.
void build_step(Builder& b, const ModelSpec& spec, uint32_t step, bool branch_only = false);
// Final norm, head and loss: inputs `x` (the last residual point) and `targets`; `logits`, `loss`, `x.grad`.
void build_head(Builder& b, const ModelSpec& spec, uint32_t n_vocab);

}  // namespace normscope
