#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct PaletteLine {
  std::uint32_t number = 0;
  std::string_view title;
  std::string_view keys;
};
struct PaletteState {
  std::string text;
  widgets::RowListState list;
  std::uint32_t cursor = 0;
  bool focus_text = true;
};

/// Whether the letters of `text` occur in `title` in that order (case ignored).
bool matches_fuzzily(std::string_view title, std::string_view text);

/// All commands in a dialog, narrowed down by typing. Up and Down choose, Enter runs, Escape closes.
std::optional<Intent> draw_command_palette(widgets::Ui& ui, const widgets::Rect& area,
                                           std::span<const PaletteLine> lines, PaletteState& state);

}  // namespace nns::panels
