#pragma once

#include <string_view>

#include "ui/widgets/flow.h"

namespace nns::widgets {

/// Words that wrap, with `code` between backquotes in the typeface of code.
void prose(Flow& flow, std::string_view text);

/// One such line in the vertical middle of `rect`, cut at its end if it is too long; true if it was cut. No node in the
/// access tree.
bool paint_prose_line(const Ui& ui, const Rect& rect, Colour colour, std::string_view text);

}  // namespace nns::widgets
