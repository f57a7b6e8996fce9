#include "ui/widgets/code_editor.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ui/text/editing.h"
#include "ui/text/letters.h"
#include "ui/widgets/code_editor_parts.h"
#include "ui/widgets/opacity.h"

namespace nns::widgets {

using host::AccessAction;
using host::AccessNode;
using host::Role;
using text::SourceProblem;
using text::TextPlace;
using text::TextRange;

namespace {

constexpr float kLineHeight = 1.55F;     // of the letters' size
constexpr float kMarkColumn = 18;        // design units, for breakpoints
constexpr std::size_t kMostTold = 2000;  // bytes of a line that assistive technology gets

class Drawing {
 public:
  Drawing(Ui& ui, const text::TextBuffer& buffer, const CodeEditorState& state, const CodeEditorSpec& spec,
          const CodeEditorPlaces& places, const LetterGrid& grid)
      : ui_(ui), buffer_(buffer), state_(state), spec_(spec), places_(places), grid_(grid) {}

  float y_of(std::uint32_t line) const {
    return places_.code.y + std::round(static_cast<float>((static_cast<double>(line) - state_.top) *
                                                          static_cast<double>(places_.line_px)));
  }
  float x_of(const TextPlace& place) const {
    return places_.code.x - state_.left + grid_.x_of(buffer_.line(place.line), place.column);
  }

  /// Fills the part of `range` that lies in a line; what goes over its end reaches half a letter further.
  void fill(std::uint32_t line, const TextRange& range, Colour colour) const {
    if (line < range.begin.line || line > range.end.line) return;
    const float from = line == range.begin.line ? x_of(range.begin) : places_.code.x - state_.left;
    const bool goes_on = line != range.end.line;
    const auto end = goes_on ? static_cast<std::uint32_t>(buffer_.line(line).size()) : range.end.column;
    const float to = x_of({line, end}) + (goes_on ? grid_.cell() / 2 : 0);
    if (to > from)
      list().AddRectFilled(ImVec2(from, y_of(line)), ImVec2(to, y_of(line) + places_.line_px), colour, ui_.px(2));
  }

  void squiggle(std::uint32_t line, const SourceProblem& problem) const {
    if (line < problem.range.begin.line || line > problem.range.end.line) return;
    const Colour colour = problem.severity == text::Severity::Error ? ui_.theme().danger : ui_.theme().warning;
    const std::string_view text = buffer_.line(line);
    std::uint32_t begin = line == problem.range.begin.line ? problem.range.begin.column : 0;
    while (begin < text.size() && line != problem.range.begin.line && (text[begin] == ' ' || text[begin] == '\t'))
      ++begin;
    const auto end =
        line == problem.range.end.line ? problem.range.end.column : static_cast<std::uint32_t>(text.size());
    const float from = x_of({line, begin});
    // Nothing to underline, as at a line's end, is one letter wide.
    const float to = std::max(x_of({line, end}), from + grid_.cell());
    const float y = y_of(line) + places_.line_px - ui_.px(3);
    const float step = std::max(2.0F, ui_.px(2));
    const float left = std::max(from, places_.code.x);
    const float right = std::min(to, places_.code.right());
    bool is_up = false;
    for (float x = left; x < right; x += step) {
      list().PathLineTo(ImVec2(x, y + (is_up ? -step / 2 : step / 2)));
      is_up = !is_up;
    }
    list().PathStroke(colour, 0, std::max(1.0F, ui_.px(1.2F)));
  }

  void letters(std::uint32_t line) const {
    const float y = y_of(line) + std::floor((places_.line_px - grid_.size_px()) / 2);
    grid_.paint_code(list(), ui_.theme(), buffer_.line(line),
                     spec_.looks != nullptr ? spec_.looks->line(line) : std::span<const text::TokenSpan>(),
                     places_.code.x - state_.left, y, places_.code.right());
  }

  void gutter(std::uint32_t line, bool is_caret_line) const {
    const Theme& theme = ui_.theme();
    const Rect row{places_.gutter.x, y_of(line), places_.gutter.width, places_.line_px};
    const std::string number = fmt::format("{}", line + 1);
    const float width = static_cast<float>(number.size()) * grid_.cell();
    grid_.paint(list(), number, row.right() - ui_.px(12) - width, 0,
                row.y + std::floor((places_.line_px - grid_.size_px()) / 2), is_caret_line ? theme.text : theme.muted);
    const float x = row.x + ui_.px(kMarkColumn) / 2 + ui_.px(2);
    const float radius = std::min(ui_.px(5), places_.line_px / 3);
    const bool has_breakpoint = spec_.breakpoints != nullptr && spec_.breakpoints->contains(line);
    if (has_breakpoint) list().AddCircleFilled(ImVec2(x, row.centre_y()), radius, theme.danger);
    if (spec_.running_line == line) {
      const Colour colour = spec_.running_failed ? theme.danger : theme.warning;
      const float r = radius + ui_.px(1);
      list().AddTriangleFilled(ImVec2(x - r * 0.7F, row.centre_y() - r), ImVec2(x + r, row.centre_y()),
                               ImVec2(x - r * 0.7F, row.centre_y() + r), colour);
    } else if (!has_breakpoint) {
      if (const SourceProblem* problem = problem_on(line)) {
        const bool is_error = problem->severity == text::Severity::Error;
        list().AddCircleFilled(ImVec2(x, row.centre_y()), ui_.px(3), is_error ? theme.danger : theme.warning);
      }
    }
  }

  const SourceProblem* problem_on(std::uint32_t line) const {
    for (const SourceProblem& problem : spec_.problems) {
      if (problem.range.begin.line <= line && line <= problem.range.end.line) return &problem;
    }
    return spec_.looks != nullptr ? spec_.looks->problem_on(line) : nullptr;
  }

  ImDrawList& list() const { return ui_.draw(); }

 private:
  Ui& ui_;
  const text::TextBuffer& buffer_;
  const CodeEditorState& state_;
  const CodeEditorSpec& spec_;
  const CodeEditorPlaces& places_;
  const LetterGrid& grid_;
};

CodeEditorPlaces lay_out(const Ui& ui, const Rect& rect, const text::TextBuffer& buffer, const CodeEditorSpec& spec,
                         const LetterGrid& grid) {
  CodeEditorPlaces places;
  places.line_px = std::round(grid.size_px() * kLineHeight);
  Rect rest = rect;
  const auto digits = std::max<std::size_t>(2, fmt::formatted_size("{}", buffer.line_count()));
  const bool has_marks = spec.breakpoints != nullptr || spec.looks != nullptr || spec.running_line.has_value();
  places.gutter =
      rest.cut_left(ui.px(has_marks ? kMarkColumn + 4 : 8) + static_cast<float>(digits) * grid.cell() + ui.px(12));
  rest.cut_left(ui.px(4));
  rest.cut_right(ui.px(10));
  places.code = rest;
  places.page_lines = static_cast<double>(rest.height) / static_cast<double>(places.line_px);
  return places;
}

void reveal_caret(const text::TextBuffer& buffer, CodeEditorState& state, const CodeEditorPlaces& places,
                  const LetterGrid& grid) {
  const TextPlace caret = buffer.selection().caret;
  const auto show = [&](std::uint32_t line, double margin) {
    const auto at = static_cast<double>(line);
    if (at < state.top + margin) state.top = at - margin;
    if (at + 1 > state.top + places.page_lines - margin) state.top = at + 1 - places.page_lines + margin;
  };
  if (state.reveal_line) show(*std::exchange(state.reveal_line, std::nullopt), std::floor(places.page_lines / 4));
  if (!std::exchange(state.reveal_caret, false)) return;
  show(caret.line, std::min(1.0, places.page_lines / 4));
  const float x = grid.x_of(buffer.line(caret.line), caret.column);
  const float margin = 3 * grid.cell();
  if (x < state.left + margin) state.left = std::max(0.0F, x - margin);
  if (x > state.left + places.code.width - margin) state.left = x - places.code.width + margin;
}

std::string description(const text::TextBuffer& buffer, const CodeEditorSpec& spec, const CodeEditorState& state,
                        const SourceProblem* problem) {
  const TextPlace caret = buffer.selection().caret;
  std::string told = fmt::format("Line {} of {}, column {}", caret.line + 1, buffer.line_count(),
                                 text::cell_of(buffer.line(caret.line), caret.column) + 1);
  if (spec.breakpoints != nullptr && spec.breakpoints->contains(caret.line)) told += ", breakpoint";
  if (spec.running_line == caret.line) told += ", runs now";
  if (problem != nullptr) {
    told += fmt::format(", {}: {}", problem->severity == text::Severity::Error ? "error" : "warning", problem->message);
  }
  if (!spec.read_only) told += state.leaves_by_tab ? ". Tab leaves." : ". Escape, then Tab leaves.";
  return told;
}

/// The line as far as it is told: of a long one the part around the caret.
std::string_view told_line(const text::TextBuffer& buffer) {
  const TextPlace caret = buffer.selection().caret;
  const std::string_view line = buffer.line(caret.line);
  if (line.size() <= kMostTold) return line;
  std::size_t from = caret.column > kMostTold / 2 ? caret.column - kMostTold / 2 : 0;
  from = buffer.clamp({caret.line, static_cast<std::uint32_t>(from)}).column;
  const std::size_t to =
      buffer.clamp({caret.line, static_cast<std::uint32_t>(std::min(line.size(), from + kMostTold))}).column;
  return line.substr(from, to - from);
}

}  // namespace

CodeEditorResult code_editor(Ui& ui, const Rect& rect, text::TextBuffer& buffer, CodeEditorState& state,
                             const CodeEditorSpec& spec) {
  CodeEditorResult result;
  const Theme& theme = ui.theme();
  const std::uint64_t version = buffer.version();
  ImGui::PushID(spec.name.data(), spec.name.data() + spec.name.size());
  const std::uint32_t id = ui.id("##code");
  if (const float wheel = ui.take_wheel(rect, true); wheel != 0) {
    state.zoom = std::clamp(state.zoom + (wheel > 0 ? 1 : -1), -5, 20);
  }
  const float size = std::max(6.0F, std::round(ui.font_size(Type::Code) * (1 + 0.1F * static_cast<float>(state.zoom))));
  const LetterGrid grid(ui, size);
  const CodeEditorPlaces places = lay_out(ui, rect, buffer, spec, grid);

  if (std::exchange(state.take_focus, false)) ui.access().focus(id, true);
  ui.add_text_control(id);
  const auto set = ui.access().take(id, AccessAction::Kind::SetText);
  if (set && !spec.read_only && buffer.line(buffer.selection().caret.line).size() <= kMostTold) {
    const std::uint32_t line = buffer.selection().caret.line;
    if (set->text != buffer.line(line)) {
      const TextRange whole{{line, 0}, {line, static_cast<std::uint32_t>(buffer.line(line).size())}};
      buffer.replace(whole, buffer.with_own_ends(set->text));
      state.reveal_caret = true;
    }
  }
  // The element of assistive technology lies over the caret's line, where an input method shows what it composes.
  const Drawing drawing(ui, buffer, state, spec, places, grid);
  AccessNode node;
  node.role = Role::Textbox;
  node.name = spec.name;
  node.value = told_line(buffer);
  const Interaction what = ui.control(id, rect, std::move(node));
  // Assistive technology that presses it wants to type.
  if (what.clicked && !what.hovered) ui.access().focus(id, true);
  result.is_active = what.focused;
  if (what.focused && take_editor_keys(ui, buffer, state, spec, places, result)) state.reveal_caret = true;
  if (!what.focused) state.leaves_by_tab = false;
  if (take_editor_mouse(ui, what, grid, buffer, state, spec, places, result)) state.reveal_caret = true;
  if (const float wheel = ui.take_wheel(rect, false); wheel != 0) {
    if (ImGui::GetIO().KeyShift) {
      state.left -= wheel * grid.cell() * 6;
    } else {
      state.top -= static_cast<double>(wheel) * 3;
    }
  }
  if (what.hovered) state.left -= ImGui::GetIO().MouseWheelH * grid.cell() * 6;
  reveal_caret(buffer, state, places, grid);
  state.top = std::clamp(state.top, 0.0, std::max(0.0, static_cast<double>(buffer.line_count()) - places.page_lines));
  const auto first = static_cast<std::uint32_t>(state.top);
  const auto end = std::min(buffer.line_count(), first + static_cast<std::uint32_t>(std::ceil(places.page_lines)) + 1);
  state.widest = 0;
  for (std::uint32_t line = first; line < end; ++line) {
    const std::string_view text = buffer.line(line);
    state.widest = std::max(state.widest, grid.x_of(text, static_cast<std::uint32_t>(text.size())) + 4 * grid.cell());
  }
  state.left = std::clamp(state.left, 0.0F, std::max(0.0F, state.widest - places.code.width));

  // ---- what is seen
  ImDrawList& list = ui.draw();
  list.AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), theme.surface);
  list.PushClipRect(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), true);
  const text::TextSelection chosen = buffer.selection();
  const TextPlace caret = chosen.caret;
  if (what.focused && chosen.is_empty() && caret.line >= first && caret.line < end) {
    const float y = drawing.y_of(caret.line);
    list.AddRectFilled(ImVec2(rect.x, y), ImVec2(rect.right(), y + places.line_px), theme.hover);
  }
  if (spec.running_line && *spec.running_line >= first && *spec.running_line < end) {
    const float y = drawing.y_of(*spec.running_line);
    const Colour colour = spec.running_failed ? theme.danger : theme.warning;
    list.AddRectFilled(ImVec2(rect.x, y), ImVec2(rect.right(), y + places.line_px), with_alpha(colour, 0.12F));
  }
  for (std::uint32_t line = first; line < end; ++line) drawing.gutter(line, what.focused && line == caret.line);
  list.PushClipRect(ImVec2(places.code.x - ui.px(2), rect.y), ImVec2(rect.right(), rect.bottom()), true);
  const auto is_code = [&](const TextPlace& place) { return spec.looks == nullptr || spec.looks->is_code(place); };
  const auto brackets = what.focused ? text::matching_brackets(buffer, caret, is_code) : std::nullopt;
  for (std::uint32_t line = first; line < end; ++line) {
    for (const CodeHighlight& lit : spec.highlights) {
      const bool is_running = lit.kind == CodeHighlight::Kind::Running;
      const float opacity = lit.kind == CodeHighlight::Kind::Found ? 0.22F : 0.35F;
      drawing.fill(line, lit.range, with_alpha(is_running ? theme.warning : theme.hook, opacity));
    }
    if (!chosen.is_empty()) {
      drawing.fill(line, chosen.range(), with_alpha(theme.accent, what.focused ? kSelectedTextOpacity : 0.2F));
    }
    if (brackets) {
      for (const TextPlace& one : {brackets->open, brackets->close}) {
        if (one.line != line) continue;
        const float x = drawing.x_of(one);
        list.AddRect(ImVec2(x, drawing.y_of(line) + 1),
                     ImVec2(x + grid.cell(), drawing.y_of(line) + places.line_px - 1), theme.muted, ui.px(2));
      }
    }
    drawing.letters(line);
    for (const SourceProblem& problem : spec.problems) drawing.squiggle(line, problem);
    if (spec.looks != nullptr) {
      for (const SourceProblem& problem : spec.looks->problems()) drawing.squiggle(line, problem);
    }
  }
  if (what.focused && caret.line >= first && caret.line < end) {
    const float x = std::round(drawing.x_of(caret));
    const float width = std::max(1.0F, ui.px(2));
    list.AddRectFilled(ImVec2(x - width / 2, drawing.y_of(caret.line) + 1),
                       ImVec2(x + width / 2, drawing.y_of(caret.line) + places.line_px - 1), theme.accent);
  }
  list.PopClipRect();
  const Rect bar{rect.right() - ui.px(10), rect.y, ui.px(10), rect.height};
  state.top = scrollbar(ui, id, bar, state.top, places.page_lines, static_cast<double>(buffer.line_count()));
  list.PopClipRect();
  if (what.focus_visible) {
    list.AddRect(ImVec2(rect.x, rect.y), ImVec2(rect.right(), rect.bottom()), theme.accent, 0, 0,
                 std::max(1.0F, ui.px(1.5F)));
  }

  // ---- what is told
  AccessNode& told = ui.access().at(what.node);
  const bool is_seen = caret.line >= first && caret.line < end;
  told.value = told_line(buffer);
  told.description = description(buffer, spec, state, drawing.problem_on(caret.line));
  told.takes_tab = what.focused && !spec.read_only && !state.leaves_by_tab;
  told.y = is_seen ? std::max(rect.y, drawing.y_of(caret.line)) : rect.y;
  told.height = is_seen ? places.line_px : rect.height;
  told.x = places.code.x;
  told.width = places.code.width;
  if (result.hovered) {
    const SourceProblem* problem = drawing.problem_on(result.hovered->line);
    if (problem != nullptr) ui.tooltip(what, problem->message);
  }
  result.changed = buffer.version() != version;
  ImGui::PopID();
  return result;
}

}  // namespace nns::widgets
