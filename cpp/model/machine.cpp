#include "model/machine.h"

#include <cstdlib>

#include "cpu/run.h"
#include "model/initial_values.h"
#include "model/op_plan.h"
#include "model/text_lines.h"

namespace normscope {
namespace {

std::string tensor_json(const Plan& plan, const Tensor& t) {
  std::string shape;
  for (uint32_t extent : t.shape) shape += (shape.empty() ? "" : ",") + std::to_string(extent);
  return "{\"name\":" + json_string(t.name) + ",\"role\":\"" + role_name(t.role) + "\",\"shape\":[" + shape +
         "],\"nModel\":" + std::to_string(plan.n_model) + ",\"offset\":" + std::to_string(t.offset) +
         ",\"size\":" + std::to_string(t.n_per_model * plan.n_model) + "}";
}

std::string dispatch_json(const Dispatch& d) {
  const KernelInfo& info = kernel_info(d.kernel);
  std::string operands, params;
  for (uint32_t i = 0; i < info.n_operand; ++i) operands += (i ? "," : "") + std::to_string(d.operand[i]);
  for (uint32_t i = 0; i < info.n_param_word; ++i) params += (i ? "," : "") + std::to_string(d.param[i]);
  return std::string("{\"kernel\":\"") + info.name + "\",\"operands\":[" + operands + "],\"params\":[" + params +
         "],\"grid\":[" + std::to_string(d.grid.n_row) + "," + std::to_string(d.grid.n_col) + "," +
         std::to_string(d.grid.n_model) + "]}";
}

template <class List, class F>
std::string json_list(const List& list, F item) {
  std::string out;
  for (const auto& entry : list) out += (out.empty() ? "" : ",") + item(entry);
  return "[" + out + "]";
}

// cos(π t) for t in [0, 1], as sin(π/2 - π t) by its series: libm's last digit differs between systems.
double cosine_of_half_turns(double t) {
  const double x = 3.141592653589793 * (0.5 - t);
  double sum = 1;
  for (int n = 24; n >= 2; n -= 2) sum = 1 - x * x / (n * (n + 1)) * sum;
  return x * sum;
}

}  // namespace

double scheduled_rate(uint32_t step, double most, double least, uint32_t n_warmup, uint32_t n_total) {
  if (n_total > 0 && step >= n_total) return least;
  if (step < n_warmup) return most * (step + 1.0) / (n_warmup + 1.0);
  if (n_total == 0) return most;
  const double phase = static_cast<double>(step - n_warmup) / (n_total - n_warmup);
  return least + (most - least) * (1 + cosine_of_half_turns(phase)) / 2;
}

Machine::Machine(const std::string& kind, const std::string& spec, const std::string& data) : kind_(kind) {
  if (kind == "model" || kind == "block") {
    plan_model(kind, spec, data);
    return;
  }
  Builder b;
  if (kind.substr(0, 3) == "op:")
    build_op(b, std::string_view(kind).substr(3), spec);
  else
    b.fail("bad-spec", "kind must be 'model', 'block' or 'op:<name>', not '" + kind + "'");
  status_ = b.status();
  if (status_.ok()) plan_ = b.finish();
}

void Machine::plan_model(const std::string& kind, const std::string& spec, const std::string& data) {
  status_ = parse_spec(spec, spec_);
  if (status_.ok()) status_ = make_dataset(data, data_);
  if (status_.ok()) status_ = check_dataset(data_, spec_.n_ctx);
  if (!status_.ok()) return;
  uint32_t n_vocab = spec_.n_vocab ? spec_.n_vocab : data_.n_symbol ? data_.n_symbol : 32;
  if (n_vocab < data_.n_symbol) {
    status_ = {"bad-spec", "n_vocab " + std::to_string(n_vocab) + " is smaller than the " +
                               std::to_string(data_.n_symbol) +
                               " symbols of the data; leave it 0 to take it from the data"};
    return;
  }
  if (kind == "block" && spec_.n_layer == 0) {
    status_ = {"bad-spec", "n_layer must be at least 1 for blocks alone"};
    return;
  }
  Builder b;
  layout_ = kind == "model" ? build_transformer(b, spec_, n_vocab) : build_blocks(b, spec_);
  status_ = b.status();
  if (status_.ok()) plan_ = b.finish();
}

Machine::~Machine() { std::free(arena_); }

float* Machine::allocate() {
  if (arena_ || !status_.ok()) return arena_;
  const size_t n_byte = static_cast<size_t>(plan_.n_float > 0 ? plan_.n_float : 1) * sizeof(float);
  arena_ = static_cast<float*>(std::malloc(n_byte));
  if (!arena_) {
    status_ = {"out-of-memory", "the plan needs " + std::to_string(n_byte >> 20) +
                                    " MiB and the memory could not be had; use a smaller batch, width or depth"};
    return nullptr;
  }
  fill_arena(plan_, arena_);
  for (const Tensor& t : plan_.tensors)
    if (t.role == Role::parameter && kind_.substr(0, 3) != "op:")
      for (uint32_t model = 0; model < plan_.n_model; ++model)
        initial_values(spec_, t, arena_ + t.offset + model * t.n_per_model);
  if (float* seed = tensor("seed"); seed && kind_.substr(0, 3) != "op:") {
    seed[0] = static_cast<float>(spec_.seed >> 16);
    seed[1] = static_cast<float>(spec_.seed & 0xffff);
  }
  return arena_;
}

float* Machine::tensor(std::string_view name) {
  const TensorId id = plan_.find(name);
  return arena_ && id != no_tensor ? arena_ + plan_.tensors[id].offset : nullptr;
}

void Machine::run(Phase phase) {
  if (arena_) normscope::run(plan_, phase, arena_);
}

void Machine::begin_step(Split split) {
  float *tokens = tensor("tokens"), *targets = tensor("targets"), *hyper = tensor("hyper"),
        *control = tensor("control");
  if (!tokens || !targets || !hyper || !control || data_.kind.empty()) return;
  const uint32_t step = static_cast<uint32_t>(control[0]);
  draw_batch(data_, spec_.seed, split, step, spec_.n_batch, spec_.n_ctx, tokens, targets);
  const uint32_t n_total = spec_.schedule == "cosine" ? spec_.total_steps : 0;
  hyper[0] =
      static_cast<float>(scheduled_rate(step, spec_.learning_rate, spec_.final_learning_rate, spec_.warmup, n_total));
  hyper[1] = static_cast<float>(spec_.weight_decay);
  hyper[2] = static_cast<float>(spec_.max_grad_norm);
}

std::string Machine::describe() const {
  const auto quoted = [](const std::string& s) { return json_string(s); };
  uint64_t n_parameter = 0;
  for (const Tensor& t : plan_.tensors) n_parameter += t.role == Role::parameter ? t.n_per_model : 0;
  std::string phases;
  for (int i = 0; i < n_phase; ++i)
    phases += std::string(i ? "," : "") + "\"" + phase_name(static_cast<Phase>(i)) +
              "\":" + json_list(plan_.phases[static_cast<size_t>(i)], dispatch_json);
  std::string observe = "null";
  if (layout_.row_width > 0)
    observe = "{\"ring\":\"ring\",\"nRing\":" + std::to_string(n_ring) +
              ",\"rowWidth\":" + std::to_string(layout_.row_width) + ",\"points\":" +
              json_list(layout_.points, [&](TensorId id) { return json_string(plan_.tensors[id].name); }) +
              ",\"groups\":" + json_list(layout_.groups, quoted) + "}";
  return "{\"nFloat\":" + std::to_string(plan_.n_float) + ",\"nParameter\":" + std::to_string(n_parameter) +
         ",\"tensors\":" + json_list(plan_.tensors, [&](const Tensor& t) { return tensor_json(plan_, t); }) +
         ",\"phases\":{" + phases + "},\"dataset\":" + dataset_json(data_) + ",\"spec\":{" +
         (kind_.substr(0, 3) == "op:" ? "" : spec_json(spec_)) + "},\"observe\":" + observe + "}";
}

}  // namespace normscope
