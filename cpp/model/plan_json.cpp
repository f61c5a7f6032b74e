#include "model/plan_json.h"

#include <charconv>
#include <span>

#include "model/text_lines.h"

namespace normscope {
namespace {

void put(std::string& out, std::string_view text) { out += text; }
void put(std::string& out, uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}
template <class... Parts>
void append(std::string& out, const Parts&... parts) {
  (put(out, parts), ...);
}

template <class List, class F>
void append_list(std::string& out, const List& list, F append_item) {
  char before = '[';
  for (const auto& item : list) {
    out += before;
    append_item(item);
    before = ',';
  }
  out += list.empty() ? "[]" : "]";
}

void append_tensor(std::string& out, const Plan& plan, const Tensor& t) {
  append(out, "{\"name\":", json_string(t.name), ",\"role\":\"", role_name(t.role), "\",\"shape\":");
  append_list(out, t.shape, [&](uint32_t extent) { put(out, extent); });
  append(out, ",\"nModel\":", plan.n_model, ",\"offset\":", t.offset, ",\"size\":", t.n_per_model * plan.n_model, "}");
}

void append_dispatch(std::string& out, const Dispatch& d) {
  const KernelInfo& info = kernel_info(d.kernel);
  const auto append_number = [&](uint32_t number) { put(out, number); };
  append(out, "{\"kernel\":\"", info.name, "\",\"operands\":");
  append_list(out, std::span(d.operand).first(info.n_operand), append_number);
  append(out, ",\"params\":");
  append_list(out, std::span(d.param).first(info.n_param_word), append_number);
  append(out, ",\"grid\":[", d.grid.n_row, ",", d.grid.n_col, ",", d.grid.n_model, "]}");
}

}  // namespace

std::string plan_json(const Plan& plan) {
  std::string out = "\"tensors\":";
  append_list(out, plan.tensors, [&](const Tensor& t) { append_tensor(out, plan, t); });
  for (int i = 0; i < n_phase; ++i) {
    const Phase phase = static_cast<Phase>(i);
    append(out, i == 0 ? ",\"phases\":{\"" : ",\"", phase_name(phase), "\":");
    append_list(out, plan[phase], [&](const Dispatch& d) { append_dispatch(out, d); });
  }
  return out + "}";
}

std::string observe_json(const Plan& plan, const ModelLayout& layout) {
  if (layout.row_width == 0) return "null";
  std::string out = "{\"ring\":\"ring\"";
  append(out, ",\"nRing\":", n_ring, ",\"rowWidth\":", layout.row_width, ",\"points\":");
  append_list(out, layout.points, [&](TensorId id) { put(out, json_string(plan.tensors[id].name)); });
  append(out, ",\"groups\":");
  append_list(out, layout.groups, [&](const std::string& name) { put(out, json_string(name)); });
  return out + "}";
}

}  // namespace normscope
