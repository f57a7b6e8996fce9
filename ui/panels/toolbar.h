#pragma once

#include <optional>
#include <span>
#include <string>

#include "ui/panels/intent.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct ToolbarDocument {
  std::uint32_t id = 0;
  std::string title;
  std::string format;
  bool is_suspicious = false;
};
struct ToolbarModel {
  std::span<const ToolbarDocument> documents;
  std::uint32_t chosen = 0;  ///< document, 0 is the start screen
  ThemeChoice theme = ThemeChoice::System;
  int scale_percent = 100;
  bool can_go_back = false;
  bool can_go_forward = false;
  bool can_compare = false;  ///< there is something to compare the document with
};

/// Where it is narrow several documents have a line of tabs below the buttons.
/// Units: pixels
float toolbar_height(const widgets::Ui& ui, float width, std::size_t documents);
/// Open, the open documents as tabs, history, UI scale, theme, help.
std::optional<Intent> draw_toolbar(widgets::Ui& ui, widgets::Rect area, const ToolbarModel& model);

}  // namespace nns::panels
