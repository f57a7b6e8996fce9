#include "ui/widgets/row_list.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace nns::widgets {

using host::AccessAction;
using host::AccessNode;
using host::Role;

namespace {

constexpr double kTypeAheadSeconds = 0.8;
constexpr std::uint32_t kNone = UINT32_MAX;

}  // namespace

RowList::RowList(Ui& ui, RowListState& state, const Rect& rect, RowListSpec spec)
    : ui_(ui), state_(state), rect_(rect), spec_(std::move(spec)) {
  ImGui::PushID(spec_.name.data(), spec_.name.data() + spec_.name.size());
  id_ = ui.id("##rows");
  row_px_ = ui.px(spec_.row_height);
  const Rect head = rect_.cut_top(ui.px(spec_.head_height));
  page_rows_ = static_cast<double>(rect_.height) / static_cast<double>(row_px_);
  if (spec_.cursor >= spec_.count) spec_.cursor = kNone;

  handle_actions();
  // The Tab key lands on the current row; the list keeps the focus, so that it survives scrolling.
  const std::uint32_t stop = entry();
  if (stop < spec_.count && ui.access().focused() == row_id(spec_.key(stop))) ui.access().adopt(id_);
  focused_ = ui.access().focused() == id_;
  if (focused_ && spec_.cursor == kNone && stop < spec_.count) {
    moved_to_ = stop;
    spec_.cursor = stop;
  }
  handle_keys();

  // A cursor that was seen stays seen when the rows change their order.
  const bool has_cursor = spec_.cursor != kNone;
  const std::uint32_t cursor_key = has_cursor ? spec_.key(spec_.cursor) : kNone;
  if (has_cursor && state_.seen_key == cursor_key && state_.seen_at != spec_.cursor) state_.reveal_cursor = true;
  if (state_.reveal_cursor && has_cursor) {
    const auto cursor = static_cast<double>(spec_.cursor);
    if (cursor < state_.top) state_.top = cursor - std::min(2.0, page_rows_ / 4);
    if (cursor + 1 > state_.top + page_rows_) state_.top = cursor + 1 - page_rows_ + std::min(2.0, page_rows_ / 4);
    state_.reveal_cursor = false;
  }
  if (const float wheel = ui.take_wheel(rect_, false); wheel != 0) state_.top -= static_cast<double>(wheel) * 3;
  state_.top = std::clamp(state_.top, 0.0, std::max(0.0, static_cast<double>(spec_.count) - page_rows_));
  first_ = static_cast<std::uint32_t>(state_.top);
  end_ = std::min(spec_.count, first_ + static_cast<std::uint32_t>(std::ceil(page_rows_)) + 1);
  const bool is_cursor_drawn = has_cursor && spec_.cursor >= first_ && spec_.cursor < end_;
  state_.seen_key = is_cursor_drawn ? cursor_key : kNone;
  state_.seen_at = spec_.cursor;

  // A cursor that was scrolled away has no row to be focused: the list stands for it.
  AccessNode node;
  node.role = spec_.role;
  node.name = spec_.name;
  node.focusable = !is_cursor_drawn;
  node.focused = focused_ && !is_cursor_drawn;
  node.id = id_;
  node.x = rect.x;
  node.y = rect.y;
  node.width = rect.width;
  node.height = rect.height;
  ui.access().open(ui.access().add(std::move(node), has_cursor && !is_cursor_drawn));
  if (spec_.draw_head) spec_.draw_head(head);

  ui.draw().PushClipRect(ImVec2(rect_.x, rect_.y), ImVec2(rect_.right(), rect_.bottom()), true);
  ImGui::GetCurrentWindow()->ClipRect = ImRect(ui.draw()._ClipRectStack.back());
}

std::uint32_t RowList::entry() const {
  if (spec_.cursor != kNone) return spec_.cursor;
  if (spec_.begins_at_end) return spec_.count == 0 ? 0 : spec_.count - 1;
  return static_cast<std::uint32_t>(std::max(0.0, state_.top));
}

RowList::~RowList() {
  const Rect bar{rect_.right() - ui_.px(10), rect_.y, ui_.px(10), rect_.height};
  const double before = state_.top;
  state_.top = scrollbar(ui_, id_, bar, state_.top, page_rows_, static_cast<double>(spec_.count));
  if (state_.top != before) ui_.request_frame();
  ui_.draw().PopClipRect();
  ImGui::GetCurrentWindow()->ClipRect = ImRect(ui_.draw()._ClipRectStack.back());
  ui_.access().close();
  ImGui::PopID();
}

std::uint32_t RowList::row_id(std::uint32_t key) const { return ImHashData(&key, sizeof key, id_); }

void RowList::handle_actions() {
  AccessTree& access = ui_.access();
  if (access.take(id_, AccessAction::Kind::Focus)) access.focus(id_, true);
  if (access.take(id_, AccessAction::Kind::Activate)) access.focus(id_, true);
  if (!access.has_actions()) return;
  // Rows that are drawn are the ones that were published: look the ids of the last frame's rows up.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
  const double page = std::ceil(page_rows_) + 2;
  const auto from = static_cast<std::uint32_t>(std::clamp(state_.top - 1, 0.0, static_cast<double>(spec_.count)));
  const auto to = static_cast<std::uint32_t>(std::clamp(state_.top + page, 0.0, static_cast<double>(spec_.count)));
  for (std::uint32_t index = from; index < to; ++index) known.emplace_back(row_id(spec_.key(index)), index);
  while (true) {
    std::uint32_t index = kNone;
    const auto action = access.take_if([&](const AccessAction& candidate) {
      const auto row =
          std::find_if(known.begin(), known.end(), [&](const auto& pair) { return pair.first == candidate.id; });
      if (row != known.end()) index = row->second;
      return row != known.end();
    });
    if (!action) return;
    switch (action->kind) {
      case AccessAction::Kind::Focus:
        access.focus(id_, true);
        moved_to_ = index;
        spec_.cursor = index;  // keys of this very frame are meant for it
        break;
      case AccessAction::Kind::Activate:
        access.focus(id_, true);
        moved_to_ = index;
        activated_ = index;
        break;
      case AccessAction::Kind::Expand:
        expand_ = {index, true};
        break;
      case AccessAction::Kind::Collapse:
        expand_ = {index, false};
        break;
      case AccessAction::Kind::ScrollIntoView:
        if (static_cast<double>(index) < state_.top) state_.top = index;
        if (static_cast<double>(index) + 1 > state_.top + page_rows_) state_.top = index + 1 - page_rows_;
        break;
      default:
        break;
    }
  }
}

void RowList::move_to(double index) {
  if (spec_.count == 0) return;
  moved_to_ = static_cast<std::uint32_t>(std::clamp(index, 0.0, static_cast<double>(spec_.count) - 1));
  spec_.cursor = *moved_to_;
  state_.reveal_cursor = true;
  ui_.access().focus(id_, true);
}

void RowList::handle_keys() {
  if (!focused_ || ui_.is_typing()) return;
  const double cursor = spec_.cursor == kNone ? -1 : static_cast<double>(spec_.cursor);
  const double page = std::max(1.0, std::floor(page_rows_) - 1);
  if (ui_.take_key(ImGuiKey_DownArrow)) move_to(cursor + 1);
  if (ui_.take_key(ImGuiKey_UpArrow)) move_to(cursor < 0 ? 0 : cursor - 1);
  if (ui_.take_key(ImGuiKey_PageDown)) move_to(std::max(0.0, cursor) + page);
  if (ui_.take_key(ImGuiKey_PageUp)) move_to(std::max(0.0, cursor) - page);
  if (ui_.take_key(ImGuiKey_Home)) move_to(0);
  if (ui_.take_key(ImGuiKey_End)) move_to(static_cast<double>(spec_.count) - 1);
  if (spec_.cursor != kNone && (ui_.take_key(ImGuiKey_Enter) || ui_.take_key(ImGuiKey_KeypadEnter))) {
    activated_ = spec_.cursor;
  }
  if (spec_.starts_with) type_ahead();
}

void RowList::type_ahead() {
  // Reserved characters are commands of the tree or of the app.
  if (ui_.has_typed('*') || ui_.has_typed('/') || ui_.has_typed('?') || ui_.has_typed(' ')) return;
  const std::string typed = ui_.take_typed();
  if (typed.empty() || spec_.count == 0) return;
  const double now = ImGui::GetTime();
  const bool goes_on = !state_.typed.empty() && now - state_.typed_at < kTypeAheadSeconds;
  if (!goes_on) state_.typed.clear();
  for (const char character : typed) {
    state_.typed += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
  state_.typed_at = now;
  // A new search begins after the cursor; while one goes on the present row may still fit.
  const std::uint32_t start = spec_.cursor == kNone ? 0 : spec_.cursor + (goes_on ? 0U : 1U);
  for (std::uint32_t step = 0; step < spec_.count; ++step) {
    const std::uint32_t index = (start + step) % spec_.count;
    if (spec_.starts_with(index, state_.typed)) {
      move_to(static_cast<double>(index));
      return;
    }
  }
}

RowEvents RowList::open_row(std::uint32_t index, AccessNode node, Rect& rect) {
  const float y =
      rect_.y +
      std::round(static_cast<float>((static_cast<double>(index) - state_.top) * static_cast<double>(row_px_)));
  rect = {rect_.x, y, rect_.width - ui_.px(10), row_px_};
  const bool is_cursor = index == spec_.cursor;
  const std::uint32_t id = row_id(spec_.key(index));
  const ImRect box(rect.x, rect.y, rect.right(), rect.bottom());
  bool hovered = false;
  bool held = false;
  bool pressed = false;
  if (ImGui::ItemAdd(box, id, nullptr, ImGuiItemFlags_NoNav)) {
    pressed =
        ImGui::ButtonBehavior(box, id, &hovered, &held, ImGuiButtonFlags_NoNavFocus | ImGuiButtonFlags_PressedOnClick);
  }
  RowEvents events;
  events.hovered = hovered;
  events.clicked = pressed || activated_ == index;
  events.activated = activated_ == index;
  events.double_clicked = hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (pressed) ui_.access().focus(id_, false);

  const Theme& theme = ui_.theme();
  const Rect band = rect.inset(ui_.px(4), 0);
  const float rounding = ui_.px(5);
  const ImVec2 from(band.x, band.y);
  const ImVec2 to(band.right(), band.bottom());
  if (is_cursor) {
    ui_.draw().AddRectFilled(from, to, theme.selection, rounding);
  } else if (hovered) {
    ui_.draw().AddRectFilled(from, to, theme.hover, rounding);
  }
  if (is_cursor && focused_ && ui_.access().is_focus_visible()) {
    ui_.draw().AddRect(from, to, theme.accent, rounding, 0, std::max(1.0F, ui_.px(1.5F)));
  }

  node.id = id;
  node.x = rect.x;
  node.y = std::max(rect.y, rect_.y);
  node.width = rect.width;
  node.height = std::max(0.0F, std::min(rect.bottom(), rect_.bottom()) - node.y);
  node.focusable = true;
  node.focused = is_cursor && focused_;
  if (node.selected < 0) node.selected = is_cursor ? 1 : 0;
  const bool is_stop = is_cursor || (spec_.cursor == kNone && index == (spec_.begins_at_end ? entry() : first_));
  open_id_ = id;
  cells_ = 0;
  const std::uint32_t row_node = ui_.access().add(std::move(node), is_stop);
  ui_.access().open(row_node);
  return events;
}

void RowList::cell(const Rect& rect, std::string_view text) {
  AccessNode node;
  node.role = Role::Cell;
  node.name = text;
  ui_.describe(ImHashData(&cells_, sizeof cells_, open_id_), rect, std::move(node));
  ++cells_;
}

void RowList::close_row() { ui_.access().close(); }

}  // namespace nns::widgets
