#include "core/base/quoted_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/base/utf8.h"

namespace nns::base {

std::string quoted_text(std::string_view text, bool (*is_printable)(char32_t)) {
  const char quote = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const auto [value, size] = code_point_at(text, at);
    const auto point = static_cast<std::uint32_t>(value);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_printable(value)) {
      out += text.substr(at, size);
    } else {
      out += point < 0x100     ? fmt::format("\\x{:02x}", point)
             : point < 0x10000 ? fmt::format("\\u{:04x}", point)
                               : fmt::format("\\U{:08x}", point);
    }
    at += size;
  }
  return out + quote;
}

}  // namespace nns::base
