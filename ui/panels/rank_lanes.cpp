#include "ui/panels/rank_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "ui/widgets/colour_map.h"

namespace nns::panels {

using widgets::Rect;
using widgets::Type;
using widgets::Ui;

void draw_rank_lanes(Ui& ui, Rect& area, const live::wire::Ranks& ranks) {
  if (ranks.lanes()->size() == 0) return;
  std::uint64_t end = 1;
  for (const live::wire::RankLane* lane : *ranks.lanes()) end = std::max(end, lane->end_ns());
  const float bar = ui.px(14), head = ui.px(20), edge = ui.px(6);
  const auto count = static_cast<float>(ranks.lanes()->size());
  Rect lanes =
      area.cut_top(std::min(2 * edge + head + 3 * bar * count, std::round(area.height * 0.6F))).inset(ui.px(12), edge);
  const Rect title = lanes.cut_top(head);
  const float drawn = std::min(count, std::floor(lanes.height / (3 * bar)));
  const auto shown = static_cast<std::uint32_t>(drawn);
  const std::string which = shown < ranks.size() ? fmt::format("{} of {} ranks; ", shown, ranks.size()) : std::string();
  const double ms = static_cast<double>(end) / 1e6;
  const std::string turns = ranks.takes_turns() ? "; the ranks take turns on one thread" : "";
  // The longest that there is room for.
  const std::string told[] = {"forward, backward, and below these when each bucket was under way" + turns,
                              "forward, backward, buckets" + turns, "forward, backward, buckets"};
  std::string text;
  for (const std::string& one : told) {
    text = fmt::format("{:.4g} ms: {}{}", ms, which, one);
    if (ui.text_width(Type::Small, text) <= title.width) break;
  }
  ui.paint_line(title, Type::Small, ui.theme().muted, text);
  for (const live::wire::RankLane* lane : *ranks.lanes()) {
    if (lanes.height < 3 * bar) break;
    Rect place = lanes.cut_top(3 * bar);
    ui.paint_line(place.cut_left(ui.px(64)), Type::Small, ui.theme().text, fmt::format("rank {}", lane->rank()));
    const auto paint = [&](int row, std::uint64_t from, std::uint64_t to, std::size_t colour, const std::string& name) {
      if (to <= from) return;
      const auto at = [&](std::uint64_t ns) {
        return place.x + static_cast<float>(static_cast<double>(ns) / static_cast<double>(end)) * place.width;
      };
      const Rect box{at(from), place.y + bar * static_cast<float>(row), std::max(1.0F, at(to) - at(from)),
                     bar - ui.px(2)};
      ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()),
                              widgets::category_colour(colour, ui.theme().is_dark), ui.px(2));
      if (ui.is_hovered(box)) {
        ui.tooltip_at(box, fmt::format("{}: {:.3g} ms", name, static_cast<double>(to - from) / 1e6));
      }
    };
    paint(0, lane->forward_ns(), lane->backward_ns(), 0, "forward");
    paint(0, lane->backward_ns(), lane->end_ns(), 1, "backward");
    std::size_t number = 0;
    for (const live::wire::RankBucket* bucket : *lane->buckets()) {
      paint(1, bucket->launched_ns(), bucket->done_ns(), 2 + number % 2, fmt::format("bucket {}", number));
      ++number;
    }
  }
}

}  // namespace nns::panels
