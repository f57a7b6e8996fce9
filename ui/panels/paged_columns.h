#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ui/widgets/ui.h"

namespace nns::panels {

/// The columns of a table behind its first one, of which so many are shown as fit. Units: pixels.
struct PagedColumns {
  std::size_t first = 0;
  std::size_t end = 0;  ///< behind the last that is shown
  float name = 0;       ///< the first column takes what is over
  std::vector<float> widths;

  bool shows_all() const { return first == 0 && end == widths.size(); }
  float total() const;
};

/// Of columns that are so wide (design units) those from `first` on that fit `width` beside a name of `least_name`
/// (design units); `first` is moved back where that leaves a gap. At least one is shown.
PagedColumns page_columns(const widgets::Ui& ui, float width, float least_name, std::span<const float> widths,
                          std::uint32_t& first);

/// Two buttons at the right end of `line`, which is cut, that lead to the columns that do not fit. True: one was
/// pressed, and `first` has changed. Draws nothing where all fit.
bool draw_column_pager(widgets::Ui& ui, widgets::Rect& line, const PagedColumns& columns, std::uint32_t& first);

}  // namespace nns::panels
