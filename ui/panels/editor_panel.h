#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/model/text_search.h"
#include "ui/panels/intent.h"
#include "ui/text/source_looks.h"
#include "ui/text/text_buffer.h"
#include "ui/widgets/code_editor.h"

namespace nns::panels {

/// What the editor of a program shows beside its text.
struct EditorPanelModel {
  std::string name;  ///< of the file
  bool is_running = false;
  bool is_held = false;  ///< it stands still until it is let go
  const text::SourceLooks* looks = nullptr;
  const text::LineSet* breakpoints = nullptr;
  const std::vector<text::SourceProblem>* run_problems = nullptr;  ///< what happened when it ran last
};
/// The text, where it is scrolled to, and what is looked for in it.
struct EditorPanelState {
  text::TextBuffer buffer;
  widgets::CodeEditorState code;
  bool has_keyboard = false;  ///< out: what is typed goes into the text, or into what is looked for in it
  bool find_shown = false;
  bool replace_shown = false;
  bool take_find_focus = false;
  bool find_changed = false;  ///< not by the person
  model::TextQuery query;
  std::string replacement;
  bool goto_shown = false;
  bool take_goto_focus = false;
  std::string goto_line;
  /// What was found in which version of the text, for which query.
  std::vector<text::TextRange> found;
  std::uint64_t found_version = 0;
  model::TextQuery found_query;
};

/// The source of a program, to be edited and run: a bar, what is looked for, the text, a line that says where the caret
/// is and what is wrong. What is typed changes `state.buffer`.
std::optional<Intent> draw_editor_panel(widgets::Ui& ui, widgets::Rect area, const EditorPanelModel& model,
                                        EditorPanelState& state);

}  // namespace nns::panels
