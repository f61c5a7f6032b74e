#pragma once
#include "model/spec.h"

namespace normscope {

// Standard normal number from 24 random bits (AS 241, Wichura 1988) with our own logarithm: the same bits everywhere.
float standard_normal(uint32_t word);

// Initial values `first` … `first` + n - 1 of one parameter of a model; gains and shifts keep the plan's fill value.
//   fanin: N(0, 1/fan_in), token embeddings N(0, 1), positions N(0, 1/4)
//   xavier: N(0, 2/(fan_in + fan_out)), embeddings as fanin
//   gpt2: N(0, 0.02²), output projections of the branches divided by √(2 n_layer)
// init_gain multiplies some of them:
//   deepnorm: v_proj, out_proj, fc1, fc2 (sublayer) times (8 n_layer)^(-1/4) (Wang et al. 2022, arXiv 2203.00555)
//   residual: out_proj, fc2 (sublayer) divided by √(number of residual steps)
void initial_values(const ModelSpec& spec, const Tensor& tensor, uint64_t first, uint64_t n, float* values);

}  // namespace normscope
