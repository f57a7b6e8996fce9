#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace nns::widgets {

namespace {

constexpr float kLeft = 62;  // design units for the numbers of the axes
constexpr float kBottom = 22;

void paint_axes(const Ui& ui, const Rect& area, const PlotSpec& spec) {
  const Theme& theme = ui.theme();
  const Colour grid = with_alpha(theme.border, 0.6F);
  for (const PlotTick& tick : spec.y_ticks) {
    const float y = std::round(area.bottom() - tick.at * area.height);
    ui.draw().AddLine(ImVec2(area.x, y), ImVec2(area.right(), y), grid);
    const Rect label{area.x - ui.px(kLeft), y - ui.px(9), ui.px(kLeft - 8), ui.px(18)};
    ui.paint_line(label, Type::CodeSmall, theme.muted, tick.text, 1);
  }
  for (const PlotTick& tick : spec.x_ticks) {
    const float width = ui.text_width(Type::CodeSmall, tick.text);
    const float x =
        std::clamp(area.x + tick.at * area.width - width / 2, area.x, std::max(area.x, area.right() - width));
    ui.paint_text(std::round(x), area.bottom() + ui.px(4), Type::CodeSmall, theme.muted, tick.text);
  }
}

void paint_curve(const Ui& ui, const Rect& area, const PlotLine& line) {
  const auto at = [&](float x, float y) {
    return ImVec2(area.x + x * area.width, area.bottom() - std::clamp(y, -4.0F, 5.0F) * area.height);
  };
  const float thickness = line.is_faint ? std::max(1.0F, ui.px(1)) : std::max(1.5F, ui.px(1.5F));
  const Colour colour = line.is_faint ? with_alpha(line.colour, 0.35F) : line.colour;
  std::vector<ImVec2> points;
  points.reserve(line.columns.size() * 3);
  for (const PlotColumn& column : line.columns) {
    // What falls into one column of pixels is an upright line from its lowest to its highest.
    if (column.high > column.low) {
      const bool from_below = points.empty() || points.back().y > at(column.x, column.high).y;
      points.push_back(at(column.x, from_below ? column.low : column.high));
      points.push_back(at(column.x, from_below ? column.high : column.low));
    }
    points.push_back(at(column.x, column.last));
  }
  if (points.size() == 1) {
    ui.draw().AddCircleFilled(points.front(), ui.px(2.5F), colour);
    return;
  }
  ui.draw().AddPolyline(points.data(), static_cast<int>(points.size()), colour, ImDrawFlags_None, thickness);
}

void paint_readout(const Ui& ui, const Rect& area, float at, const PlotSpec& spec) {
  const Theme& theme = ui.theme();
  const float x = std::round(area.x + at * area.width);
  ui.draw().AddLine(ImVec2(x, area.y), ImVec2(x, area.bottom()), with_alpha(theme.muted, 0.7F));
  if (spec.readout.empty()) return;
  float width = 0;
  for (const std::string& text : spec.readout) width = std::max(width, ui.text_width(Type::CodeSmall, text));
  const float line = ui.line_height(Type::CodeSmall);
  const float pad = ui.px(8);
  const float height = line * static_cast<float>(spec.readout.size()) + 2 * pad;
  const bool is_left = x + pad * 3 + width > area.right();
  const float left = is_left ? std::max(area.x, x - width - 3 * pad) : x + pad;
  const Rect box{left, area.y + ui.px(6), width + 2 * pad, height};
  ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.overlay, ui.px(6));
  ui.draw().AddRect(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.border, ui.px(6));
  float y = box.y + pad;
  for (std::size_t i = 0; i < spec.readout.size(); ++i, y += line) {
    ui.paint_text(box.x + pad, y, Type::CodeSmall, i == 0 ? theme.muted : theme.text, spec.readout[i]);
  }
}

}  // namespace

PlotEvents plot(Ui& ui, const Rect& rect, const PlotSpec& spec, PlotState& state) {
  PlotEvents events;
  Rect area = rect;
  area.cut_left(ui.px(kLeft));
  area.cut_bottom(ui.px(kBottom));
  area.cut_top(ui.px(4));
  area.cut_right(ui.px(8));
  events.columns = area.width;
  host::AccessNode node;
  node.role = host::Role::Img;
  node.name = std::string(spec.name);
  node.description = std::string(spec.description);
  const Interaction used = ui.control(ui.id(spec.name), area, std::move(node));
  const ImGuiIO& io = ImGui::GetIO();
  if (used.hovered && area.width > 0) {
    events.cursor = std::clamp((io.MousePos.x - area.x) / area.width, 0.0F, 1.0F);
    state.keyboard_cursor.reset();
  }
  if (used.held && io.MouseDelta.x != 0 && area.width > 0) events.pan = io.MouseDelta.x / area.width;
  if (const float wheel = ui.take_wheel(area, true); wheel != 0) {
    events.zoom = wheel;
    events.zoom_at = events.cursor.value_or(0.5F);
  }
  events.fits = used.double_clicked;
  if (used.focused && !ui.is_typing()) {
    constexpr float kStep = 0.01F;
    const float now = state.keyboard_cursor.value_or(1);
    const auto move = [&](float by) {
      // At an edge the picture moves on, where there is more.
      if (now + by < 0 || now + by > 1) events.pan = -by;
      state.keyboard_cursor = std::clamp(now + by, 0.0F, 1.0F);
    };
    if (ui.take_key(ImGuiKey_LeftArrow)) move(-kStep);
    if (ui.take_key(ImGuiKey_RightArrow)) move(kStep);
    if (ui.take_key(ImGuiKey_Home)) state.keyboard_cursor = 0.0F;
    if (ui.take_key(ImGuiKey_End)) state.keyboard_cursor = 1.0F;
    if (ui.take_typed('+')) events.zoom = 1;
    if (ui.take_typed('-')) events.zoom = -1;
    if (ui.take_key(ImGuiKey_Space)) events.fits = true;
    if (!events.cursor) events.cursor = state.keyboard_cursor;
    if (events.zoom != 0) events.zoom_at = state.keyboard_cursor.value_or(0.5F);
  }
  ui.draw().AddRectFilled(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()), ui.theme().raised, ui.px(4));
  paint_axes(ui, area, spec);
  ui.draw().PushClipRect(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()), true);
  for (const PlotLine& line : spec.lines) paint_curve(ui, area, line);
  if (events.cursor) paint_readout(ui, area, *events.cursor, spec);
  ui.draw().PopClipRect();
  if (used.focus_visible) ui.focus_ring(area, ui.px(4));
  return events;
}

}  // namespace nns::widgets
