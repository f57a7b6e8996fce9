#pragma once

#include "ui/model/summary.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

/// A document in numbers: totals, dtypes, files, metadata, notes.
void draw_summary_panel(widgets::Ui& ui, const widgets::Rect& area, const model::DocumentSummary& summary,
                        widgets::ScrollState& scroll, bool with_title);

}  // namespace nns::panels
