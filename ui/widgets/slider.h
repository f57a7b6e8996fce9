#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ui/widgets/ui.h"

namespace nns::widgets {

/// One of `count` whole numbers from 0 on: drag or click, arrow keys by one, PageUp and PageDown by a tenth, Home and
/// End. Gives the number that was chosen. People read numbers that begin with `first`. Must hold: value < count.
std::optional<std::uint64_t> index_slider(Ui& ui, const Rect& rect, std::string_view name, std::uint64_t value,
                                          std::uint64_t count, std::uint64_t first = 0);

}  // namespace nns::widgets
