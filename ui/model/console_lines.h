#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/console_view.h"

namespace nns::model {

/// A line of a console as it is drawn: a line of what was written, or a part of one that is too long.
struct ConsoleLine {
  live::wire::OutputKind kind = live::wire::OutputKind::Out;
  bool is_continued = false;  ///< the line before ends here
  std::string text;           ///< without its end; what was typed begins with ">>> " or "... "
};

/// The lines of `view` in `columns` letters of equal width. Tabs end at every eighth column; other control characters
/// and the escapes that colour a terminal are left out. The first line says how much is not kept, if any.
/// Cost: one walk over the text.
std::vector<ConsoleLine> console_lines(const live::ConsoleView& view, std::uint32_t columns);

/// All of it as text, for the clipboard.
std::string console_text(const live::ConsoleView& view);

}  // namespace nns::model
