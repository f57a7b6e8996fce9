#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/model/tree_rows.h"
#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

struct TreePanelState {
  widgets::RowListState list;
  std::string filter;  ///< as in the field
  bool focus_filter = false;
  bool is_beside = false;  ///< another document's tree is there, too: its name says whose it is
  bool focus_tree = false;
  /// What names and types need, in pixels, and how deep the rows are nested; of which document and at which scale.
  const live::DocumentView* measured = nullptr;
  float measured_scale = 0;
  float name_px = 0;
  float type_px = 0;
  std::uint32_t depth = 0;
};

/// The modules of a document: filter, column headers, virtualised rows.
std::optional<Intent> draw_tree_panel(widgets::Ui& ui, widgets::Rect area, const model::TreeModel& tree,
                                      TreePanelState& state);

}  // namespace nns::panels
