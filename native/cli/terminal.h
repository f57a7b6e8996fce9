#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace nns::cli {

/// What a piece of output means; how it looks is the terminal's matter.
enum class Style : std::uint8_t { Plain, Title, Dim, Module, Parameter, Buffer, Value, Warning, Danger };

/// What the program may do with its outputs.
struct Terminal {
  bool colour = false;     ///< standard output is a terminal, and NO_COLOR is not set
  bool progress = false;   ///< standard error is a terminal
  int columns = 80;        ///< width of standard error
  int output_columns = 0;  ///< width of standard output; 0: it is no terminal, lines are as long as they are

  /// Asks the system.
  static Terminal detect();
  /// `text` in its colour, or as it is.
  std::string paint(Style style, std::string_view text) const;
};

/// `text` without anything that a terminal would obey: control characters and bytes that are no UTF-8 become "\x1b".
/// Names come from files that somebody else wrote.
std::string printable(std::string_view text);

/// Columns that `text` takes on a terminal: wide letters of East Asia count two, combining marks none.
std::size_t display_width(std::string_view text);

/// `text`, which may have colours, cut with "…" so that it takes at most `width` columns.
std::string cut_to_width(std::string_view text, std::size_t width);

/// Writes one line "nnscope: ..." to standard error.
void print_error(std::string_view message);

}  // namespace nns::cli
