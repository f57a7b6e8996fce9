#pragma once

#include <cstddef>
#include <string>

#include "core/live/document_view.h"
#include "ui/model/treemap.h"
#include "ui/model/treemap_colours.h"
#include "ui/widgets/theme.h"

namespace nns::panels {

/// How a map looks, on the screen and in pictures.
widgets::Colour map_entry_colour(const widgets::Theme& theme, model::TreemapColour colour,
                                 const model::TreemapLegend::Entry& entry, std::size_t number);
widgets::Colour map_group_colour(const widgets::Theme& theme, std::uint16_t depth);
/// Black or white, whichever is read better on `colour`.
widgets::Colour map_ink_on(widgets::Colour colour);
/// "layers.0.attn" of a chain of groups, else the row's own name.
std::string map_label(const live::DocumentView& document, const model::TreemapTile& tile);

}  // namespace nns::panels
