#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nns::capture {

/// The text, or its beginning where it is long: one fact, guard or explanation.
std::string cut(std::string_view text);
/// The first line, which `text` loses.
std::string_view next_line(std::string_view& text);
std::string_view without_spaces(std::string_view text);

/// An entry of a traceback as Python writes it, the innermost last.
struct TracebackLine {
  std::string_view file;
  std::uint32_t line = 0;
  std::string_view function;  ///< empty: not known
  std::string_view code;      ///< likewise
};
/// Those of a text: 'File "model.py", line 12, in forward' and the line of code below.
std::vector<TracebackLine> read_traceback(std::string_view text);

}  // namespace nns::capture
