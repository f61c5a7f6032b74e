#include "model/text_lines.h"

#include <cstdio>

namespace normscope {

std::string number_text(double value) {
  char text[40];
  for (int digits : {6, 9, 17}) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

std::string json_number(double value) { return value - value == 0 ? number_text(value) : "null"; }

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace normscope
