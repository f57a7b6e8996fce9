#pragma once

#include <string_view>
#include <vector>

#include "core/live/console_view.h"
#include "ui/text/source_looks.h"

namespace nns::model {

/// The line of `file` at which an uncaught exception ended the program, as the last traceback tells it, with the
/// exception's own words; empty if there is no traceback, or none that names the file.
std::vector<text::SourceProblem> traceback_problems(const live::ConsoleView& console, std::string_view file,
                                                    const text::TextBuffer& buffer);

}  // namespace nns::model
