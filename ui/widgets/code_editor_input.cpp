#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "ui/host/host.h"
#include "ui/text/editing.h"
#include "ui/text/letters.h"
#include "ui/widgets/code_editor_parts.h"

namespace nns::widgets {

namespace {

constexpr ImGuiKeyChord kCtrl = ImGuiMod_Ctrl;
constexpr ImGuiKeyChord kShift = ImGuiMod_Shift;
constexpr ImGuiKeyChord kAlt = ImGuiMod_Alt;

/// Keys that move the caret; with Shift they choose.
bool take_motion(Ui& ui, text::TextBuffer& buffer, CodeEditorState& state, const CodeEditorPlaces& places) {
  using text::Motion;
  struct Row {
    ImGuiKey key;
    ImGuiKeyChord mods;
    Motion motion;
    bool forward;
  };
  constexpr Row kRows[] = {
      {ImGuiKey_LeftArrow, 0, Motion::Letter, false},   {ImGuiKey_RightArrow, 0, Motion::Letter, true},
      {ImGuiKey_LeftArrow, kCtrl, Motion::Word, false}, {ImGuiKey_RightArrow, kCtrl, Motion::Word, true},
      {ImGuiKey_Home, 0, Motion::LineEdge, false},      {ImGuiKey_End, 0, Motion::LineEdge, true},
      {ImGuiKey_Home, kCtrl, Motion::TextEdge, false},  {ImGuiKey_End, kCtrl, Motion::TextEdge, true},
  };
  for (const Row& row : kRows) {
    for (const bool extends : {false, true}) {
      if (!ui.take_key(row.key, row.mods | (extends ? kShift : 0))) continue;
      text::move_caret(buffer, row.motion, row.forward, extends);
      state.goal_cell = UINT32_MAX;
      return true;
    }
  }
  const auto page = static_cast<std::int64_t>(std::max(1.0, std::floor(places.page_lines) - 1));
  const std::pair<ImGuiKey, std::int64_t> lines[] = {
      {ImGuiKey_UpArrow, -1}, {ImGuiKey_DownArrow, 1}, {ImGuiKey_PageUp, -page}, {ImGuiKey_PageDown, page}};
  for (const auto& [key, count] : lines) {
    for (const bool extends : {false, true}) {
      if (!ui.take_key(key, extends ? kShift : 0)) continue;
      const text::TextPlace caret = buffer.selection().caret;
      if (state.goal_cell == UINT32_MAX) state.goal_cell = text::cell_of(buffer.line(caret.line), caret.column);
      text::move_by_lines(buffer, count, state.goal_cell, extends);
      return true;
    }
  }
  return false;
}

bool take_edit(Ui& ui, text::TextBuffer& buffer, const CodeEditorState& state) {
  using Edit = void (*)(text::TextBuffer&);
  struct Row {
    ImGuiKey key;
    ImGuiKeyChord mods;
    Edit edit;
  };
  static constexpr Row kRows[] = {
      {ImGuiKey_Enter, 0, &text::new_line},
      {ImGuiKey_KeypadEnter, 0, &text::new_line},
      {ImGuiKey_Backspace, 0, [](text::TextBuffer& b) { text::erase(b, false, false); }},
      {ImGuiKey_Backspace, kShift, [](text::TextBuffer& b) { text::erase(b, false, false); }},
      {ImGuiKey_Backspace, kCtrl, [](text::TextBuffer& b) { text::erase(b, false, true); }},
      {ImGuiKey_Delete, 0, [](text::TextBuffer& b) { text::erase(b, true, false); }},
      {ImGuiKey_Delete, kCtrl, [](text::TextBuffer& b) { text::erase(b, true, true); }},
      {ImGuiKey_Slash, kCtrl, &text::toggle_comment},
      {ImGuiKey_D, kCtrl, &text::duplicate},
      {ImGuiKey_K, kCtrl | kShift, &text::delete_lines},
      {ImGuiKey_UpArrow, kAlt, [](text::TextBuffer& b) { text::move_lines(b, false); }},
      {ImGuiKey_DownArrow, kAlt, [](text::TextBuffer& b) { text::move_lines(b, true); }},
      {ImGuiKey_RightBracket, kCtrl, &text::indent},
      {ImGuiKey_LeftBracket, kCtrl, &text::dedent},
      {ImGuiKey_Z, kCtrl, [](text::TextBuffer& b) { b.undo(); }},
      {ImGuiKey_Z, kCtrl | kShift, [](text::TextBuffer& b) { b.redo(); }},
      {ImGuiKey_Y, kCtrl, [](text::TextBuffer& b) { b.redo(); }},
  };
  for (const Row& row : kRows) {
    if (!ui.take_key(row.key, row.mods)) continue;
    row.edit(buffer);
    return true;
  }
  if (!state.leaves_by_tab) {
    if (ui.take_key(ImGuiKey_Tab)) {
      text::indent(buffer);
      return true;
    }
    if (ui.take_key(ImGuiKey_Tab, kShift)) {
      text::dedent(buffer);
      return true;
    }
  }
  // Pasted text comes as typed text in a browser, where the clipboard is empty to us.
  if (ui.take_key(ImGuiKey_V, kCtrl) || ui.take_key(ImGuiKey_Insert, kShift)) {
    const char* clipboard = ImGui::GetClipboardText();
    if (clipboard != nullptr && *clipboard != '\0') text::paste(buffer, clipboard);
    return true;
  }
  return false;
}

}  // namespace

bool take_editor_keys(Ui& ui, text::TextBuffer& buffer, CodeEditorState& state, const CodeEditorSpec& spec,
                      const CodeEditorPlaces& places, CodeEditorResult& result) {
  const std::string typed = ui.take_text();
  if (!typed.empty()) {
    state.leaves_by_tab = false;
    state.goal_cell = UINT32_MAX;
    if (!spec.read_only) text::type(buffer, typed);
  }
  bool moved = !typed.empty() || take_motion(ui, buffer, state, places);
  if (ui.take_key(ImGuiKey_A, kCtrl)) text::select_all(buffer);
  const bool cuts = ui.take_key(ImGuiKey_X, kCtrl);
  if (cuts || ui.take_key(ImGuiKey_C, kCtrl) || ui.take_key(ImGuiKey_Insert, kCtrl)) {
    ImGui::SetClipboardText(text::copied_text(buffer).c_str());
    if (cuts && !spec.read_only) text::cut(buffer);
    moved |= cuts;
  }
  if (!spec.read_only && take_edit(ui, buffer, state)) {
    moved = true;
    state.goal_cell = UINT32_MAX;
  }
  if (spec.breakpoints != nullptr && ui.take_key(ImGuiKey_F9)) {
    result.toggled_breakpoint = buffer.selection().caret.line;
  }
  if (ui.take_key(ImGuiKey_Escape)) state.leaves_by_tab = true;
  if (moved && typed.empty() && !ImGui::IsKeyPressed(ImGuiKey_Escape)) state.leaves_by_tab = false;
  return moved;
}

bool take_editor_mouse(Ui& ui, const Interaction& what, const LetterGrid& grid, text::TextBuffer& buffer,
                       CodeEditorState& state, const CodeEditorSpec& spec, const CodeEditorPlaces& places,
                       CodeEditorResult& result) {
  const ImGuiIO& io = ImGui::GetIO();
  const double line_at = state.top + static_cast<double>((io.MousePos.y - places.code.y) / places.line_px);
  const auto line =
      static_cast<std::uint32_t>(std::clamp(std::floor(line_at), 0.0, static_cast<double>(buffer.line_count()) - 1));
  const bool is_below = line_at >= static_cast<double>(buffer.line_count());
  const float x = io.MousePos.x - places.code.x + state.left;
  const text::TextPlace place =
      is_below ? buffer.end() : text::TextPlace{line, grid.column_at(buffer.line(line), std::max(0.0F, x))};
  if (what.hovered && places.code.contains(io.MousePos.x, io.MousePos.y)) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    if (!is_below) result.hovered = place;
  }
  const bool pressed = what.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (pressed) {
    state.goal_cell = UINT32_MAX;
    const bool in_gutter = places.gutter.contains(io.MousePos.x, io.MousePos.y);
    if (in_gutter && spec.breakpoints != nullptr && !is_below) {
      result.toggled_breakpoint = line;
      return false;
    }
    const int clicks = ImGui::GetMouseClickedCount(ImGuiMouseButton_Left);
    if (in_gutter || clicks >= 3) {
      text::select_line(buffer, line);
    } else if (clicks == 2) {
      text::select_word(buffer, place);
    } else {
      buffer.select(text::TextSelection{io.KeyShift ? buffer.selection().anchor : place, place});
    }
    return true;
  }
  // A press in the gutter chooses no letters; nor does a double click that is held.
  const bool began_in_code = io.MouseClickedPos[ImGuiMouseButton_Left].x >= places.code.x;
  if (what.held && began_in_code && ImGui::GetMouseClickedCount(ImGuiMouseButton_Left) == 0 &&
      io.MouseClickedLastCount[ImGuiMouseButton_Left] == 1 && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) {
    buffer.select(text::TextSelection{buffer.selection().anchor, place});
    ui.request_frame();
    return true;
  }
  return false;
}

}  // namespace nns::widgets
