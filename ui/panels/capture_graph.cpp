// The graph of a capture, drawn: boxes that pan, zoom and are walked through.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/live/message.h"
#include "ui/model/format.h"
#include "ui/model/plural.h"
#include "ui/panels/capture_panel.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::text_of;
using live::wire::NodeOp;
using model::GraphDrawing;
using widgets::Colour;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using CaptureWhat = CaptureAsk::What;

namespace {

constexpr float kLeastZoom = 0.01F, kMostZoom = 3, kZoomStep = 1.25F;
// A list of drawing commands holds 65,536 corners; what is more is thinned out, and seen when one zooms in.
constexpr std::size_t kMostBoxes = 3000, kMostEdges = 4000;

class Canvas {
 public:
  Canvas(Ui& ui, const Rect& rect, const CapturePanelModel& model, CapturePanelState& state)
      : ui_(ui), rect_(rect), view_(*model.view), drawing_(view_.drawing()), state_(state) {}

  std::optional<Intent> draw() {
    const live::wire::CaptureGraph& graph = *drawing_.graph();
    follow();
    const std::uint32_t chosen = drawing_.box_of(view_.node());
    AccessNode node;
    node.role = Role::Img;
    node.name = fmt::format("Graph of {} nodes, {} boxes", model::thousands(graph.op()->size()),
                            model::thousands(drawing_.boxes().size()));
    node.description =
        "Arrow keys walk along the edges, Enter opens a group or a graph inside or leads to the module, G folds, "
        "Alt with the upper one leads to the graph around";
    if (chosen != GraphDrawing::kNoBox) node.value = about(chosen);
    const std::uint32_t id = ui_.id("##graph");
    if (std::exchange(state_.focus_content, false)) ui_.access().focus(id, true);
    const bool has_keys = ui_.access().focused() == id && !ui_.is_typing();
    state_.is_in_content = state_.is_in_content || has_keys;
    const bool entered = has_keys && (ui_.take_key(ImGuiKey_Enter) || ui_.take_key(ImGuiKey_KeypadEnter));
    const bool spaced = has_keys && ui_.take_key(ImGuiKey_Space, 0, false);
    const widgets::Interaction what = ui_.control(id, rect_, std::move(node));
    handle_mouse(what);
    if (has_keys) handle_keys(chosen);
    if (entered && chosen != GraphDrawing::kNoBox) enter(chosen);
    if (spaced) {
      ui_.take_typed(' ');
      fit();
    }
    clamp();
    ui_.draw().PushClipRect(ImVec2(rect_.x, rect_.y), ImVec2(rect_.right(), rect_.bottom()), true);
    draw_groups();
    draw_edges(chosen);
    draw_nodes(chosen);
    ui_.draw().PopClipRect();
    if (what.focus_visible) ui_.focus_ring(rect_.inset(ui_.px(2), ui_.px(2)), ui_.px(4));
    return std::move(intent_);
  }

 private:
  float scale() const { return ui_.px(1) * state_.zoom; }
  Rect on_screen(const GraphDrawing::Box& box) const {
    const float scaled = scale();
    return {rect_.x + (box.x - state_.x) * scaled, rect_.y + (box.y - state_.y) * scaled, box.width * scaled,
            box.height * scaled};
  }
  bool is_seen(const Rect& place) const {
    return place.right() >= rect_.x && place.x < rect_.right() && place.bottom() >= rect_.y && place.y < rect_.bottom();
  }

  void fit() {
    const float by_width = rect_.width / std::max(1.0F, drawing_.width()) / ui_.px(1);
    const float by_height = rect_.height / std::max(1.0F, drawing_.height()) / ui_.px(1);
    state_.zoom = std::clamp(std::min(by_width, by_height), kLeastZoom, 1.0F);
    state_.x = (drawing_.width() - rect_.width / scale()) / 2;
    state_.y = std::min(0.0F, (drawing_.height() - rect_.height / scale()) / 2);
  }

  /// A large graph is begun at a size that can be read.
  void begin() {
    constexpr float kReadable = 0.95F;
    fit();
    if (state_.zoom >= kReadable) return;
    state_.zoom = kReadable;
    const std::uint32_t chosen = drawing_.box_of(view_.node());
    // Without a choice it begins where the first node stands.
    const GraphDrawing::Box& box = drawing_.boxes()[chosen == GraphDrawing::kNoBox ? 0 : chosen];
    state_.x = box.x + box.width / 2 - rect_.width / scale() / 2;
    state_.y = chosen == GraphDrawing::kNoBox ? 0 : box.y - rect_.height / scale() / 2;
  }

  void follow() {
    if (state_.laid_out != drawing_.version()) {
      // What was folded stays in its place on the screen as well as may be; another graph begins anew.
      if (state_.laid_out == 0 || state_.zoom == 0) begin();
      state_.laid_out = drawing_.version();
      state_.followed = UINT32_MAX;
    }
    if (state_.followed == view_.node()) return;
    state_.followed = view_.node();
    const std::uint32_t chosen = drawing_.box_of(view_.node());
    if (chosen == GraphDrawing::kNoBox) return;
    const GraphDrawing::Box& box = drawing_.boxes()[chosen];
    const float width = rect_.width / scale(), height = rect_.height / scale();
    const auto least = [](float now, float from, float size, float seen) {
      const float margin = std::min(40.0F, std::max(0.0F, (seen - size) / 2));
      if (size >= seen) return from;
      return std::clamp(now, from + size + margin - seen, from - margin);
    };
    state_.x = least(state_.x, box.x, box.width, width);
    state_.y = least(state_.y, box.y, box.height, height);
  }

  void clamp() {
    const float width = rect_.width / scale(), height = rect_.height / scale();
    const auto within = [](float at, float whole, float seen) {
      const float slack = seen * 0.5F;
      return std::clamp(at, -slack, std::max(-slack, whole - seen + slack));
    };
    state_.x = within(state_.x, drawing_.width(), width);
    state_.y = within(state_.y, drawing_.height(), height);
  }

  void zoom(float factor, float x, float y) {
    const float before = scale();
    state_.zoom = std::clamp(state_.zoom * factor, kLeastZoom, kMostZoom);
    const float after = scale();
    state_.x += (x - rect_.x) * (1 / before - 1 / after);
    state_.y += (y - rect_.y) * (1 / before - 1 / after);
  }

  std::uint32_t box_at(float x, float y) const {
    const float at_x = state_.x + (x - rect_.x) / scale(), at_y = state_.y + (y - rect_.y) / scale();
    std::uint32_t found = GraphDrawing::kNoBox;
    const auto boxes = drawing_.boxes();
    // Inner boxes stand behind those around them.
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
      const GraphDrawing::Box& box = boxes[i];
      if (at_x >= box.x && at_x < box.x + box.width && at_y >= box.y && at_y < box.y + box.height) found = i;
    }
    return found;
  }

  void handle_mouse(const widgets::Interaction& what) {
    const ImGuiIO& io = ImGui::GetIO();
    float wheel = ui_.take_wheel(rect_, true);
    if (wheel != 0) {
      zoom(std::pow(kZoomStep, wheel), io.MousePos.x, io.MousePos.y);
    } else if (wheel = ui_.take_wheel(rect_, false); wheel != 0) {
      state_.y -= wheel * 60 / state_.zoom;
    }
    if (what.held && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
      state_.x -= io.MouseDelta.x / scale();
      state_.y -= io.MouseDelta.y / scale();
    }
    if (!what.clicked && !what.double_clicked) return;
    const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);
    if (dragged.x != 0 || dragged.y != 0) return;
    const std::uint32_t box = box_at(io.MousePos.x, io.MousePos.y);
    if (box == GraphDrawing::kNoBox) return;
    if (what.double_clicked) {
      enter(box);
    } else {
      choose(box);
    }
  }

  void choose(std::uint32_t box) { intent_ = CaptureAsk{CaptureWhat::ChooseNode, drawing_.boxes()[box].node}; }

  void enter(std::uint32_t box) {
    const GraphDrawing::Box& one = drawing_.boxes()[box];
    if (one.group != GraphDrawing::kNoBox) {
      intent_ = CaptureAsk{CaptureWhat::FoldGroup, one.group};
    } else if (const auto body = view_.body_of(one.node)) {
      intent_ = CaptureAsk{CaptureWhat::ChooseGraph, *body};
    } else {
      intent_ = CaptureAsk{CaptureWhat::OpenModuleOfNode, view_.node() == UINT32_MAX ? one.node : view_.node()};
    }
  }

  void handle_keys(std::uint32_t chosen) {
    const auto boxes = drawing_.boxes();
    std::uint32_t to = chosen;
    if (chosen == GraphDrawing::kNoBox) {
      for (const ImGuiKey key : {ImGuiKey_DownArrow, ImGuiKey_UpArrow, ImGuiKey_RightArrow, ImGuiKey_LeftArrow}) {
        if (ui_.take_key(key)) to = next_in_order(UINT32_MAX, true);
      }
    } else {
      // Down and up along the edges, aside in the order of the graph.
      const bool down = ui_.take_key(ImGuiKey_DownArrow), up = ui_.take_key(ImGuiKey_UpArrow);
      if (down || up) {
        for (const GraphDrawing::Edge& edge : drawing_.edges()) {
          if (down && edge.from == chosen && (to == chosen || boxes[edge.to].node < boxes[to].node)) to = edge.to;
          if (up && edge.to == chosen && (to == chosen || boxes[edge.from].y > boxes[to].y)) to = edge.from;
        }
      }
      if (ui_.take_key(ImGuiKey_RightArrow)) to = next_in_order(boxes[chosen].node, true);
      if (ui_.take_key(ImGuiKey_LeftArrow)) to = next_in_order(boxes[chosen].node, false);
      if (ui_.take_typed('g') || ui_.take_typed('G')) {
        std::uint32_t around = boxes[chosen].group != GraphDrawing::kNoBox ? chosen : boxes[chosen].parent;
        if (around != GraphDrawing::kNoBox) intent_ = CaptureAsk{CaptureWhat::FoldGroup, boxes[around].group};
      }
      if (ui_.take_typed('f') || ui_.take_typed('F')) {
        const GraphDrawing::Box& box = boxes[chosen];
        state_.zoom =
            std::clamp(std::min(rect_.width / box.width, rect_.height / box.height) / ui_.px(1) * 0.5F, 0.2F, 1.0F);
        state_.x = box.x + box.width / 2 - rect_.width / scale() / 2;
        state_.y = box.y + box.height / 2 - rect_.height / scale() / 2;
      }
    }
    if (to != GraphDrawing::kNoBox && to != chosen) choose(to);
    if (ui_.take_key(ImGuiKey_Home)) choose(next_in_order(UINT32_MAX, true));
    if (ui_.take_key(ImGuiKey_End)) choose(next_in_order(UINT32_MAX, false));
    const float x = rect_.centre_x(), y = rect_.centre_y();
    if (ui_.take_typed('+') || ui_.take_typed('=')) zoom(kZoomStep, x, y);
    if (ui_.take_typed('-')) zoom(1 / kZoomStep, x, y);
    if (ui_.take_typed('0')) fit();
    if (ui_.take_typed('*')) intent_ = CaptureAsk{CaptureWhat::UnfoldAll, 0};
  }

  /// The box of the next node that is drawn behind `node`, or before it; without one the first, or the last.
  std::uint32_t next_in_order(std::uint32_t node, bool is_forward) const {
    std::uint32_t found = GraphDrawing::kNoBox;
    const auto boxes = drawing_.boxes();
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].is_open) continue;
      const std::uint32_t at = boxes[i].node;
      if (node != UINT32_MAX && (is_forward ? at <= node : at >= node)) continue;
      if (found == GraphDrawing::kNoBox || (is_forward ? at < boxes[found].node : at > boxes[found].node)) found = i;
    }
    return found;
  }

  std::string group_name(const GraphDrawing::Box& box) const {
    const live::wire::CaptureStack& entry = *drawing_.graph()->stacks()->Get(drawing_.stack_of(box.group));
    std::string path = model::source_path(text_of(entry.name()));
    const std::string_view whole = text_of(entry.class_name());
    return fmt::format("{} {}", path, whole.substr(whole.rfind('.') + 1));
  }

  /// What stands below the name of a node.
  std::string below_name(std::uint32_t node) const {
    const live::wire::CaptureGraph& graph = *drawing_.graph();
    if (const auto body = view_.body_of(node)) {
      return fmt::format("graph of {}", model::plural(view_.frame()->graphs()->Get(*body)->op()->size(), "node"));
    }
    const std::string_view example = text_of(graph.example()->Get(node));
    return std::string(example.empty() ? text_of(graph.target()->Get(node)) : example);
  }

  std::string about(std::uint32_t box) const {
    const GraphDrawing::Box& one = drawing_.boxes()[box];
    if (one.group == GraphDrawing::kNoBox) return view_.node_text(view_.node());
    return fmt::format("{}, {} nodes{}{}", group_name(one), model::thousands(one.nodes),
                       one.is_open ? ", open" : ", folded", one.repeats ? ", built as one before" : "");
  }

  Colour colour_of(const GraphDrawing::Box& box) const {
    const widgets::Theme& theme = ui_.theme();
    if (box.group != GraphDrawing::kNoBox) return theme.module;
    const live::wire::CaptureGraph& graph = *drawing_.graph();
    switch (static_cast<NodeOp>(graph.op()->Get(box.node))) {
      case NodeOp::Placeholder:
        return text_of(graph.arguments()->Get(box.node)).find("_parameters[") != std::string_view::npos
                   ? theme.parameter
                   : theme.accent;
      case NodeOp::GetAttr:
        return drawing_.is_body(box.node) ? theme.module : theme.parameter;
      case NodeOp::CallModule:
        return theme.module;
      case NodeOp::Output:
        return theme.good;
      default:
        return theme.event;
    }
  }

  void words(const Rect& place, float size, Colour colour, std::string_view text) const {
    if (size < 4 || place.width < size) return;
    ui_.draw().PushClipRect(ImVec2(place.x, place.y), ImVec2(place.right(), place.bottom()), true);
    ui_.draw().AddText(ui_.font(Type::CodeSmall), size, ImVec2(place.x, place.centre_y() - size / 2), colour,
                       text.data(), text.data() + text.size());
    ui_.draw().PopClipRect();
  }

  void draw_groups() {
    const float scaled = scale();
    for (const GraphDrawing::Box& box : drawing_.boxes()) {
      if (!box.is_open) continue;
      const Rect place = on_screen(box);
      if (!is_seen(place)) continue;
      const widgets::Theme& theme = ui_.theme();
      const ImVec2 low(place.x, place.y), high(place.right(), place.bottom());
      ui_.draw().AddRectFilled(low, high, widgets::with_alpha(theme.module, 0.07F), 6 * scaled);
      ui_.draw().AddRect(low, high, widgets::with_alpha(theme.module, 0.5F), 6 * scaled);
      Rect head = place;
      words(head.cut_top(22 * scaled).inset(8 * scaled, 0), 12 * scaled, theme.text, group_name(box));
    }
  }

  void draw_edges(std::uint32_t chosen) {
    const auto boxes = drawing_.boxes();
    const auto points = drawing_.points();
    const float scaled = scale();
    const std::size_t every = drawing_.edges().size() / kMostEdges + 1;
    const auto at = [&](float x, float y) {
      return ImVec2(rect_.x + (x - state_.x) * scaled, rect_.y + (y - state_.y) * scaled);
    };
    std::size_t number = 0;
    for (const GraphDrawing::Edge& edge : drawing_.edges()) {
      const bool is_of_chosen = edge.from == chosen || edge.to == chosen;
      const bool is_thinned = scaled < 0.3F && number++ % every != 0;
      if (is_thinned && !is_of_chosen) continue;
      const GraphDrawing::Box& from = boxes[edge.from];
      const GraphDrawing::Box& to = boxes[edge.to];
      const ImVec2 begin = at(from.x + from.width / 2, from.y + from.height);
      const ImVec2 end = at(to.x + to.width / 2, to.y);
      if (std::max(begin.y, end.y) < rect_.y || std::min(begin.y, end.y) > rect_.bottom()) continue;
      if (std::max(begin.x, end.x) < rect_.x - rect_.width || std::min(begin.x, end.x) > rect_.right() + rect_.width)
        continue;
      const Colour colour = is_of_chosen ? ui_.theme().accent : widgets::with_alpha(ui_.theme().muted, 0.6F);
      const float width = std::max(1.0F, (is_of_chosen ? 2.0F : 1.2F) * scaled);
      ImVec2 last = begin;
      for (std::uint32_t i = edge.points_begin; i <= edge.points_end; ++i) {
        const ImVec2 next = i == edge.points_end ? end : at(points[i].x, points[i].y);
        const float bend = (next.y - last.y) / 2;
        ui_.draw().AddBezierCubic(last, ImVec2(last.x, last.y + bend), ImVec2(next.x, next.y - bend), next, colour,
                                  width, scaled < 0.3F ? 2 : 0);
        last = next;
      }
      if (scaled > 0.3F) {
        const float r = 3.5F * scaled;
        ui_.draw().AddTriangleFilled(end, ImVec2(end.x - r, end.y - 1.6F * r), ImVec2(end.x + r, end.y - 1.6F * r),
                                     colour);
      }
    }
  }

  void draw_nodes(std::uint32_t chosen) {
    const auto boxes = drawing_.boxes();
    const widgets::Theme& theme = ui_.theme();
    const live::wire::CaptureGraph& graph = *drawing_.graph();
    const float scaled = scale();
    const std::size_t every = scaled < 0.3F ? boxes.size() / kMostBoxes + 1 : 1;
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
      const GraphDrawing::Box& box = boxes[i];
      if (i == chosen && box.is_open) outline(on_screen(box), scaled);
      if (box.is_open || (i % every != 0 && i != chosen)) continue;
      const Rect place = on_screen(box);
      if (!is_seen(place)) continue;
      const Colour colour = colour_of(box);
      const ImVec2 low(place.x, place.y), high(place.right(), place.bottom());
      const bool is_group = box.group != GraphDrawing::kNoBox;
      const bool is_marked = view_.is_marked(box.node);
      const float round = scaled < 0.3F ? 0 : (is_group ? 6 : 4) * scaled;
      ui_.draw().AddRectFilled(low, high, theme.raised, round);
      ui_.draw().AddRectFilled(low, high, widgets::with_alpha(colour, is_marked ? 0.35F : 0.14F), round);
      if (scaled >= 0.3F) {
        ui_.draw().AddRect(low, high, is_marked ? theme.module : widgets::with_alpha(colour, 0.7F), round, 0,
                           (is_marked ? 2.0F : 1.0F) * scaled);
        Rect inside = place.inset(8 * scaled, 3 * scaled);
        if (is_group) {
          words(inside.cut_top(inside.height / 2), 12 * scaled, theme.text, group_name(box));
          words(inside, 11 * scaled, theme.muted,
                fmt::format("+ {} nodes{}", box.nodes, box.repeats ? ", as one before" : ""));
        } else if (inside.height < 26 * scaled) {
          words(inside, 12 * scaled, theme.text, text_of(graph.name()->Get(box.node)));
        } else {
          words(inside.cut_top(inside.height / 2), 12 * scaled, theme.text, text_of(graph.name()->Get(box.node)));
          words(inside, 11 * scaled, theme.muted, below_name(box.node));
        }
      }
      if (i == chosen) outline(place, scaled);
    }
  }

  void outline(const Rect& place, float scaled) {
    const float grow = std::max(0.0F, (ui_.px(6) - place.width) / 2);
    ui_.draw().AddRect(ImVec2(place.x - grow, place.y - grow), ImVec2(place.right() + grow, place.bottom() + grow),
                       ui_.theme().accent, 4 * scaled, 0, ui_.px(2));
  }

  Ui& ui_;
  Rect rect_;
  const model::CaptureView& view_;
  const GraphDrawing& drawing_;
  CapturePanelState& state_;
  std::optional<Intent> intent_;
};

}  // namespace

std::optional<Intent> draw_capture_graph(Ui& ui, Rect area, const CapturePanelModel& model, CapturePanelState& state) {
  const GraphDrawing& drawing = model.view->drawing();
  Rect told = area.cut_bottom(ui.px(24));
  if (drawing.boxes().empty()) {
    ui.paint_line(told, Type::Small, ui.theme().muted, drawing.is_done() ? "" : "Laying out\u2026");
    return std::nullopt;
  }
  Canvas canvas(ui, area, model, state);
  auto intent = canvas.draw();
  if (model.view->node() != UINT32_MAX) {
    const std::string text = model.view->node_text(model.view->node());
    if (ui.paint_line(told, Type::Small, ui.theme().muted, text)) ui.tooltip_at(told, text);
  }
  return intent;
}

}  // namespace nns::panels
