#pragma once

#include <optional>

#include "ui/model/summary.h"
#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

/// Every global that the file's pickles name, suspicious ones first, with verdict, opcode and offset. Enter on one
/// searches for the objects of that class.
std::optional<Intent> draw_safety_panel(widgets::Ui& ui, widgets::Rect area, const model::SafetySummary& safety,
                                        widgets::RowListState& list, std::uint32_t& line);

}  // namespace nns::panels
