// Results as JSON text: NaN is null, ±Infinity ±1e999 (which reads back as Infinity).
#pragma once
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "analysis/double_plan.h"
#include "model/text_lines.h"

namespace normscope::json {

inline std::string value(double number) {
  if (number != number) return "null";
  if (number - number != 0) return number > 0 ? "1e999" : "-1e999";
  return number_text(number);
}
inline std::string value(const std::string& text) { return json_string(text); }
inline std::string value(const char* text) { return json_string(text); }
inline std::string value(bool flag) { return flag ? "true" : "false"; }
inline std::string value(int number) { return std::to_string(number); }
inline std::string value(uint32_t number) { return std::to_string(number); }

// Text that is JSON already.
struct Raw {
  std::string text;
};
inline std::string value(const Raw& raw) { return raw.text; }

template <class T>
std::string value(const std::vector<T>& list) {
  std::string out;
  for (const auto& entry : list) out += (out.empty() ? "" : ",") + value(static_cast<T>(entry));
  return "[" + out + "]";
}
inline std::string value(const Vector& vector) {
  return value(std::vector<double>(vector.data(), vector.data() + vector.size()));
}
inline std::string value(const Matrix& matrix) {
  std::vector<Raw> rows;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back({value(Vector(matrix.row(i).transpose()))});
  return value(rows);
}

// A member of an object.
struct Member {
  template <class T>
  Member(const char* name, const T& content) : text(json_string(name) + ":" + value(content)) {}
  std::string text;
};
inline Raw object(std::initializer_list<Member> members) {
  std::string out;
  for (const Member& member : members) out += (out.empty() ? "" : ",") + member.text;
  return {"{" + out + "}"};
}

}  // namespace normscope::json
