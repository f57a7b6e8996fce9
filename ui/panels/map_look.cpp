#include "ui/panels/map_look.h"

#include "ui/panels/row_look.h"
#include "ui/widgets/colour_map.h"

namespace nns::panels {

using widgets::Colour;

Colour map_entry_colour(const widgets::Theme& theme, model::TreemapColour colour,
                        const model::TreemapLegend::Entry& entry, std::size_t number) {
  if (colour == model::TreemapColour::Kind) {
    // Softened: what is one thin line elsewhere fills the screen here.
    return widgets::mix(theme.surface, kind_colour(theme, entry.kind), theme.is_dark ? 0.55F : 0.45F);
  }
  if (entry.shade >= 0) return widgets::colour_map_at(widgets::ColourMap::Sequential, theme.is_dark, entry.shade);
  return widgets::category_colour(entry.is_other ? widgets::kCategoryColours : number, theme.is_dark);
}

Colour map_group_colour(const widgets::Theme& theme, std::uint16_t depth) {
  // Two shades by turns, so that a group is seen inside its neighbour.
  return depth % 2 == 0 ? theme.raised : theme.track;
}

Colour map_ink_on(Colour colour) {
  const Colour white = widgets::rgb(0xFFFFFF);
  const Colour black = widgets::rgb(0);
  return widgets::contrast_ratio(colour, white) > widgets::contrast_ratio(colour, black) ? white : black;
}

std::string map_label(const live::DocumentView& document, const model::TreemapTile& tile) {
  if (tile.row == 0) return std::string(document.title());
  std::string label(document.name(tile.row));
  for (std::uint32_t row = tile.row; row != tile.outer;) {
    row = document.parent(row);
    label.insert(0, 1, '.').insert(0, document.name(row));
  }
  return label;
}

}  // namespace nns::panels
