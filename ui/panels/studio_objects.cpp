// The studio's drawing: names, objects, and arrows between them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/panels/studio_panel.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::wire::TraceObjectKind;
using model::ObjectDrawing;
using widgets::Colour;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using StudioWhat = StudioAsk::What;

namespace {

constexpr model::DrawingMetrics kMetrics = {};

/// From the drawing's units to the screen.
struct View {
  float x, y, scale;
  Rect rect(float left, float top, float width, float height) const {
    return {x + left * scale, y + top * scale, width * scale, height * scale};
  }
};

Colour colour_of(const widgets::Theme& theme, const ObjectDrawing::Box& box) {
  if (box.is_frame) return theme.accent;
  switch (box.kind) {
    case TraceObjectKind::Module:
      return theme.module;
    case TraceObjectKind::Tensor:
      return theme.parameter;
    case TraceObjectKind::Instance:
      return theme.buffer;
    default:
      return theme.muted;
  }
}

void paint_words(Ui& ui, const Rect& place, float size, Colour colour, std::string_view text) {
  ui.draw().PushClipRect(ImVec2(place.x, place.y), ImVec2(place.right(), place.bottom()), true);
  ui.draw().AddText(ui.font(Type::CodeSmall), size, ImVec2(place.x, place.centre_y() - size / 2), colour, text.data(),
                    text.data() + text.size());
  ui.draw().PopClipRect();
}

void draw_arrow(Ui& ui, ImVec2 from, ImVec2 to, Colour colour, float scale) {
  // To the right in a curve; back or down in a wider one.
  const float bend = std::max(std::abs(to.x - from.x) * 0.5F, 24 * scale);
  ui.draw().AddBezierCubic(from, ImVec2(from.x + bend, from.y), ImVec2(to.x - bend, to.y), to, colour, 1.2F * scale);
  ui.draw().AddTriangleFilled(to, ImVec2(to.x - 6 * scale, to.y - 3.5F * scale),
                              ImVec2(to.x - 6 * scale, to.y + 3.5F * scale), colour);
}

std::string box_name(const ObjectDrawing::Box& box) {
  std::string name = box.title;
  if (box.shares_with != 0) name += fmt::format(", storage {}", box.shares_with);
  if (box.has_changed) name += ", changed";
  for (const ObjectDrawing::Row& row : box.rows) {
    name += fmt::format("; {} {}", row.key, row.value.empty() ? "leads on" : row.value);
  }
  return name;
}

void draw_box(Ui& ui, const View& view, const ObjectDrawing::Box& box, bool is_selected) {
  const widgets::Theme& theme = ui.theme();
  const Rect place = view.rect(box.x, box.y, box.width, box.height);
  const float round = 5 * view.scale;
  const float size = ui.font_size(Type::CodeSmall) / ui.px(1) * view.scale;
  const Colour colour = colour_of(theme, box);
  const ImVec2 low(place.x, place.y), high(place.right(), place.bottom());
  ui.draw().AddRectFilled(low, high, theme.raised, round);
  const Rect head = view.rect(box.x, box.y, box.width, kMetrics.head);
  ui.draw().AddRectFilled(ImVec2(head.x, head.y), ImVec2(head.right(), head.bottom()),
                          widgets::with_alpha(colour, 0.18F), round);
  ui.draw().AddRect(low, high,
                    is_selected       ? theme.accent
                    : box.has_changed ? theme.event
                                      : theme.border,
                    round, 0, (is_selected || box.has_changed ? 2.0F : 1.0F) * view.scale);
  paint_words(ui, head.inset(kMetrics.padding * view.scale, 0), size, theme.text, box.title);
  if (box.shares_with != 0) {
    // Tensors that look at one storage have one number.
    const std::string number = fmt::format("\xE2\x8A\x9C{}", box.shares_with);
    Rect corner = head;
    paint_words(ui, corner.cut_right(26 * view.scale), size, theme.parameter, number);
  }
  float y = box.y + kMetrics.head;
  std::size_t key_letters = 0;
  for (const ObjectDrawing::Row& row : box.rows) {
    key_letters = std::max(key_letters, row.key.size());
  }
  for (const ObjectDrawing::Row& row : box.rows) {
    Rect line = view.rect(box.x, y, box.width, kMetrics.row).inset(kMetrics.padding * view.scale, 0);
    if (row.has_changed) {
      const Rect whole = view.rect(box.x, y, box.width, kMetrics.row);
      ui.draw().AddRectFilled(ImVec2(whole.x + view.scale, whole.y), ImVec2(whole.right() - view.scale, whole.bottom()),
                              widgets::with_alpha(theme.event, 0.2F));
    }
    const float key_width = static_cast<float>(std::min(key_letters, kMetrics.most_letters)) * kMetrics.letter;
    paint_words(ui, line.cut_left((key_width + kMetrics.letter) * view.scale), size, theme.muted, row.key);
    if (!row.value.empty()) {
      paint_words(ui, line, size, theme.text, row.value);
    } else {
      ui.draw().AddCircleFilled(ImVec2(place.right() - 8 * view.scale, line.centre_y()), 3 * view.scale, theme.accent);
    }
    y += kMetrics.row;
  }
  if (!box.left_out.empty()) {
    paint_words(ui, view.rect(box.x, y, box.width, kMetrics.row).inset(kMetrics.padding * view.scale, 0), size,
                theme.muted, box.left_out);
  }
}

constexpr float kLeastDrawingZoom = 0.25F;
constexpr float kMostDrawingZoom = 3;

// The chosen object's box in the middle, at its own size.
void show_box(const Ui& ui, const Rect& area, const ObjectDrawing& drawing, std::uint32_t selected,
              StudioPanelState& state) {
  for (const ObjectDrawing::Box& box : drawing.boxes) {
    if (box.is_frame || box.object != selected) continue;
    state.drawing_zoom = 1;
    state.drawing_x = box.x + box.width / 2 - area.width / (2 * ui.px(1));
    state.drawing_y = box.y + box.height / 2 - area.height / (2 * ui.px(1));
  }
}

// Drag pans, the wheel scrolls, Ctrl and the wheel zoom about the pointer.
void move_view(Ui& ui, const Rect& area, const widgets::Interaction& ground, const ObjectDrawing& drawing,
               std::uint32_t selected, StudioPanelState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const float scale = ui.px(1) * state.drawing_zoom;
  if (ground.held) {
    state.drawing_x -= io.MouseDelta.x / scale;
    state.drawing_y -= io.MouseDelta.y / scale;
  }
  // What is at that place of the area stays there.
  const auto zoom = [&](float steps, float x, float y) {
    const float before = ui.px(1) * state.drawing_zoom;
    state.drawing_zoom = std::clamp(state.drawing_zoom * std::pow(1.2F, steps), kLeastDrawingZoom, kMostDrawingZoom);
    const float after = ui.px(1) * state.drawing_zoom;
    state.drawing_x += x * (1 / before - 1 / after);
    state.drawing_y += y * (1 / before - 1 / after);
  };
  if (const float wheel = ui.take_wheel(area, true); wheel != 0)
    zoom(wheel, io.MousePos.x - area.x, io.MousePos.y - area.y);
  if (const float wheel = ui.take_wheel(area, false); wheel != 0) state.drawing_y -= wheel * 40;
  if (ground.focused && !ui.is_typing()) {
    constexpr float kStep = 60;
    if (ui.take_key(ImGuiKey_LeftArrow)) state.drawing_x -= kStep;
    if (ui.take_key(ImGuiKey_RightArrow)) state.drawing_x += kStep;
    if (ui.take_key(ImGuiKey_UpArrow)) state.drawing_y -= kStep;
    if (ui.take_key(ImGuiKey_DownArrow)) state.drawing_y += kStep;
    if (ui.take_key(ImGuiKey_Home)) {
      state.drawing_x = state.drawing_y = 0;
      state.drawing_zoom = 1;
    }
    if (ui.take_typed('+') || ui.take_typed('=')) zoom(1, area.width / 2, area.height / 2);
    if (ui.take_typed('-')) zoom(-1, area.width / 2, area.height / 2);
    if (ui.take_key(ImGuiKey_Space) && drawing.width > 0 && drawing.height > 0) {
      state.drawing_x = state.drawing_y = 0;
      state.drawing_zoom =
          std::clamp(std::min(area.width / (drawing.width * ui.px(1)), area.height / (drawing.height * ui.px(1))),
                     kLeastDrawingZoom, 1.0F);
    }
    if (ui.take_typed('f') || ui.take_typed('F')) show_box(ui, area, drawing, selected, state);
  }
  const float seen_width = area.width / (ui.px(1) * state.drawing_zoom);
  const float seen_height = area.height / (ui.px(1) * state.drawing_zoom);
  state.drawing_x = std::clamp(state.drawing_x, 0.0F, std::max(0.0F, drawing.width - seen_width * 0.5F));
  state.drawing_y = std::clamp(state.drawing_y, 0.0F, std::max(0.0F, drawing.height - seen_height * 0.5F));
}

}  // namespace

std::optional<Intent> draw_studio_objects(Ui& ui, const Rect& area, const StudioPanelModel& model,
                                          StudioPanelState& state) {
  std::optional<Intent> intent;
  const ObjectDrawing& drawing = *model.drawing;
  AccessNode whole;
  whole.role = Role::Group;
  whole.name = fmt::format("Objects: {} boxes{}", drawing.boxes.size(), drawing.has_more ? ", more are left out" : "");
  whole.description =
      "Arrow keys move the picture, + and - zoom, Space shows all of it, F the chosen object, Home its beginning";
  const std::uint32_t id = ui.id("##objects");
  const widgets::Interaction ground = ui.control(id, area, std::move(whole));
  move_view(ui, area, ground, drawing, model.selected, state);
  const float scale = ui.px(1) * state.drawing_zoom;
  const View view{area.x - state.drawing_x * scale, area.y - state.drawing_y * scale, scale};
  ui.draw().PushClipRect(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()), true);
  const auto is_seen = [&](const Rect& place) {
    return place.right() >= area.x && place.x < area.right() && place.bottom() >= area.y && place.y < area.bottom();
  };
  std::uint32_t number = 0;
  for (const ObjectDrawing::Box& box : drawing.boxes) {
    const Rect place = view.rect(box.x, box.y, box.width, box.height);
    ++number;
    if (!is_seen(place)) continue;
    const bool is_selected = !box.is_frame && box.object == model.selected;
    draw_box(ui, view, box, is_selected);
    AccessNode node;
    node.role = box.is_frame ? Role::Group : Role::Button;
    node.name = box_name(box);
    ImGui::PushID(static_cast<int>(number));
    if (box.is_frame) {
      ui.describe(ui.id("##box"), place, std::move(node));
    } else {
      const widgets::Interaction what = ui.control(ui.id("##box"), place, std::move(node));
      if (what.focus_visible) ui.focus_ring(place, 5 * scale);
      if (what.clicked) intent = StudioAsk{StudioWhat::SelectObject, box.object};
    }
    ImGui::PopID();
  }
  for (const ObjectDrawing::Box& box : drawing.boxes) {
    for (std::size_t row = 0; row < box.rows.size(); ++row) {
      if (box.rows[row].to == UINT32_MAX) continue;
      const ObjectDrawing::Box& to = drawing.boxes[box.rows[row].to];
      const Rect from =
          view.rect(box.x, box.y + kMetrics.head + static_cast<float>(row) * kMetrics.row, box.width, kMetrics.row);
      const Rect end = view.rect(to.x, to.y, to.width, kMetrics.head);
      if (!is_seen(from) && !is_seen(end)) continue;
      const Colour colour = box.rows[row].has_changed ? ui.theme().event : ui.theme().accent;
      draw_arrow(ui, ImVec2(from.right() - 8 * scale, from.centre_y()), ImVec2(end.x, end.centre_y()), colour, scale);
    }
  }
  ui.draw().PopClipRect();
  if (ground.focus_visible) ui.focus_ring(area.inset(ui.px(2), ui.px(2)), ui.px(4));
  if (drawing.has_more) {
    Rect rest = area;
    const Rect line = rest.cut_bottom(ui.px(22)).inset(ui.px(12), 0);
    ui.draw().AddRectFilled(ImVec2(line.x - ui.px(4), line.y), ImVec2(line.right(), line.bottom()), ui.theme().surface);
    ui.paint_line(line, Type::Small, ui.theme().muted, "More hangs on these: choose an object to see what it holds.");
  }
  return intent;
}

}  // namespace nns::panels
