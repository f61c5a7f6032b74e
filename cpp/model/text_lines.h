// "key value" lines and numbers in them, read strictly.
#pragma once
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace normscope {

inline std::vector<std::pair<std::string, std::string>> key_value_lines(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const size_t space = line.find(' ');
    if (!line.empty())
      lines.emplace_back(line.substr(0, space),
                         space == std::string_view::npos ? std::string_view{} : line.substr(space + 1));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// The whole text must be one number.
inline bool read_number(const std::string& text, double& value) {
  if (text.empty() || text[0] == ' ') return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return *end == '\0';
}

// Shortest of %.6g, %.9g, %.17g that reads back the same.
std::string number_text(double value);
// For JSON: NaN and infinities become null.
std::string json_number(double value);
std::string json_string(std::string_view text);

}  // namespace normscope
