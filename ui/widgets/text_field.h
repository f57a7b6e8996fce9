#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/icon.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

struct TextFieldResult {
  bool is_active = false;  ///< it has the keyboard
  bool changed = false;
  bool entered = false;  ///< Enter was pressed in it
  bool escaped = false;  ///< Escape was pressed in it while it was empty (or at any time, see TextFieldSpec)
};

struct TextFieldSpec {
  std::string_view name;  ///< accessible name
  std::string_view placeholder;
  std::optional<Icon> icon;
  host::Role role = host::Role::Textbox;
  bool take_focus = false;  ///< the keyboard goes here now
  bool changed = false;     ///< the caller has changed the text: the cursor goes behind it
  Type type = Type::Body;
  bool escape_leaves = false;  ///< Escape is told at once and clears nothing; the cursor begins behind the text
};

/// One line of text. Escape clears it, then leaves it. The system clipboard, undo and selection are Dear ImGui's.
TextFieldResult text_field(Ui& ui, const Rect& rect, std::string& text, const TextFieldSpec& spec);

/// For the text control that was submitted last and is active: takes our focus when it was just entered by the mouse,
/// and leaves it (false) when our focus went elsewhere, as by Tab.
bool follow_text_focus(Ui& ui, std::uint32_t id);

}  // namespace nns::widgets
