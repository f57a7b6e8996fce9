#include "ui/app/seen_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace nns::app {

void write_seen(model::Link& link, const widgets::HeatMapView& view) {
  if (view.is_fitted || view.seen_columns <= 0) return;
  // Rows and columns of the matrix, as a person would say them.
  link.set("seen", fmt::format("{:.0f},{:.0f},{:.0f},{:.0f}", view.top, view.left, std::max(1.0, view.seen_rows),
                               std::max(1.0, view.seen_columns)));
}

void read_seen(const model::Link& link, widgets::HeatMapView& view) {
  view = {};
  const std::string text(link.get("seen"));
  std::array<double, 4> numbers{};
  std::size_t count = 0;
  for (const char* at = text.c_str(); count < numbers.size() && *at != '\0'; ++count) {
    char* end = nullptr;
    numbers[count] = std::strtod(at, &end);
    if (end == at || !(numbers[count] >= 0 && numbers[count] < 1e15)) break;
    at = *end == ',' ? end + 1 : end;
  }
  if (count != numbers.size()) return;
  view.top = numbers[0];
  view.left = numbers[1];
  view.wanted_rows = numbers[2];
  view.wanted_columns = numbers[3];
}

}  // namespace nns::app
