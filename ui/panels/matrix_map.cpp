#include "ui/panels/matrix_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/model/format.h"
#include "ui/widgets/button.h"

namespace nns::panels {
namespace {

widgets::HeatMapTile tile_of(const live::wire::HeatTile& tile, std::uint64_t version) {
  widgets::HeatMapTile made;
  made.version = version;
  made.row_begin = tile.row_begin();
  made.row_end = tile.row_end();
  made.column_begin = tile.column_begin();
  made.column_end = tile.column_end();
  made.width = tile.width();
  made.height = tile.height();
  made.values = {tile.mean()->data(), tile.mean()->size()};
  return made;
}

}  // namespace

widgets::HeatMapRenderer::Look heat_look(const widgets::Theme& theme, const model::ValueRange& range) {
  widgets::HeatMapRenderer::Look look;
  look.map = model::is_around_zero(range) ? widgets::ColourMap::Diverging : widgets::ColourMap::Sequential;
  look.is_dark = theme.is_dark;
  look.low = static_cast<float>(range.low);
  look.high = static_cast<float>(range.high);
  look.nan = widgets::rgb(0xE0218A);
  look.infinite = widgets::rgb(0x2ECC71);
  look.grid = widgets::with_alpha(theme.background, 0.35F);
  return look;
}

std::vector<widgets::ScaleMark> quantile_marks(const live::wire::TensorStatistics& numbers) {
  std::vector<widgets::ScaleMark> marks;
  for (std::uint32_t i = 0; i < numbers.quantile_at()->size() && i < numbers.quantiles()->size(); ++i) {
    const double at = numbers.quantile_at()->Get(i);
    marks.push_back({numbers.quantiles()->Get(i), fmt::format("{:g} %", at * 100), at == 0.5});
  }
  return marks;
}

MatrixMap::MatrixMap(const MatrixTiles& tiles) {
  if (tiles.overview != nullptr) {
    overview_ = tile_of(*tiles.overview, tiles.overview_version);
    spec_.overview = &overview_;
    is_sampled_ = tiles.overview->sampled();
  }
  if (tiles.detail != nullptr) {
    detail_ = tile_of(*tiles.detail, tiles.detail_version);
    spec_.detail = &detail_;
  }
  spec_.format = &model::value_text;
}

widgets::HeatMapWanted MatrixMap::draw(widgets::Flow& flow, widgets::HeatMapRenderer& renderer,
                                       widgets::HeatMapView& view) const {
  widgets::Ui& ui = flow.ui();
  const float wished = static_cast<float>(std::min<std::uint64_t>(spec_.rows, 10'000)) * ui.px(24);
  const widgets::Rect map = flow.take_px(std::clamp(wished, ui.px(28), ui.px(320)));
  const widgets::HeatMapWanted wanted = heat_map(ui, map, renderer, view, spec_);
  if (spec_.overview == nullptr) {
    ui.paint_line(map.inset(ui.px(12), 0), widgets::Type::Small, ui.theme().muted, "Reading values\xE2\x80\xA6", 0.5F);
  } else if (is_sampled_) {
    widgets::progress_bar(ui, {map.x, map.bottom() - ui.px(3), map.width, ui.px(3)}, "Reading all values", -1);
  }
  flow.space(8);
  colour_scale(ui, flow.take(32), spec_.look, &model::value_text, marks_);
  return wanted;
}

}  // namespace nns::panels
