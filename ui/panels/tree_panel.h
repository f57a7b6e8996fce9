#pragma once

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
  bool focus_tree = false;
};

/// The modules of a document: filter, column headers, virtualised rows.
std::optional<Intent> draw_tree_panel(widgets::Ui& ui, widgets::Rect area, const model::TreeModel& tree,
                                      TreePanelState& state);

}  // namespace nns::panels
