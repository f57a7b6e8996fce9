#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

struct ChoiceLine {
  std::string label;
  std::string hint;  ///< to the right, quiet
};
struct ChoiceState {
  widgets::RowListState list;
  std::uint32_t cursor = 0;
  bool take_focus = true;
};

/// A few lines over everything else, of which one is chosen with Enter or a click: Choose{its index}, or HideChoice.
std::optional<Intent> draw_choice_dialog(widgets::Ui& ui, const widgets::Rect& area, std::string_view title,
                                         std::span<const ChoiceLine> lines, ChoiceState& state);

}  // namespace nns::panels
