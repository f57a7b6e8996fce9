#include "ui/model/traceback.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace nns::model {

std::vector<text::SourceProblem> traceback_problems(const live::ConsoleView& console, std::string_view file,
                                                    const text::TextBuffer& buffer) {
  std::string told;
  for (const auto& piece : console.pieces()) {
    if (piece.kind == live::wire::OutputKind::Error) told += piece.text;
  }
  const std::size_t begin = told.rfind("Traceback (most recent call last):");
  if (begin == std::string::npos) return {};
  const std::string place = fmt::format("File \"{}\", line ", file);
  std::string_view rest = std::string_view(told).substr(begin);
  std::uint32_t line = 0;
  std::string message;
  bool is_first = true;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    const std::size_t at = one.find(place);
    if (at != std::string_view::npos && one.starts_with("  ")) {
      line = static_cast<std::uint32_t>(std::strtoul(std::string(one.substr(at + place.size())).c_str(), nullptr, 10));
    } else if (!is_first && !one.empty() && !one.starts_with(' ')) {
      message = one;
      break;
    }
    is_first = false;
  }
  if (line == 0 || line > buffer.line_count() || message.empty()) return {};
  const std::string_view source = buffer.line(line - 1);
  const std::size_t first = std::min(source.find_first_not_of(" \t"), source.size());
  const text::TextRange range{{line - 1, static_cast<std::uint32_t>(first)},
                              {line - 1, static_cast<std::uint32_t>(source.size())}};
  return {{range, text::Severity::Error, message}};
}

}  // namespace nns::model
