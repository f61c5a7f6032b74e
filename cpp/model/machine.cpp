#include "model/machine.h"

#include <algorithm>
#include <cstdlib>

#include "cpu/run.h"
#include "model/initial_values.h"
#include "model/op_plan.h"
#include "model/plan_json.h"

namespace normscope {
namespace {

constexpr uint64_t nowhere = ~uint64_t{0};

std::string mebibytes(uint64_t n_float) { return std::to_string(n_float >> 18) + " MiB"; }

Status too_large(const Plan& plan, uint64_t n_float) {
  const Tensor& most =
      *std::max_element(plan.tensors.begin(), plan.tensors.end(),
                        [](const Tensor& a, const Tensor& b) { return a.n_per_model < b.n_per_model; });
  return {"too-large", "the plan needs " + mebibytes(n_float) + ", of which tensor " + most.name +
                           " is the largest with " + mebibytes(most.n_per_model * plan.n_model) + "; the limit is " +
                           mebibytes(max_memory_float) + ". Use a smaller batch, width, depth or vocabulary."};
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
  std::vector<ModelSpec> models;
  status_ = parse_specs(spec, models);
  if (status_.ok()) models_ = std::move(models);
  const ModelSpec& shared = models_.front();
  if (status_.ok()) status_ = make_dataset(data, data_);
  if (status_.ok()) status_ = check_dataset(data_, shared.n_ctx);
  if (!status_.ok()) return;
  const uint32_t n_vocab = shared.n_vocab ? shared.n_vocab : data_.n_symbol ? data_.n_symbol : 32;
  if (n_vocab < data_.n_symbol) {
    status_ = {"bad-spec", "n_vocab " + std::to_string(n_vocab) + " is smaller than the " +
                               std::to_string(data_.n_symbol) +
                               " symbols of the data; leave it 0 to take it from the data"};
    return;
  }
  if (kind == "block" && shared.n_layer == 0) {
    status_ = {"bad-spec", "n_layer must be at least 1 for blocks alone"};
    return;
  }
  Builder b({max_plan_float}, static_cast<uint32_t>(models_.size()));
  layout_ = kind == "model" ? build_transformer(b, shared, n_vocab) : build_blocks(b, shared);
  status_ = b.status();
  if (status_.ok()) plan_ = b.finish();
}

Machine::~Machine() { std::free(memory_); }

// The tensor's fill; what the seed of a model says of its parameters; and the seed itself, as two halves.
void Machine::write_initial_values(const Tensor& t, uint64_t first, uint64_t n, float* values) const {
  std::fill_n(values, n, t.fill);
  if (is_op() || t.n_per_model == 0) return;
  for (uint64_t i = first, end = first + n; i < end;) {
    const ModelSpec& spec = models_[i / t.n_per_model];
    const uint64_t at = i % t.n_per_model, n_of_model = std::min(t.n_per_model - at, end - i);
    float* to = values + (i - first);
    if (t.role == Role::parameter) normscope::initial_values(spec, t, at, n_of_model, to);
    const float halves[] = {static_cast<float>(spec.seed >> 16), static_cast<float>(spec.seed & 0xffff)};
    if (t.name == "seed") std::copy_n(halves + at, n_of_model, to);
    i += n_of_model;
  }
}

// Memory for the wanted tensors, in the order of the plan, so that all of them lie as the plan says.
float* Machine::hold(bool (*wanted)(const Tensor&)) {
  if (plan_.tensors.empty()) return nullptr;
  std::vector<uint64_t> at(plan_.tensors.size(), nowhere);
  uint64_t n_float = 0;
  for (TensorId id = 0; id < at.size(); ++id)
    if (wanted(plan_.tensors[id])) at[id] = n_float, n_float += aligned(plan_.tensors[id].n_per_model * plan_.n_model);
  status_ = n_float > max_memory_float ? too_large(plan_, n_float) : Status{};
  if (!status_.ok()) return nullptr;
  float* memory = static_cast<float*>(std::calloc(std::max<size_t>(static_cast<size_t>(n_float), 1), sizeof(float)));
  if (!memory) {
    status_ = {"out-of-memory", "the plan needs " + mebibytes(n_float) +
                                    " and the memory could not be had; use a smaller batch, width or depth"};
    return nullptr;
  }
  std::free(memory_);
  memory_ = memory, at_ = std::move(at);
  for (TensorId id = 0; id < at_.size(); ++id)
    if (at_[id] != nowhere) {
      const Tensor& t = plan_.tensors[id];
      write_initial_values(t, 0, t.n_per_model * plan_.n_model, memory_ + at_[id]);
    }
  return memory_;
}

float* Machine::allocate() {
  if (!whole_) whole_ = hold([](const Tensor&) { return true; }) != nullptr;
  return whole_ ? memory_ : nullptr;
}

float* Machine::allocate_inputs() {
  if (memory_) return memory_;
  return hold([](const Tensor& t) { return t.role == Role::input || t.name == "control"; });
}

float* Machine::tensor(std::string_view name) {
  const TensorId id = plan_.find(name);
  return memory_ && id != no_tensor && at_[id] != nowhere ? memory_ + at_[id] : nullptr;
}

const float* Machine::initial_values(TensorId id, uint64_t first, uint64_t n) {
  if (id >= plan_.tensors.size()) return nullptr;
  const Tensor& t = plan_.tensors[id];
  const uint64_t size = t.n_per_model * plan_.n_model;
  if (n > size || first > size - n) return nullptr;
  initial_.resize(n);
  write_initial_values(t, first, n, initial_.data());
  return initial_.data();
}

void Machine::run(Phase phase) {
  if (whole_) normscope::run(plan_, phase, memory_);
}

void Machine::begin_step(Split split) {
  float *tokens = tensor("tokens"), *targets = tensor("targets"), *hyper = tensor("hyper"),
        *control = tensor("control");
  if (!tokens || !targets || !hyper || !control || data_.kind.empty()) return;
  for (const ModelSpec& spec : models_) {
    const uint32_t step = static_cast<uint32_t>(control[0]);
    draw_batch(data_, spec.seed, split, step, spec.n_batch, spec.n_ctx, tokens, targets);
    const uint32_t n_total = spec.schedule == "cosine" ? spec.total_steps : 0;
    hyper[0] =
        static_cast<float>(scheduled_rate(step, spec.learning_rate, spec.final_learning_rate, spec.warmup, n_total));
    hyper[1] = static_cast<float>(spec.weight_decay);
    hyper[2] = static_cast<float>(spec.max_grad_norm);
    const size_t n_token = size_t{spec.n_batch} * spec.n_ctx;
    tokens += n_token, targets += n_token, hyper += 8, control += 8;
  }
}

std::string Machine::describe() const {
  uint64_t n_parameter = 0;
  for (const Tensor& t : plan_.tensors) n_parameter += t.role == Role::parameter ? t.n_per_model : 0;
  std::string models;
  for (const ModelSpec& spec : models_)
    models += (models.empty() ? "{" : ",{") + (is_op() ? std::string() : spec_json(spec)) + "}";
  return "{\"nFloat\":" + std::to_string(plan_.n_float) + ",\"nParameter\":" + std::to_string(n_parameter) + "," +
         plan_json(plan_) + ",\"dataset\":" + dataset_json(data_) + ",\"spec\":{" +
         (is_op() ? std::string() : spec_json(spec())) + "},\"models\":[" + models +
         "],\"observe\":" + observe_json(plan_, layout_) + "}";
}

}  // namespace normscope
