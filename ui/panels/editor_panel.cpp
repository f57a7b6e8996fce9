#include "ui/panels/editor_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ui/model/format.h"
#include "ui/panels/hold_button.h"
#include "ui/text/editing.h"
#include "ui/text/letters.h"
#include "ui/widgets/button.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

constexpr ImGuiKeyChord kCtrl = ImGuiMod_Ctrl;
constexpr ImGuiKeyChord kShift = ImGuiMod_Shift;

void refresh_found(EditorPanelState& state) {
  if (state.found_version == state.buffer.version() && state.found_query == state.query) return;
  state.found = model::find_all(state.buffer, state.query);
  state.found_version = state.buffer.version();
  state.found_query = state.query;
}

void go_to_found(EditorPanelState& state, bool forward) {
  refresh_found(state);
  const text::TextRange chosen = state.buffer.selection().range();
  const std::size_t at = model::next_found(state.found, forward ? chosen.end : chosen.begin, forward);
  if (at == SIZE_MAX) return;
  state.buffer.select(text::TextSelection{state.found[at].begin, state.found[at].end});
  state.code.reveal_caret = true;
}

void show_find(EditorPanelState& state, bool with_replace) {
  const text::TextRange chosen = state.buffer.selection().range();
  if (!chosen.is_empty() && chosen.begin.line == chosen.end.line) {
    state.query.text = state.buffer.text(chosen);
    state.find_changed = true;
  }
  state.find_shown = true;
  state.replace_shown |= with_replace;
  state.take_find_focus = true;
}

void replace_one(EditorPanelState& state) {
  refresh_found(state);
  const text::TextRange chosen = state.buffer.selection().range();
  const auto at = std::find(state.found.begin(), state.found.end(), chosen);
  if (at != state.found.end()) state.buffer.replace(chosen, state.replacement);
  go_to_found(state, true);
}

std::string found_text(const EditorPanelState& state) {
  if (state.query.text.empty()) return {};
  if (state.found.empty()) return "Not found";
  const auto at = std::find(state.found.begin(), state.found.end(), state.buffer.selection().range());
  if (at == state.found.end()) return fmt::format("{} found", model::thousands(state.found.size()));
  return fmt::format("{} of {}", model::thousands(static_cast<std::uint64_t>(at - state.found.begin()) + 1),
                     model::thousands(state.found.size()));
}

void close_find(EditorPanelState& state) {
  state.find_shown = state.replace_shown = false;
  state.code.take_focus = true;
}

void draw_find(Ui& ui, Rect line, EditorPanelState& state) {
  line = line.inset(ui.px(12), ui.px(4));
  if (widgets::icon_button(ui, line.cut_right(ui.px(28)), Icon::Close, "Close the search", "Esc")) close_find(state);
  if (widgets::icon_button(ui, line.cut_right(ui.px(28)), Icon::ArrowRight, "Next place", "Enter"))
    go_to_found(state, true);
  if (widgets::icon_button(ui, line.cut_right(ui.px(28)), Icon::ArrowLeft, "Previous place", "Shift+Enter")) {
    go_to_found(state, false);
  }
  const auto toggle = [&](std::string_view label, std::string_view name, bool& on) {
    const Rect place = line.cut_right(ui.px(34)).inset(ui.px(2), 0);
    AccessNode node;
    node.role = Role::Switch;
    node.name = name;
    node.checked = on ? 1 : 0;
    const widgets::Interaction what = ui.control(ui.id(label), place, std::move(node));
    if (what.clicked) on = !on;
    if (on || what.hovered) {
      ui.draw().AddRectFilled(ImVec2(place.x, place.y), ImVec2(place.right(), place.bottom()),
                              on ? ui.theme().selection : ui.theme().hover, ui.px(5));
    }
    ui.paint_line(place, Type::CodeSmall, on ? ui.theme().accent : ui.theme().muted, label, 0.5F);
    ui.tooltip(what, name);
    if (what.focus_visible) ui.focus_ring(place, ui.px(5));
  };
  toggle("ab|", "Whole words", state.query.whole_word);
  toggle("Aa", "Match case", state.query.match_case);
  refresh_found(state);
  const std::string told = found_text(state);
  const Rect count = line.cut_right(ui.px(84));
  ui.paint_line(count.inset(ui.px(6), 0), Type::Small, state.found.empty() ? ui.theme().danger : ui.theme().muted, told,
                1);
  AccessNode node;
  node.role = Role::Status;
  node.name = told;
  ui.describe(ui.id("##found"), count, std::move(node));
  widgets::TextFieldSpec spec;
  spec.name = "Find in the source";
  spec.placeholder = "Find";
  spec.icon = Icon::Search;
  spec.role = Role::Searchbox;
  spec.take_focus = std::exchange(state.take_find_focus, false);
  spec.changed = std::exchange(state.find_changed, false);
  spec.escape_leaves = true;
  const widgets::TextFieldResult typed = widgets::text_field(ui, line, state.query.text, spec);
  state.has_keyboard |= typed.is_active;
  if (typed.changed) {
    refresh_found(state);
    state.buffer.select(state.buffer.selection().range().begin);
    go_to_found(state, true);
  } else if (typed.entered) {
    go_to_found(state, !ImGui::GetIO().KeyShift);
  }
  if (typed.escaped) close_find(state);
}

void draw_replace(Ui& ui, Rect line, EditorPanelState& state) {
  line = line.inset(ui.px(12), ui.px(4));
  const Rect all = line.cut_right(widgets::button_width(ui, "Replace all", false));
  line.cut_right(ui.px(6));
  const Rect one = line.cut_right(widgets::button_width(ui, "Replace", false));
  line.cut_right(ui.px(8));
  widgets::TextFieldSpec spec;
  spec.name = "Replace with";
  spec.placeholder = "Replace with";
  spec.escape_leaves = true;
  const widgets::TextFieldResult typed = widgets::text_field(ui, line, state.replacement, spec);
  state.has_keyboard |= typed.is_active;
  if (typed.escaped) close_find(state);
  const bool replaces = widgets::button(ui, one, "Replace", widgets::ButtonStyle::Plain, {}, state.found.empty());
  if (replaces || typed.entered) replace_one(state);
  if (widgets::button(ui, all, "Replace all", widgets::ButtonStyle::Plain, {}, state.found.empty())) {
    refresh_found(state);
    model::replace_found(state.buffer, state.found, state.replacement);
  }
}

void draw_goto(Ui& ui, Rect line, EditorPanelState& state) {
  widgets::TextFieldSpec spec;
  spec.name = "Go to line";
  spec.placeholder = "Go to line";
  spec.take_focus = std::exchange(state.take_goto_focus, false);
  spec.escape_leaves = true;
  const widgets::TextFieldResult typed =
      widgets::text_field(ui, line.inset(ui.px(12), ui.px(4)), state.goto_line, spec);
  state.has_keyboard |= typed.is_active;
  if (typed.entered) {
    const long number = std::strtol(state.goto_line.c_str(), nullptr, 10);
    if (number > 0) text::go_to_line(state.buffer, number);
    state.code.reveal_caret = true;
  }
  if (!typed.entered && !typed.escaped) return;
  state.goto_shown = false;
  state.code.take_focus = true;
}

void draw_status(Ui& ui, Rect line, const EditorPanelModel& model, EditorPanelState& state) {
  line = line.inset(ui.px(12), 0);
  const text::TextPlace caret = state.buffer.selection().caret;
  const std::string place =
      fmt::format("Line {}, column {}", caret.line + 1, text::cell_of(state.buffer.line(caret.line), caret.column) + 1);
  const Rect right = line.cut_right(ui.text_width(Type::Small, place) + ui.px(8));
  ui.paint_line(right, Type::Small, ui.theme().muted, place, 1);
  // The problem of the caret's line, else the first one there is.
  const text::SourceProblem* problem = model.looks != nullptr ? model.looks->problem_on(caret.line) : nullptr;
  const auto find_in = [&](const std::vector<text::SourceProblem>& problems, bool here) {
    for (const text::SourceProblem& one : problems) {
      if (problem == nullptr && (!here || one.range.begin.line == caret.line)) problem = &one;
    }
  };
  if (model.run_problems != nullptr) find_in(*model.run_problems, true);
  if (model.looks != nullptr) find_in(model.looks->problems(), false);
  if (model.run_problems != nullptr) find_in(*model.run_problems, false);
  AccessNode node;
  node.role = Role::Status;
  if (problem != nullptr) {
    const std::string told = fmt::format("Line {}: {}", problem->range.begin.line + 1, problem->message);
    paint_icon(ui, Icon::Warning, line.cut_left(ui.px(18)), ui.theme().danger, 13);
    line.cut_left(ui.px(4));
    if (ui.paint_line(line, Type::Small, ui.theme().danger, told)) ui.tooltip_at(line, told);
    node.name = told;
  } else {
    node.name = "No problems";
  }
  ui.describe(ui.id("##problem"), line, std::move(node));
}

}  // namespace

std::optional<Intent> draw_editor_panel(Ui& ui, Rect area, const EditorPanelModel& model, EditorPanelState& state) {
  state.has_keyboard = false;
  std::optional<Intent> intent;
  ImGui::PushID("editor");
  Rect bar = area.cut_top(ui.px(36)).inset(ui.px(12), ui.px(4));
  const Rect run = bar.cut_left(widgets::button_width(ui, "Run", true));
  if (widgets::button(ui, run, "Run", widgets::ButtonStyle::Primary, Icon::ArrowRight, false,
                      "Runs this text from its beginning (Ctrl+Enter)")) {
    intent = RunSource{};
  }
  bar.cut_left(ui.px(8));
  if (model.is_running) {
    const Rect stop = bar.cut_left(widgets::button_width(ui, "Stop", true));
    if (widgets::button(ui, stop, "Stop", widgets::ButtonStyle::Plain, Icon::Close)) intent = StopProgram{};
    bar.cut_left(ui.px(8));
    if (draw_hold(ui, bar.cut_left(hold_width(ui)), model.is_held)) intent = HoldProgram{!model.is_held};
    bar.cut_left(ui.px(8));
  }
  if (widgets::icon_button(ui, bar.cut_right(ui.px(28)), Icon::Search, "Find and replace", "Ctrl+H"))
    show_find(state, true);
  const std::string told = state.buffer.is_modified() ? model.name + " \xE2\x80\xA2 changed" : model.name;
  ui.paint_line(bar, Type::Small, ui.theme().muted, told);
  AccessNode node;
  node.role = Role::Text;
  node.name = state.buffer.is_modified() ? model.name + ", changed" : model.name;
  ui.describe(ui.id("##name"), bar, std::move(node));

  if (state.find_shown) draw_find(ui, area.cut_top(ui.px(40)), state);
  if (state.find_shown && state.replace_shown) draw_replace(ui, area.cut_top(ui.px(40)), state);
  if (state.goto_shown) draw_goto(ui, area.cut_top(ui.px(40)), state);
  const Rect status = area.cut_bottom(ui.px(26));

  std::vector<widgets::CodeHighlight> lit;
  if (state.find_shown) {
    const text::TextRange chosen = state.buffer.selection().range();
    // Only those that can be seen.
    const auto first = static_cast<std::uint32_t>(state.code.top);
    const auto from = std::lower_bound(
        state.found.begin(), state.found.end(), text::TextPlace{first, 0},
        [](const text::TextRange& range, const text::TextPlace& place) { return range.begin < place; });
    constexpr std::uint32_t kMostLines = 400;
    for (auto one = from; one != state.found.end() && one->begin.line < first + kMostLines; ++one) {
      lit.push_back(
          {*one, *one == chosen ? widgets::CodeHighlight::Kind::Chosen : widgets::CodeHighlight::Kind::Found});
    }
  }
  widgets::CodeEditorSpec spec;
  const std::string name = fmt::format("Source of {}", model.name);
  spec.name = name;
  spec.looks = model.looks;
  if (model.run_problems != nullptr) spec.problems = *model.run_problems;
  spec.highlights = lit;
  spec.breakpoints = model.breakpoints;
  const widgets::CodeEditorResult result = widgets::code_editor(ui, area, state.buffer, state.code, spec);
  state.has_keyboard |= result.is_active;
  if (result.toggled_breakpoint) intent = ToggleBreakpoint{*result.toggled_breakpoint};
  if (result.is_active) {
    if (ui.take_key(ImGuiKey_Enter, kCtrl) || ui.take_key(ImGuiKey_F5)) intent = RunSource{};
    if (ui.take_key(ImGuiKey_H, kCtrl)) show_find(state, true);
    if (ui.take_key(ImGuiKey_G, kCtrl)) {
      state.goto_shown = state.take_goto_focus = true;
      state.goto_line.clear();
    }
    if (ui.take_key(ImGuiKey_F3)) go_to_found(state, true);
    if (ui.take_key(ImGuiKey_F3, kShift)) go_to_found(state, false);
  }
  draw_status(ui, status, model, state);
  ImGui::PopID();
  return intent;
}

}  // namespace nns::panels
