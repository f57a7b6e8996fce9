#pragma once

#include <optional>

#include "ui/model/inspector.h"
#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

/// The object's __dict__ in order; entries of registries are indented below them. `line`: the one whose rule is
/// explained.
std::optional<Intent> draw_registries_panel(widgets::Ui& ui, widgets::Rect area, const model::ObjectView& object,
                                            widgets::RowListState& list, std::uint32_t& line);

}  // namespace nns::panels
