// Parameters of every kernel: structs of 4-byte scalars, the same bytes in C++ and in a WGSL uniform.
// Together with kernels.def this is the whole contract between the planner, the CPU kernels and the WGSL kernels.
//
// Layout rules that hold for every operand:
//  * a tensor is [n_model, size]; a kernel works on the slice of one model (CPU: pointers already moved; WGSL:
//  workgroup z).
//  * "accumulate": bit k set means the k-th *output* operand is added to, clear means it is overwritten.
//  * integers inside tensors (tokens, targets, step, seed halves) are exact float values below 2^24.
#pragma once
#include <cstdint>

namespace normscope {

// Norms. x, y, dy, dx: [n_row, d]; gamma, beta, dgamma, dbeta: [d].
// stats: per row (LayerNorm, RMSNorm) or per feature (BatchNorm) four floats { mean, delta, rstd, inv_scale } with
//     x_hat = ((x * inv_scale - mean) - delta) * rstd
// inv_scale is a power of two, 1 unless |x| is so large that squares would overflow; delta is the correction of the
// two-pass mean. The plain statistics are (mean + delta) / inv_scale and rstd * inv_scale. RMSNorm: mean = delta = 0.
struct NormParams {
  uint32_t n_row;
  uint32_t d;
  float eps;  // inside the root
  uint32_t accumulate;
};

// Running statistics of BatchNorm, one step on: r <- (1 - momentum) r + momentum b, with b the batch's mean and its
// unbiased variance (divisor n_row - 1). One row has no unbiased variance: that of the past stays. No row changes
// nothing, and neither does a step where control.finite is 0. A variance beyond the largest number counts as that
// number. running_mean, running_var: [d]; stats: BatchNorm's, of the same eps.
struct TrackParams {
  uint32_t n_row;
  uint32_t d;
  float eps;
  float momentum;
};

// DyT: y = gamma * tanh(alpha * x) + beta. x, y, dy, dx: [n_row, d]; alpha, dalpha: [1]; gamma, beta, dgamma, dbeta:
// [d].
struct DyTParams {
  uint32_t n_row;
  uint32_t d;
  uint32_t accumulate;
};

// sum = alpha * skip + dt * branch, then LayerNorm or RMSNorm of sum; accumulate is 0 (see plan/fuse.h).
struct ResidualNormParams {
  uint32_t n_row;
  uint32_t d;
  float eps;
  float alpha;
  float dt;
  uint32_t accumulate;
};

// y = alpha * skip + dt * branch over n values.
struct ResidualParams {
  uint32_t n;
  float alpha;
  float dt;
  uint32_t accumulate;
};

// y (+)= scale * x over n values; fill: y = scale.
struct ScaleParams {
  uint32_t n;
  float scale;
  uint32_t accumulate;
};

// y (+)= s * x, and ds (+)= the sum of x * dy. x, y, dy: [n_row, d]; s, ds: [n_scale], one scale for all values (1) or
// one for each channel (d).
struct ChannelScaleParams {
  uint32_t n_row;
  uint32_t d;
  uint32_t n_scale;
  uint32_t accumulate;
};

// y[n_row, n_out] = x[n_row, n_in] weight[n_out, n_in]^T + bias[n_out]  (PyTorch's layout of a Linear weight).
struct LinearParams {
  uint32_t n_row;
  uint32_t n_in;
  uint32_t n_out;
  uint32_t has_bias;
  uint32_t accumulate;
};

enum class Activation : uint32_t { relu, gelu_tanh, gelu_erf, tanh };

struct ActivationParams {
  uint32_t n;
  uint32_t kind;  // Activation
  uint32_t accumulate;
};

// q: [n_batch, n_query, n_head, d_head]; k, v: [n_batch, n_key, n_head, d_head]; y as q.
// probs: [n_batch, n_head, n_query, n_key], 0 where masked. mask: [n_query, n_key] of 1 (may look) and 0.
// causal: key j is visible to query i when j <= i + query_offset. A query that sees no key yields 0 and gradients of 0.
struct AttentionParams {
  uint32_t n_batch;
  uint32_t n_query;
  uint32_t n_key;
  uint32_t n_head;
  uint32_t d_head;
  uint32_t causal;
  int32_t query_offset;
  uint32_t has_mask;
  float scale;
  uint32_t accumulate;
};

// y[b, t] = token_table[tokens[b, t]] + position_table[t]
struct EmbeddingParams {
  uint32_t n_batch;
  uint32_t n_ctx;
  uint32_t d;
  uint32_t n_vocab;
  uint32_t accumulate;
};

// Inverted dropout: y = keep ? x / (1 - rate) : 0. The mask is Philox4x32-10 of (seed, stream, step, index / 4).
struct DropoutParams {
  uint32_t n;
  uint32_t stream;  // hash of the tensor's name
  float rate;
  uint32_t train;  // 0: y = x
  uint32_t accumulate;
};

// logits: [n_row, n_class]; targets: [n_row], ignore_index rows do not count.
// rows: per row { max, log_sum, loss, counted }; loss: { mean, n_counted, sum, 0 }.
// log Z = max + log_sum; a counted row's loss is log Z - logits[target] + z_loss * (log Z)^2.
struct CrossEntropyParams {
  uint32_t n_row;
  uint32_t n_class;
  float ignore_index;
  float z_loss;  // 0: off
  uint32_t accumulate;
};

// z, p, dp, dz: [n_row, n_col]
struct SoftmaxParams {
  uint32_t n_row;
  uint32_t n_col;
  uint32_t accumulate;
};

enum class Format : uint32_t { fp32, fp16, bf16 };

// Rounds x in place to the format; a finite value that leaves its range becomes Inf and the first one is latched.
// latch: { n_overflow, step, point, channel, value, 0, 0, 0 }
struct RoundParams {
  uint32_t n;
  uint32_t d;
  uint32_t format;  // Format
  uint32_t point;   // index of the residual point or branch, for the report
};

// partial[slot] = { scale, sum (g / scale)^2 }, scale a power of two (0 where all g are 0); non-finite g gives a
// non-finite sum.
struct GradSquareParams {
  uint32_t n;
  uint32_t slot;
};

// control: { step, grad_norm, clip_scale, finite, bias1, bias2, n_skipped, 0 }
// hyper: { lr, weight_decay, max_grad_norm (0: off), 0, … } per model
struct ControlParams {
  uint32_t n_slot;
  float log_beta1;
  float log_beta2;
};

// AdamW with decoupled decay: p <- p (1 - lr wd) - lr m_hat / (sqrt(v_hat) + eps); skipped where control.finite is 0.
struct AdamWParams {
  uint32_t n;
  uint32_t decay;  // 1: apply hyper.weight_decay
  float one_minus_beta1;
  float one_minus_beta2;
  float eps;
};

// SGD with momentum and decoupled decay: v <- momentum v + g * clip_scale, p <- p (1 - lr wd) - lr v; skipped where
// control.finite is 0. v stays within the largest number.
struct SgdParams {
  uint32_t n;
  uint32_t decay;  // 1: apply hyper.weight_decay
  float momentum;
};

// Statistics. ring: [n_ring, row_width]; the row in use is control.step mod n_ring.
// Entry-wise variance: over the features of a token, mean over tokens. Data-wise: over the tokens, mean over features.
// A residual point owns eight slots: { mean |x|, entry-wise variance, data-wise variance, max |x|,
//   bound of mean |x|, bound of std, bound of data-wise std, channel of the max }.
struct MomentParams {
  uint32_t n_row;
  uint32_t d;
  uint32_t slot;
  uint32_t n_ring;
  uint32_t row_width;
  uint32_t slot_is_start;  // 1: the bounds start here, at the measured moments
};

// next bound = keep * previous bound + step * gain(gamma, beta); has_gain 0: no bound from here on (NaN).
// roundoff: 2^-11 or 2^-8 where branch and sum are rounded to fp16 or bf16 (to first order), else 0.
struct BoundParams {
  uint32_t d;
  uint32_t slot_previous;
  uint32_t slot;
  uint32_t n_ring;
  uint32_t row_width;
  uint32_t has_gain;
  float keep;
  float step;
  float roundoff;
};

// ring[slot] = norm over partial[first_slot, first_slot + n_slot)
struct GroupNormParams {
  uint32_t first_slot;
  uint32_t n_slot;
  uint32_t slot;
  uint32_t n_ring;
  uint32_t row_width;
};

// ring header: { step, loss, grad_norm, lr, n_counted, n_overflow, overflow_step, overflow_point, overflow_channel, … }
// (16 slots)
struct HeaderParams {
  uint32_t n_slot;
  uint32_t n_ring;
  uint32_t row_width;
};

}  // namespace normscope
