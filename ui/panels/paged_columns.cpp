#include "ui/panels/paged_columns.h"

#include <algorithm>
#include <numeric>

#include "ui/widgets/button.h"

namespace nns::panels {

using widgets::Icon;
using widgets::Rect;
using widgets::Ui;

float PagedColumns::total() const {
  return name + std::accumulate(widths.begin() + static_cast<std::ptrdiff_t>(first),
                                widths.begin() + static_cast<std::ptrdiff_t>(end), 0.0F);
}

PagedColumns page_columns(const Ui& ui, float width, float least_name, std::span<const float> widths,
                          std::uint32_t& first) {
  PagedColumns columns;
  for (const float one : widths) columns.widths.push_back(ui.px(one));
  const float room = std::max(0.0F, width - ui.px(least_name));
  // The page that begins as far behind as leaves no gap at the end.
  std::size_t last_page = columns.widths.size() - 1;
  for (float used = columns.widths[last_page]; last_page > 0; --last_page) {
    used += columns.widths[last_page - 1];
    if (used > room) break;
  }
  first = std::min(first, static_cast<std::uint32_t>(last_page));
  columns.first = columns.end = first;
  float used = 0;
  while (columns.end < columns.widths.size()) {
    if (columns.end > columns.first && used + columns.widths[columns.end] > room) break;
    used += columns.widths[columns.end++];
  }
  columns.name = std::max(0.0F, width - used);
  return columns;
}

bool draw_column_pager(Ui& ui, Rect& line, const PagedColumns& columns, std::uint32_t& first) {
  if (columns.shows_all()) return false;
  const std::uint32_t before = first;
  const Rect right = line.cut_right(ui.px(28));
  const Rect left = line.cut_right(ui.px(28));
  if (widgets::icon_button(ui, left, Icon::ArrowLeft, "Columns before", {}, columns.first == 0)) --first;
  const bool is_last = columns.end == columns.widths.size();
  if (widgets::icon_button(ui, right, Icon::ArrowRight, "Columns behind", {}, is_last)) ++first;
  line.cut_right(ui.px(8));
  return first != before;
}

}  // namespace nns::panels
