#pragma once

#include <optional>

#include "ui/model/inspector.h"
#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

/// Every hook list of the object in firing order, with id and kind. Enter on one leads to the table that holds it.
std::optional<Intent> draw_hooks_panel(widgets::Ui& ui, const widgets::Rect& area, const model::ObjectView& object,
                                       widgets::RowListState& list, std::uint32_t& line);

}  // namespace nns::panels
