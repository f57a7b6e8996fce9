#include "ui/widgets/tabs.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <vector>

#include "ui/widgets/icon.h"

namespace nns::widgets {

using host::AccessNode;
using host::Role;

namespace {

constexpr Type kType = Type::Body;

float natural_width(const Ui& ui, const TabSpec& spec, float margin) {
  float width = std::ceil(ui.text_width(Type::Strong, spec.label)) + 2 * margin;
  if (!spec.badge.empty()) width += std::ceil(ui.text_width(Type::Small, spec.badge)) + ui.px(16);
  if (spec.closable) width += ui.px(20);
  return width;
}

/// How the tabs share the width of their row. Units: pixels.
struct Widths {
  float margin = 0;
  float most = FLT_MAX;  ///< a longer tab is cut to this
};

Widths share_width(const Ui& ui, std::span<const TabSpec> specs, float width) {
  Widths shared{.margin = ui.px(12)};
  const auto total = [&] {
    float sum = 0;
    for (const TabSpec& spec : specs) sum += std::min(shared.most, natural_width(ui, spec, shared.margin));
    return sum;
  };
  if (total() > width) shared.margin = ui.px(7);
  if (total() <= width) return shared;
  float low = 0;
  float high = width;
  while (high - low > 0.5F) {
    shared.most = (low + high) / 2;
    (total() > width ? high : low) = shared.most;
  }
  // Those that are cut to a few letters tell nothing: then rather fewer of them are seen. A cross takes its part.
  const bool has_crosses = std::any_of(specs.begin(), specs.end(), [](const TabSpec& spec) { return spec.closable; });
  shared.most = std::max(low, ui.px(has_crosses ? 104 : 72));
  return shared;
}

float width_of(const Ui& ui, const TabSpec& spec, const Widths& shared) {
  return std::floor(std::min(shared.most, natural_width(ui, spec, shared.margin)));
}

/// Where the first tab begins. Tabs that do not fit even when cut lie outside, left and right of those around the
/// chosen one.
float first_x(const Ui& ui, std::span<const TabSpec> specs, const Widths& shared, const Rect& rect,
              std::size_t chosen) {
  float total = 0;
  float centre = 0;
  for (std::size_t index = 0; index < specs.size(); ++index) {
    const float width = width_of(ui, specs[index], shared);
    if (index == chosen) centre = total + width / 2;
    total += width;
  }
  return rect.x - std::floor(std::clamp(centre - rect.width / 2, 0.0F, std::max(0.0F, total - rect.width)));
}

void paint_tab(Ui& ui, const Rect& rect, const TabSpec& spec, float margin, bool is_chosen, bool hovered) {
  const Theme& theme = ui.theme();
  const Rect box = rect.inset(ui.px(1), ui.px(4));
  if (is_chosen || hovered) {
    ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()),
                            is_chosen ? theme.selection : theme.hover, ui.px(6));
  }
  Rect inside = rect.inset(margin, 0);
  if (spec.closable) inside.cut_right(ui.px(16));
  if (!spec.badge.empty()) {
    const float width = std::ceil(ui.text_width(Type::Small, spec.badge)) + ui.px(10);
    const Rect badge = inside.cut_right(width);
    const Colour colour = spec.badge_colour != 0 ? spec.badge_colour : theme.muted;
    ui.paint_line(badge, Type::Small, colour, spec.badge, 1);
    inside.cut_right(ui.px(4));
  }
  ui.paint_line(inside, is_chosen ? Type::Strong : kType, is_chosen ? theme.text : theme.muted, spec.label);
}

/// At an end of the row behind which there are more tabs: they fade, and an arrow says where they are.
void paint_more(Ui& ui, const Rect& rect, bool is_left) {
  const Colour solid = ui.theme().surface;
  const Colour clear = with_alpha(solid, 0);
  const Colour left = is_left ? solid : clear;
  const Colour right = is_left ? clear : solid;
  ui.draw().AddRectFilledMultiColor(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), left, right, right,
                                    left);
  Rect sign = rect;
  sign.width = ui.px(10);
  if (!is_left) sign.x = rect.right() - sign.width;
  paint_icon(ui, is_left ? Icon::ChevronLeft : Icon::ChevronRight, sign, ui.theme().muted, 12);
}

/// True if it was clicked.
bool draw_cross(Ui& ui, const Rect& rect, const TabSpec& spec, std::size_t index, bool is_chosen, bool tab_hovered) {
  AccessNode node;
  node.role = Role::Button;
  node.name = std::string("Close ").append(spec.label);
  ImGui::PushID(static_cast<int>(index));
  const Interaction what = ui.control(ui.id("##close"), rect, std::move(node), is_chosen);
  ImGui::PopID();
  if (is_chosen || tab_hovered || what.hovered || what.focused) {
    paint_icon(ui, Icon::Close, rect, what.hovered ? ui.theme().text : ui.theme().muted, 12);
  }
  if (what.focus_visible) ui.focus_ring(rect.middle(ui.px(20)), ui.px(4));
  return what.clicked;
}

}  // namespace

TabsResult tabs(Ui& ui, const Rect& rect, std::string_view name, std::span<const TabSpec> specs, std::size_t chosen) {
  TabsResult result;
  ImGui::PushID(name.data(), name.data() + name.size());
  ui.open_group(ui.id("##tabs"), rect, Role::TabList, std::string(name));
  const Widths widths = share_width(ui, specs, rect.width);
  const float first = first_x(ui, specs, widths, rect, chosen);
  float x = first;
  ImGui::PushClipRect(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), true);
  struct Cross {
    std::size_t tab = 0;
    Rect rect;
    bool tab_hovered = false;
  };
  std::vector<Cross> crosses;
  std::vector<std::uint32_t> ids;
  std::size_t focused = SIZE_MAX;
  for (std::size_t index = 0; index < specs.size(); ++index) {
    const TabSpec& spec = specs[index];
    const Rect tab{x, rect.y, width_of(ui, spec, widths), rect.height};
    x = tab.right();
    Rect face = tab;
    Rect cross;
    if (spec.closable) cross = face.cut_right(ui.px(26));
    ImGui::PushID(static_cast<int>(index));
    AccessNode node;
    node.role = Role::Tab;
    node.name = spec.label;
    node.description = spec.badge;
    node.selected = index == chosen ? 1 : 0;
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(specs.size());
    const std::uint32_t id = ui.id("##tab");
    const Interaction what = ui.control(id, face, std::move(node), index == chosen);
    if (what.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ui.access().focus(id, false);
    ids.push_back(id);
    paint_tab(ui, tab, spec, widths.margin, index == chosen, what.hovered);
    if (what.focus_visible) ui.focus_ring(tab.inset(ui.px(2), ui.px(5)), ui.px(5));
    ui.tooltip(what, spec.tip.empty() && natural_width(ui, spec, widths.margin) > widths.most ? spec.label : spec.tip);
    if (what.clicked) result.chosen = index;
    if (what.focused) focused = index;
    if (spec.closable) crosses.push_back({index, cross, what.hovered});
    ImGui::PopID();
  }
  if (focused != SIZE_MAX && !ui.is_typing() && !specs.empty()) {
    std::size_t next = focused;
    if (specs[focused].closable && ui.take_key(ImGuiKey_Delete)) result.closed = focused;
    if (ui.take_key(ImGuiKey_RightArrow)) next = (focused + 1) % specs.size();
    if (ui.take_key(ImGuiKey_LeftArrow)) next = (focused + specs.size() - 1) % specs.size();
    if (next != focused) {
      result.chosen = next;
      ui.access().focus(ids[next], true);
    }
  }
  result.end = std::min(x, rect.right());
  ui.close_group();
  // A tab list holds tabs alone (ARIA): the crosses are beside it.
  for (const Cross& cross : crosses) {
    if (draw_cross(ui, cross.rect, specs[cross.tab], cross.tab, cross.tab == chosen, cross.tab_hovered)) {
      result.closed = cross.tab;
    }
  }
  const Rect fade{rect.x, rect.y, ui.px(32), rect.height - 1};
  // What is outside by less than a tab's margin hides no letter.
  if (first < rect.x - widths.margin) paint_more(ui, fade, true);
  if (x > rect.right() + widths.margin)
    paint_more(ui, {rect.right() - fade.width, fade.y, fade.width, fade.height}, false);
  ImGui::PopClipRect();
  ImGui::PopID();
  return result;
}

}  // namespace nns::widgets
