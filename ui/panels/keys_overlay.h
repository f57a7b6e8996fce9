#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ui/panels/intent.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct KeyLine {
  std::string_view group;
  std::string_view keys;
  std::string_view title;
};

/// Every key of the app, in a dialog. Escape closes it.
std::optional<Intent> draw_keys_overlay(widgets::Ui& ui, const widgets::Rect& area, std::span<const KeyLine> lines,
                                        widgets::ScrollState& scroll);

}  // namespace nns::panels
