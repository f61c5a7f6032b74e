#include "analysis/double_plan.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "cpu/run.h"

namespace normscope {
namespace {

size_t n_byte(const Plan& plan) { return static_cast<size_t>(std::max<uint64_t>(plan.n_float, 1)) * sizeof(double); }

bool is_parameter_gradient(const Plan& plan, const Tensor& t) {
  constexpr std::string_view suffix = ".grad";
  if (t.role != Role::gradient || t.name.size() <= suffix.size()) return false;
  const TensorId of = plan.find(std::string_view(t.name).substr(0, t.name.size() - suffix.size()));
  return of != no_tensor && plan.tensors[of].role == Role::parameter;
}

}  // namespace

void DoublePlan::Free::operator()(double* arena) const { std::free(arena); }

bool DoublePlan::fits(const Plan& plan) {
  if (plan.n_float > std::numeric_limits<size_t>::max() / (2 * sizeof(double))) return false;
  // volatile: else a compiler may drop an allocation that nobody uses and say that it went well.
  void* volatile trial = std::malloc(n_byte(plan));
  const bool had = trial != nullptr;
  std::free(trial);
  return had;
}

DoublePlan::DoublePlan(Plan plan) : plan_(std::move(plan)), arena_(static_cast<double*>(std::malloc(n_byte(plan_)))) {
  if (!arena_) std::abort();
  fill_arena(plan_, arena_.get());
}

void DoublePlan::run(Phase phase) { normscope::run(plan_, phase, arena_.get()); }

Eigen::Map<Vector> DoublePlan::values(TensorId id) {
  const Tensor& t = plan_.tensors[id];
  return {arena_.get() + t.offset, static_cast<Eigen::Index>(t.n_per_model)};
}
Eigen::Map<Vector> DoublePlan::values(std::string_view name) { return values(plan_.find(name)); }

Eigen::Map<Matrix> DoublePlan::rows(TensorId id) {
  const Tensor& t = plan_.tensors[id];
  const Eigen::Index n_col = t.shape.empty() ? 1 : t.shape.back();
  return {arena_.get() + t.offset, n_col ? static_cast<Eigen::Index>(t.n_per_model) / n_col : 0, n_col};
}
Eigen::Map<Matrix> DoublePlan::rows(std::string_view name) { return rows(plan_.find(name)); }

void DoublePlan::drop_parameter_gradients() {
  std::vector<Dispatch>& list = plan_.phases[static_cast<size_t>(Phase::backward)];
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const Dispatch& d) {
                              const KernelInfo& info = kernel_info(d.kernel);
                              for (uint32_t i = info.n_operand - info.n_output; i < info.n_operand; ++i)
                                if (!is_parameter_gradient(plan_, plan_.tensors[d.operand[i]])) return false;
                              return true;
                            }),
             list.end());
}

}  // namespace normscope
