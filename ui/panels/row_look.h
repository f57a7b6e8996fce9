#pragma once

#include <string>

#include "core/live/document_view.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/theme.h"

namespace nns::panels {

/// How a kind of row looks and what it is called, everywhere.
widgets::Icon kind_icon(live::RowKind kind);
widgets::Colour kind_colour(const widgets::Theme& theme, live::RowKind kind);
const char* kind_text(live::RowKind kind);

/// "Linear", "≈ Linear" if inferred; of a tensor "float32  4,096 × 11,008"; of a value its repr.
std::string type_text(const live::DocumentView& document, std::uint32_t row);

}  // namespace nns::panels
