#include "ui/panels/map_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/model/format.h"
#include "ui/panels/map_look.h"
#include "ui/panels/row_look.h"
#include "ui/widgets/button.h"
#include "ui/widgets/colour_map.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessAction;
using host::AccessNode;
using host::Role;
using model::TreemapColour;
using model::TreemapLegend;
using model::TreemapMetric;
using model::TreemapTile;
using widgets::Colour;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

constexpr double kMostScale = 256;
constexpr double kMapZoomStep = 1.25;

std::string weight_text(const model::Treemap& map, std::uint64_t weight) {
  return map.metric() == TreemapMetric::Bytes ? model::short_bytes(weight) : model::short_count(weight);
}

std::string exact_text(const model::Treemap& map, std::uint64_t weight) {
  const bool is_bytes = map.metric() == TreemapMetric::Bytes;
  return model::thousands(weight).append(is_bytes ? " bytes" : weight == 1 ? " parameter" : " parameters");
}

std::string about(const MapPanelModel& panel, const TreemapTile& tile) {
  const model::Treemap& map = *panel.map;
  const live::DocumentView& document = *map.document();
  const std::string path = document.path(tile.row);
  const std::string type = type_text(document, tile.row);
  const std::uint64_t weight = map.weight(tile.row);
  std::string text = path.empty() ? std::string(document.title()) : path;
  if (!type.empty()) text.append("  \xC2\xB7  ").append(type);
  text.append("  \xC2\xB7  ").append(exact_text(map, weight));
  if (const std::string share = model::share_text(weight, map.weight(0)); !share.empty()) {
    text.append("  \xC2\xB7  ").append(share).append(" of all");
  }
  return text;
}

Colour entry_colour(const widgets::Theme& theme, const MapPanelModel& panel, std::size_t entry) {
  return map_entry_colour(theme, panel.colour, panel.legend->entries[entry], entry);
}

// ---------------------------------------------------------------- above and below the map

std::optional<Intent> draw_way(Ui& ui, Rect area, const model::Treemap& map) {
  std::optional<Intent> intent;
  const live::DocumentView& document = *map.document();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = map.root();; row = document.parent(row)) {
    rows.push_back(row);
    if (row == 0) break;
  }
  std::reverse(rows.begin(), rows.end());
  const auto name_of = [&](std::uint32_t row) { return std::string(row == 0 ? document.title() : document.name(row)); };
  const float gap = ui.px(16);
  const auto width_of = [&](std::uint32_t row) {
    return std::min(ui.px(160), std::ceil(ui.text_width(Type::Body, name_of(row)))) + gap;
  };
  // The root and what is nearest; what does not fit between them is left out.
  float used = width_of(rows.front()) + (rows.size() > 1 ? gap : 0);
  std::size_t first = rows.size();
  while (first > 1 && used + width_of(rows[first - 1]) <= area.width) used += width_of(rows[--first]);
  if (first == rows.size() && rows.size() > 1) --first;

  ui.open_group(ui.id("way"), area, Role::Navigation, "Where the map is");
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (at == 1 && first > 1) {
      ui.paint_line(area.cut_left(gap), Type::Body, ui.theme().muted, "\xE2\x80\xA6", 0.5F);
      at = first;
    }
    const std::string name = name_of(rows[at]);
    Rect part = area.cut_left(width_of(rows[at]));
    if (at + 1 < rows.size()) {
      paint_icon(ui, Icon::ChevronRight, part.cut_right(gap), ui.theme().muted, 12);
      ImGui::PushID(static_cast<int>(rows[at]));
      if (widgets::link(ui, part, name)) intent = ShowOnMap{rows[at]};
      ImGui::PopID();
    } else {
      ui.paint_line(part, Type::Strong, ui.theme().text, name);
      AccessNode node;
      node.role = Role::Text;
      node.name = name;
      ui.describe(ui.id("##here"), part, std::move(node));
    }
  }
  ui.close_group();
  return intent;
}

std::optional<Intent> draw_legend(Ui& ui, Rect area, const MapPanelModel& panel) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  const model::Treemap& map = *panel.map;
  const std::uint64_t whole = map.tiles().empty() ? 0 : map.weight(map.tiles().front().row);
  ui.open_group(ui.id("legend"), area, Role::List, "Colours");
  if (is_statistic(panel.colour) && !panel.has_statistics) {
    // Where statistics come from: their tab computes them, or says what that costs.
    const char* words = "Not all statistics are known: compute them (Alt+S)";
    ImGui::PushID("statistics");
    const float width = std::min(area.width, std::ceil(ui.text_width(Type::Small, words)));
    if (widgets::link(ui, area.cut_left(width), words, Type::Small)) intent = ChooseTab{InspectorTab::Statistics};
    ImGui::PopID();
    area.cut_left(ui.px(16));
  }
  for (std::size_t entry = 0; entry < panel.legend->entries.size(); ++entry) {
    const TreemapLegend::Entry& line = panel.legend->entries[entry];
    const std::string share = model::share_text(line.weight, whole);
    const std::string tip = fmt::format("{}: {}, {} {}", line.label, exact_text(map, line.weight),
                                        model::thousands(line.tiles), line.tiles == 1 ? "tensor" : "tensors");
    const float label_width = std::ceil(ui.text_width(Type::Small, line.label));
    const float share_width = std::ceil(ui.text_width(Type::Small, share));
    const float needed = ui.px(10 + 6 + 6 + 16) + label_width + share_width;
    if (needed > area.width && entry > 0) break;
    Rect part = area.cut_left(needed);
    ImGui::PushID(static_cast<int>(entry));
    AccessNode node;
    node.role = Role::ListItem;
    node.name = tip;
    ui.describe(ui.id("##entry"), part, std::move(node));
    ImGui::PopID();
    ui.tooltip_at(part, tip);
    const Rect swatch = part.cut_left(ui.px(10)).middle(ui.px(10));
    ui.draw().AddRectFilled(ImVec2(swatch.x, swatch.y), ImVec2(swatch.right(), swatch.bottom()),
                            entry_colour(theme, panel, entry), ui.px(2));
    part.cut_left(ui.px(6));
    ui.paint_line(part.cut_left(label_width), Type::Small, theme.text, line.label);
    part.cut_left(ui.px(6));
    ui.paint_line(part, Type::Small, theme.muted, share);
  }
  ui.close_group();
  return intent;
}

// ---------------------------------------------------------------- the map

class Map {
 public:
  Map(Ui& ui, const Rect& rect, const MapPanelModel& panel, MapPanelState& state)
      : ui_(ui), rect_(rect), panel_(panel), map_(*panel.map), state_(state), tiles_(map_.tiles()) {}

  std::optional<Intent> draw() {
    follow();
    AccessNode node;
    node.role = Role::Img;
    node.name = fmt::format("Map of {}, {} tiles", map_.metric() == TreemapMetric::Bytes ? "bytes" : "parameters",
                            model::thousands(tiles_.size()));
    const std::uint32_t chosen = map_.tile_of(panel_.selected);
    if (chosen != model::Treemap::kNoTile) node.value = about(panel_, tiles_[chosen]);
    const std::uint32_t id = ui_.id("##map");
    // Here these keys do more than press.
    const bool has_keys = ui_.access().focused() == id && !ui_.is_typing();
    const bool entered = has_keys && (ui_.take_key(ImGuiKey_Enter) || ui_.take_key(ImGuiKey_KeypadEnter));
    const bool spaced = has_keys && ui_.take_key(ImGuiKey_Space, 0, false);
    const widgets::Interaction what = ui_.control(id, rect_, std::move(node));
    handle_mouse(what);
    if (has_keys) handle_keys(chosen);
    if (entered) enter(chosen == model::Treemap::kNoTile ? 0 : chosen);
    if (spaced) show_all();
    clamp();
    send_tiles();
    const widgets::TileRenderer::View view{static_cast<float>(state_.scale),
                                           rect_.x - static_cast<float>(state_.left * state_.scale),
                                           rect_.y - static_cast<float>(state_.top * state_.scale)};
    panel_.renderer->paint(ui_, rect_, view);
    ui_.draw().PushClipRect(ImVec2(rect_.x, rect_.y), ImVec2(rect_.right(), rect_.bottom()), true);
    draw_labels();
    if (hovered_ != model::Treemap::kNoTile) outline(tiles_[hovered_], ui_.theme().text, 1);
    if (chosen != model::Treemap::kNoTile) outline(tiles_[chosen], ui_.theme().accent, 2);
    ui_.draw().PopClipRect();
    if (what.focus_visible) ui_.focus_ring(rect_, 0);
    return std::move(intent_);
  }

  /// The tile under the pointer, or else the chosen one.
  std::uint32_t told() const { return hovered_ != model::Treemap::kNoTile ? hovered_ : map_.tile_of(panel_.selected); }

 private:
  Rect on_screen(const TreemapTile& tile) const {
    return {rect_.x + static_cast<float>((static_cast<double>(tile.x) - state_.left) * state_.scale),
            rect_.y + static_cast<float>((static_cast<double>(tile.y) - state_.top) * state_.scale),
            static_cast<float>(static_cast<double>(tile.width) * state_.scale),
            static_cast<float>(static_cast<double>(tile.height) * state_.scale)};
  }

  void fit() {
    state_.scale = 1;
    state_.left = 0;
    state_.top = 0;
  }

  void clamp() {
    const auto width = static_cast<double>(rect_.width);
    const auto height = static_cast<double>(rect_.height);
    state_.left = std::clamp(state_.left, 0.0, std::max(0.0, width - width / state_.scale));
    state_.top = std::clamp(state_.top, 0.0, std::max(0.0, height - height / state_.scale));
  }

  void zoom(double factor, double x, double y) {
    const double at_x = state_.left + x / state_.scale;
    const double at_y = state_.top + y / state_.scale;
    state_.scale = std::clamp(state_.scale * factor, 1.0, kMostScale);
    state_.left = at_x - x / state_.scale;
    state_.top = at_y - y / state_.scale;
  }

  /// A new layout is seen whole; a choice made elsewhere comes into view.
  void follow() {
    if (state_.laid_out != map_.version()) {
      state_.laid_out = map_.version();
      fit();
    }
    if (state_.followed == panel_.selected) return;
    state_.followed = panel_.selected;
    const std::uint32_t chosen = map_.tile_of(panel_.selected);
    if (chosen == model::Treemap::kNoTile) {
      // It lies outside of what is shown: then all is shown again.
      if (panel_.selected < map_.document()->row_count() && map_.root() != 0) intent_ = ShowOnMap{0};
      return;
    }
    if (state_.scale > 1) show(tiles_[chosen]);
  }

  /// Moves the visible part so that `tile` is in it, with as little as possible.
  void show(const TreemapTile& tile) {
    const double seen_x = static_cast<double>(rect_.width) / state_.scale;
    const double seen_y = static_cast<double>(rect_.height) / state_.scale;
    const auto least = [](double now, double from, double size, double seen) {
      if (size >= seen) return from;
      return std::clamp(now, from + size - seen, from);
    };
    state_.left = least(state_.left, static_cast<double>(tile.x), static_cast<double>(tile.width), seen_x);
    state_.top = least(state_.top, static_cast<double>(tile.y), static_cast<double>(tile.height), seen_y);
  }

  /// Makes `tile` as large as the map.
  void fill(const TreemapTile& tile) {
    if (tile.width <= 0 || tile.height <= 0) return;
    const double factor = std::min(static_cast<double>(rect_.width) / static_cast<double>(tile.width),
                                   static_cast<double>(rect_.height) / static_cast<double>(tile.height));
    state_.scale = std::clamp(factor * 0.9, 1.0, kMostScale);
    state_.left = static_cast<double>(tile.x + tile.width / 2) - static_cast<double>(rect_.width) / state_.scale / 2;
    state_.top = static_cast<double>(tile.y + tile.height / 2) - static_cast<double>(rect_.height) / state_.scale / 2;
  }

  void handle_mouse(const widgets::Interaction& what) {
    const ImGuiIO& io = ImGui::GetIO();
    const auto x = static_cast<double>(io.MousePos.x - rect_.x);
    const auto y = static_cast<double>(io.MousePos.y - rect_.y);
    float wheel = ui_.take_wheel(rect_, true);
    if (wheel == 0 && what.focused) wheel = ui_.take_wheel(rect_, false);
    if (wheel != 0) zoom(std::pow(kMapZoomStep, static_cast<double>(wheel)), x, y);
    if (what.held && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
      state_.left -= static_cast<double>(io.MouseDelta.x) / state_.scale;
      state_.top -= static_cast<double>(io.MouseDelta.y) / state_.scale;
    }
    if (!what.hovered) return;
    hovered_ = map_.tile_at(static_cast<float>(state_.left + x / state_.scale),
                            static_cast<float>(state_.top + y / state_.scale));
    if (hovered_ == model::Treemap::kNoTile) return;
    const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);
    const bool was_dragged = dragged.x != 0 || dragged.y != 0;
    if (what.double_clicked) {
      enter(hovered_);
    } else if (what.clicked && !was_dragged) {
      choose(hovered_);
    }
  }

  void choose(std::uint32_t tile) {
    state_.followed = tiles_[tile].row;
    intent_ = SelectRow{tiles_[tile].row};
  }

  /// The group of `tile` fills the map.
  void enter(std::uint32_t tile) {
    while (!tiles_[tile].is_group && tiles_[tile].parent != model::Treemap::kNoTile) tile = tiles_[tile].parent;
    if (tile != 0) intent_ = ShowOnMap{tiles_[tile].row};
  }

  void handle_keys(std::uint32_t chosen) {
    const std::uint32_t from = chosen == model::Treemap::kNoTile ? 0 : chosen;
    const TreemapTile& tile = tiles_[from];
    std::uint32_t to = from;
    if (ui_.take_key(ImGuiKey_DownArrow) && from + 1 < tile.end) to = from + 1;
    if (ui_.take_key(ImGuiKey_UpArrow) && tile.parent != model::Treemap::kNoTile) to = tile.parent;
    if (tile.parent != model::Treemap::kNoTile) {
      const TreemapTile& around = tiles_[tile.parent];
      if (ui_.take_key(ImGuiKey_RightArrow) && tile.end < around.end) to = tile.end;
      if (ui_.take_key(ImGuiKey_LeftArrow)) to = sibling(from, [&](std::uint32_t next) { return next == from; });
      if (ui_.take_key(ImGuiKey_Home)) to = tile.parent + 1;
      if (ui_.take_key(ImGuiKey_End)) to = sibling(from, [&](std::uint32_t next) { return next == around.end; });
    }
    if (to != from || (chosen == model::Treemap::kNoTile && to != 0)) choose(to);
    if (ui_.take_key(ImGuiKey_PageUp) && map_.root() != 0) {
      intent_ = ShowOnMap{map_.document()->parent(map_.root())};
    }
    const Rect place = on_screen(tile);
    const double x = static_cast<double>(std::clamp(place.centre_x() - rect_.x, 0.0F, rect_.width));
    const double y = static_cast<double>(std::clamp(place.centre_y() - rect_.y, 0.0F, rect_.height));
    if (ui_.take_typed('+') || ui_.take_typed('=')) zoom(kMapZoomStep * kMapZoomStep, x, y);
    if (ui_.take_typed('-')) zoom(1 / (kMapZoomStep * kMapZoomStep), x, y);
    if (ui_.take_typed('f') || ui_.take_typed('F')) fill(tile);
    if (ui_.take_typed('0')) fit();
  }

  void show_all() {
    ui_.take_typed(' ');
    fit();
    if (map_.root() != 0) intent_ = ShowOnMap{0};
  }

  /// The sibling before the place where `is_past` says so; `from` itself if there is none.
  template <class IsPast>
  std::uint32_t sibling(std::uint32_t from, IsPast is_past) const {
    const std::uint32_t parent = tiles_[from].parent;
    std::uint32_t before = from;
    for (std::uint32_t next = parent + 1; next < tiles_[parent].end && !is_past(next); next = tiles_[next].end) {
      before = next;
    }
    return before;
  }

  void send_tiles() {
    // The theme changes colours, too.
    const std::uint64_t version = panel_.legend_version * 2 + (ui_.theme().is_dark ? 1 : 0);
    if (panel_.renderer->has(version)) return;
    std::array<Colour, TreemapLegend::kMost + 1> colours{};
    for (std::size_t entry = 0; entry < panel_.legend->entries.size(); ++entry) {
      colours[entry] = entry_colour(ui_.theme(), panel_, entry);
    }
    std::vector<widgets::TileRenderer::Tile> sent(tiles_.size());
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      const TreemapTile& tile = tiles_[i];
      const std::uint8_t category = panel_.legend->categories[i];
      sent[i] = {tile.x, tile.y, tile.width, tile.height,
                 category == TreemapLegend::kGroup ? map_group_colour(ui_.theme(), tile.depth) : colours[category]};
    }
    panel_.renderer->set_tiles(version, std::move(sent));
  }

  void outline(const TreemapTile& tile, Colour colour, float units) {
    const Rect place = on_screen(tile);
    // At least as large as its line, so that the smallest tile is found.
    const float least = ui_.px(6);
    const float grow_x = std::max(0.0F, (least - place.width) / 2);
    const float grow_y = std::max(0.0F, (least - place.height) / 2);
    ui_.draw().AddRect(ImVec2(place.x - grow_x, place.y - grow_y),
                       ImVec2(place.right() + grow_x, place.bottom() + grow_y), colour, 0, 0, ui_.px(units));
  }

  void draw_labels() {
    const float least_width = ui_.px(36);
    const float least_height = ui_.px(18);
    for (std::uint32_t i = 0; i < tiles_.size();) {
      const TreemapTile& tile = tiles_[i];
      const Rect place = on_screen(tile);
      const bool is_seen =
          place.x < rect_.right() && place.y < rect_.bottom() && place.right() > rect_.x && place.bottom() > rect_.y;
      if (!is_seen || place.width < least_width || place.height < least_height) {
        i = tile.end;
        continue;
      }
      draw_label(i, place);
      ++i;
    }
  }

  void draw_label(std::uint32_t number, const Rect& place) {
    const TreemapTile& tile = tiles_[number];
    const live::DocumentView& document = *map_.document();
    const std::string label = map_label(document, tile);
    const std::uint64_t weight = map_.weight(tile.row);
    ImGui::PushID(static_cast<int>(tile.row));
    AccessNode node;
    node.role = Role::Button;
    node.name = fmt::format("{}, {}", label, exact_text(map_, weight));
    node.description = about(panel_, tile);
    node.checked = map_.tile_of(panel_.selected) == number ? 1 : 0;
    const std::uint32_t index = ui_.describe(ui_.id("##tile"), cut_to(place), std::move(node));
    ImGui::PopID();
    if (ui_.access().take(ui_.access().at(index).id, AccessAction::Kind::Activate)) choose(number);
    if (tile.is_group) {
      if (tile.header <= 0) return;
      Rect header = place;
      header.height = static_cast<float>(static_cast<double>(tile.header) * state_.scale);
      // Of a group that is only partly seen the name stays in sight.
      header.x = std::max(header.x, rect_.x);
      header.width = std::min(place.right(), rect_.right()) - header.x;
      header = header.inset(ui_.px(4), 0);
      const std::string text = weight_text(map_, weight);
      const float text_width = ui_.text_width(Type::Small, text);
      if (header.width > text_width + ui_.px(72)) {
        ui_.paint_line(header.cut_right(text_width), Type::Small, ui_.theme().muted, text, 1);
        header.cut_right(ui_.px(8));
      }
      ui_.paint_line(header, Type::Small, ui_.theme().text, label);
      return;
    }
    const std::uint8_t category = panel_.legend->categories[number];
    const Colour ink = map_ink_on(entry_colour(ui_.theme(), panel_, category));
    Rect inside = cut_to(place).inset(ui_.px(4), ui_.px(2));
    if (inside.width < ui_.px(28) || inside.height < ui_.px(14)) return;
    const float line = ui_.line_height(Type::Small);
    ui_.paint_line(inside.cut_top(std::min(line, inside.height)), Type::Small, ink, label);
    if (inside.height >= line) ui_.paint_line(inside.cut_top(line), Type::Small, ink, weight_text(map_, weight));
    if (inside.height >= line && inside.width >= ui_.px(72)) {
      ui_.paint_line(inside.cut_top(line), Type::Small, ink, type_text(document, tile.row));
    }
  }

  Rect cut_to(const Rect& place) const {
    const float x = std::max(place.x, rect_.x);
    const float y = std::max(place.y, rect_.y);
    return {x, y, std::max(0.0F, std::min(place.right(), rect_.right()) - x),
            std::max(0.0F, std::min(place.bottom(), rect_.bottom()) - y)};
  }

  Ui& ui_;
  Rect rect_;
  const MapPanelModel& panel_;
  const model::Treemap& map_;
  MapPanelState& state_;
  std::span<const TreemapTile> tiles_;
  std::uint32_t hovered_ = model::Treemap::kNoTile;
  std::optional<Intent> intent_;
};

}  // namespace

std::optional<Intent> draw_map_panel(Ui& ui, Rect area, const MapPanelModel& model, MapPanelState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  area = area.inset(ui.px(12), ui.px(4));
  Rect top = area.cut_top(ui.px(32));
  const std::initializer_list<std::string_view> metric_names = {"Parameters", "Bytes"};
  const std::initializer_list<std::string_view> colour_names = {"Kind", "Type", "Class", "Std", "Zeros", "|Max|"};
  // Where one line has no room for all the colours have another one.
  const float metrics_width = std::min(top.width, widgets::segmented_width(ui, metric_names));
  const float colours_width = std::min(area.width, widgets::segmented_width(ui, colour_names));
  const bool has_one_line = top.width >= metrics_width + colours_width + ui.px(24 + 160);
  const Rect colours = has_one_line ? top.cut_right(colours_width) : area.cut_top(ui.px(32)).cut_left(colours_width);
  if (has_one_line) top.cut_right(ui.px(12));
  const Rect metrics = top.cut_right(metrics_width);
  top.cut_right(ui.px(12));
  keep(draw_way(ui, top, *model.map));
  const float height = ui.px(28);
  const auto metric = static_cast<std::size_t>(model.map->metric());
  if (const auto chosen = widgets::segmented(ui, metrics.middle(height), "Area", metric_names, metric)) {
    intent = SetMapMetric{static_cast<TreemapMetric>(*chosen)};
  }
  const auto colour = static_cast<std::size_t>(model.colour);
  if (const auto chosen = widgets::segmented(ui, colours.middle(height), "Colour", colour_names, colour)) {
    intent = SetMapColour{static_cast<TreemapColour>(*chosen)};
  }
  area.cut_top(ui.px(4));
  const Rect told = area.cut_bottom(ui.px(24));
  const Rect legend = area.cut_bottom(ui.px(24));
  area.cut_bottom(ui.px(4));
  state.wanted = {std::floor(area.width), std::floor(area.height), ui.px(18), ui.px(2)};
  if (model.map->tiles().empty()) {
    widgets::Flow flow(ui, area);
    const bool is_bytes = model.map->metric() == TreemapMetric::Bytes;
    if (model.map->weight(0) == 0) {
      flow.empty_state(
          Icon::Layers, is_bytes ? "No tensor bytes" : "No parameters",
          is_bytes ? "Nothing in this document takes room." : "Choose Bytes to see buffers and other tensors.");
    } else {
      ui.request_frame();  // the room is known from now on
    }
    return intent;
  }
  Map map(ui, area, model, state);
  keep(map.draw());
  keep(draw_legend(ui, legend, model));
  const std::uint32_t tile = map.told();
  if (tile != model::Treemap::kNoTile) {
    const std::string text = about(model, model.map->tiles()[tile]);
    if (ui.paint_line(told, Type::Small, ui.theme().muted, text)) ui.tooltip_at(told, text);
  }
  return intent;
}

}  // namespace nns::panels
