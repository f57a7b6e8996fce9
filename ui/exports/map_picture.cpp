#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/exports/picture.h"
#include "ui/model/format.h"
#include "ui/panels/map_look.h"

namespace nns::exports {

namespace {

constexpr double kMapText = 12;
constexpr double kMapLegend = 28;
constexpr double kMapMargin = 4;

class MapPicture final : public Picture {
 public:
  MapPicture(std::shared_ptr<const live::DocumentView> document, const PictureLook& look)
      : document_(std::move(document)), look_(look) {
    if (look_.width <= 0 || look_.height <= 0) {
      look_.width = 1600;
      look_.height = 1000;
    }
  }

  bool prepare(const base::Budget&) override {
    map_.show(document_);
    map_.set_metric(look_.metric);
    map_.fit({static_cast<float>(look_.width), static_cast<float>(std::max(1.0, look_.height - kMapLegend)), 18, 2});
    legend_ = model::sort_tiles(map_, look_.colour, look_.numbers);
    return true;
  }

  double width() const override { return look_.width; }
  double height() const override { return look_.height; }
  std::uint32_t count() const override { return static_cast<std::uint32_t>(map_.tiles().size()) + 1; }
  widgets::Colour background() const override { return look_.theme->surface; }
  std::uint32_t first_at(double) const override { return 0; }

  std::uint32_t draw(Canvas& canvas, std::uint32_t item, double top, double bottom) const override {
    if (item == map_.tiles().size()) {
      if (look_.height - kMapLegend < bottom) draw_legend(canvas);
      return item + 1;
    }
    const model::TreemapTile& tile = map_.tiles()[item];
    const auto y = static_cast<double>(tile.y);
    const auto high = static_cast<double>(tile.height);
    // What is inside a group lies inside it.
    if (y >= bottom || y + high <= top) return tile.is_group ? tile.end : item + 1;
    const auto x = static_cast<double>(tile.x);
    const auto wide = static_cast<double>(tile.width);
    const std::uint8_t category = legend_.categories[item];
    const bool is_group = category == model::TreemapLegend::kGroup;
    const widgets::Colour colour =
        is_group ? panels::map_group_colour(*look_.theme, tile.depth)
                 : panels::map_entry_colour(*look_.theme, look_.colour, legend_.entries[category], category);
    const std::uint64_t weight = map_.weight(tile.row);
    const double line = !is_group && wide > 3 && high > 3 ? 1 : 0;
    canvas.fill(x, y, wide - line, high - line, colour, tip(tile, weight));
    const double room = wide - 2 * kMapMargin;
    if (room < 24 || (is_group ? tile.header <= 0 : high < kMapText + 4)) return item + 1;
    const std::string label = panels::map_label(*document_, tile);
    const std::string amount =
        look_.metric == model::TreemapMetric::Bytes ? model::short_bytes(weight) : model::short_count(weight);
    const widgets::Colour ink = is_group ? look_.theme->text : panels::map_ink_on(colour);
    const double label_wide = text_width(look_.fonts.regular, kMapText, label);
    const double amount_wide = text_width(look_.fonts.regular, kMapText, amount);
    // A label that does not fit is left out whole: an SVG has it in the title of its tile.
    if (label_wide <= room) put(canvas, x + kMapMargin, y + 2, label_wide, ink, label);
    if (is_group) {
      if (label_wide + amount_wide + 16 <= room)
        put(canvas, x + wide - kMapMargin - amount_wide, y + 2, amount_wide, look_.theme->muted, amount);
    } else if (high >= 2 * kMapText + 8 && amount_wide <= room) {
      put(canvas, x + kMapMargin, y + kMapText + 5, amount_wide, ink, amount);
    }
    return item + 1;
  }

 private:
  std::string tip(const model::TreemapTile& tile, std::uint64_t weight) const {
    const std::string path = tile.row == 0 ? std::string(document_->title()) : document_->path(tile.row);
    return fmt::format("{}: {} {}", path, model::thousands(weight),
                       look_.metric == model::TreemapMetric::Bytes ? "bytes" : "parameters");
  }

  void draw_legend(Canvas& canvas) const {
    double x = 8;
    const double y = look_.height - kMapLegend + 8;
    for (std::size_t i = 0; i < legend_.entries.size(); ++i) {
      const std::string text =
          fmt::format("{}  {}", legend_.entries[i].label, model::share_text(legend_.entries[i].weight, map_.weight(0)));
      const double wide = text_width(look_.fonts.regular, kMapText, text);
      canvas.fill(x, y, 12, 12, panels::map_entry_colour(*look_.theme, look_.colour, legend_.entries[i], i), {});
      put(canvas, x + 18, y - 1, wide, look_.theme->text, text);
      x += wide + 40;
    }
    const std::string title =
        fmt::format("{}  ·  {} parameters", document_->title(), model::thousands(document_->get().total_parameters()));
    const double wide = text_width(look_.fonts.regular, kMapText, title);
    if (x + wide + 8 <= look_.width) put(canvas, look_.width - 8 - wide, y - 1, wide, look_.theme->muted, title);
  }

  void put(Canvas& canvas, double x, double y, double wide, widgets::Colour colour, std::string_view text) const {
    canvas.text(x, y, kMapText, wide, look_.fonts.regular, colour, text);
  }

  std::shared_ptr<const live::DocumentView> document_;
  PictureLook look_;
  model::Treemap map_;
  model::TreemapLegend legend_;
};

}  // namespace

std::unique_ptr<Picture> make_map_picture(std::shared_ptr<const live::DocumentView> document, const PictureLook& look) {
  return std::make_unique<MapPicture>(std::move(document), look);
}

}  // namespace nns::exports
