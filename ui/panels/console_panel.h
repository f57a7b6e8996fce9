#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model/console_lines.h"
#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

/// What a program wrote, and a place to type to it.
struct ConsolePanelModel {
  const std::vector<model::ConsoleLine>* lines = nullptr;
  bool is_running = false;
  bool is_held = false;  ///< it stands still until it is let go
  /// Names that what is typed may become.
  const std::vector<std::string>* completions = nullptr;
};
struct ConsolePanelState {
  widgets::RowListState list;
  std::uint32_t line = UINT32_MAX;  ///< the chosen one
  std::uint32_t columns = 80;       ///< letters that fit: what the lines are to be made for
  bool follows_end = true;          ///< the newest line is seen
  std::string typed;
  bool typed_changed = false;  ///< not by the person
  bool take_focus = false;
  std::vector<std::string> history;
  std::size_t in_history = 0;  ///< history.size(): what is typed is new
};

std::optional<Intent> draw_console_panel(widgets::Ui& ui, widgets::Rect area, const ConsolePanelModel& model,
                                         ConsolePanelState& state);

}  // namespace nns::panels
