#include "plan/fuse.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace normscope {
namespace {

struct Fusion {
  Kernel norm, fused;
};
constexpr Fusion fusions[] = {
    {Kernel::layernorm_forward, Kernel::residual_layernorm_forward},
    {Kernel::rmsnorm_forward, Kernel::residual_rmsnorm_forward},
};

template <class Params>
Params params_of(const Dispatch& dispatch) {
  Params params;
  std::memcpy(&params, dispatch.param.data(), sizeof params);
  return params;
}

// { skip, branch, gamma (, beta), sum, y, stats } of { skip, branch, sum } and { sum, gamma (, beta), y, stats }.
Dispatch joined(Kernel kernel, const Dispatch& add, const Dispatch& norm) {
  const auto r = params_of<ResidualParams>(add);
  const auto p = params_of<NormParams>(norm);
  const ResidualNormParams params{p.n_row, p.d, p.eps, r.alpha, r.dt, 0};
  Dispatch both{kernel, {}, {}, {p.n_row, p.d, norm.grid.n_model}};
  std::memcpy(both.param.data(), &params, sizeof params);
  const auto gains = norm.operand.begin() + 1, results = norm.operand.begin() + kernel_info(norm.kernel).n_operand - 2;
  auto to = std::copy_n(add.operand.begin(), 2, both.operand.begin());
  to = std::copy(gains, results, to);
  *to++ = add.operand[2];
  std::copy_n(results, 2, to);
  return both;
}

bool binds_everything_once(const Dispatch& dispatch) {
  const uint32_t n = kernel_info(dispatch.kernel).n_operand;
  return std::set<TensorId>(dispatch.operand.begin(), dispatch.operand.begin() + n).size() == n;
}

// Makes `add` the fused dispatch, where the two can be joined.
bool join(Dispatch& add, const Dispatch& norm) {
  const auto* found = std::find_if(std::begin(fusions), std::end(fusions),
                                   [&](const Fusion& fusion) { return fusion.norm == norm.kernel; });
  if (found == std::end(fusions) || add.kernel != Kernel::residual_add || norm.operand[0] != add.operand[2])
    return false;
  const auto r = params_of<ResidualParams>(add);
  const auto p = params_of<NormParams>(norm);
  const Dispatch both = joined(found->fused, add, norm);
  if (r.accumulate || p.accumulate || r.n != uint64_t{p.n_row} * p.d || !binds_everything_once(both)) return false;
  add = both;
  return true;
}

}  // namespace

Plan with_fused_norms(Plan plan) {
  for (const Phase phase : {Phase::forward, Phase::evaluate}) {
    std::vector<Dispatch> list;
    for (const Dispatch& dispatch : plan[phase])
      if (list.empty() || !join(list.back(), dispatch)) list.push_back(dispatch);
    plan.phases[static_cast<size_t>(phase)] = std::move(list);
  }
  return plan;
}

}  // namespace normscope
