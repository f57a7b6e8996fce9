#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/widgets/access.h"
#include "ui/widgets/rect.h"
#include "ui/widgets/theme.h"

namespace nns::widgets {

/// The type scale: words in Inter, code and numbers in JetBrains Mono.
enum class Type : std::uint8_t { Small, SmallStrong, Body, Strong, Heading, Title, Display, Code, CodeSmall };

struct Fonts {
  ImFont* regular = nullptr;
  ImFont* strong = nullptr;
  ImFont* code = nullptr;
};

/// What happened to a control in this frame.
struct Interaction {
  std::uint32_t id = 0;
  bool hovered = false;
  bool held = false;
  bool clicked = false;  ///< by mouse, Enter, Space or assistive technology
  bool double_clicked = false;
  bool focused = false;
  bool focus_visible = false;  ///< draw the focus ring
  std::uint32_t node = 0;      ///< its index in the access tree
};

/// Whether a text field has the keyboard.
bool has_text_field();

/// A screen's vertical part that scrolls: how far, and how tall its content was in the last frame. Units: pixels.
struct ScrollState {
  float offset = 0;
  float content = 0;
};

/// What every widget gets: theme, fonts, scale, input that is still free, and the access tree. One for each App.
/// Every control of the explorer is drawn by a function that takes it, and so is in the access tree.
class Ui {
 public:
  explicit Ui(Fonts fonts) : fonts_(fonts) {}
  const Fonts& fonts() const { return fonts_; }

  struct FrameInput {
    const Theme* theme = nullptr;
    float scale = 1;  ///< Dear ImGui's units per unit of the design
    bool reduced_motion = false;
    std::vector<host::AccessAction> actions;
  };
  /// Between ImGui::NewFrame() and the first widget.
  void begin_frame(FrameInput input);
  /// After the last widget: moves the focus (Tab, F6) and closes the access tree. True if the tree changed.
  bool end_frame();

  const Theme& theme() const { return *theme_; }
  float scale() const { return scale_; }
  /// Design units to whole pixels.
  float px(float units) const;
  bool reduced_motion() const { return reduced_motion_; }
  AccessTree& access() { return access_; }
  /// The controls of the frame that was ended last.
  std::span<const host::AccessNode> controls() const { return access_.nodes(); }
  ImDrawList& draw() const { return *ImGui::GetWindowDrawList(); }

  // ------------------------------------------------------------ text
  ImFont* font(Type type) const;
  float font_size(Type type) const;
  float line_height(Type type) const;
  float text_width(Type type, std::string_view text) const;
  /// Draws one line with its top left corner at `x`, `y`; no node in the access tree.
  void paint_text(float x, float y, Type type, Colour colour, std::string_view text) const;
  /// One line in the vertical middle of `rect`, cut in its middle if it is too long; true if it was cut. `align`: 0
  /// left, 1 right.
  bool paint_line(const Rect& rect, Type type, Colour colour, std::string_view text, float align = 0) const;
  /// `text` with "…" in the middle so that it fits `width`.
  std::string elide_middle(Type type, std::string_view text, float width) const;

  // ------------------------------------------------------------ controls
  /// The id of `label` in the present id scope, never 0.
  std::uint32_t id(std::string_view label) const;
  /// Puts a control on the screen: mouse, keyboard, assistive technology. `node` says role, name and state; id and
  /// place are filled in from `id` and `rect`. Draws nothing but the focus ring's request (see focus_ring()).
  Interaction control(std::uint32_t id, const Rect& rect, host::AccessNode node, bool is_stop = true);
  /// Adds something that cannot be operated (text, picture, group) to the access tree.
  std::uint32_t describe(std::uint32_t id, const Rect& rect, host::AccessNode node);
  /// Opens a group that holds the controls until close_group().
  std::uint32_t open_group(std::uint32_t id, const Rect& rect, host::Role role, std::string name);
  void close_group() { access_.close(); }
  void focus_ring(const Rect& rect, float rounding) const;

  /// Shows `text` beside the pointer while `what` is hovered, after a moment.
  void tooltip(const Interaction& what, std::string_view text);
  /// The same for a part of the screen that is no control.
  void tooltip_at(const Rect& rect, std::string_view text);
  /// The text that is to be shown as a tooltip in this frame (drawn by end_frame()).
  void draw_tooltip();

  // ------------------------------------------------------------ input
  bool is_hovered(const Rect& rect) const;
  /// A key press (repeats count if `repeats`) that nobody took yet in this frame, with exactly these modifiers
  /// (ImGuiMod_*). Takes it.
  bool take_key(ImGuiKey key, ImGuiKeyChord mods = 0, bool repeats = true);
  /// Characters typed in this frame, unless a text field has them. Takes them.
  std::string take_typed();
  bool has_typed(char character) const;
  bool take_typed(char character);
  /// The wheel over `rect`, in lines; 0 if it was taken. `ctrl` must match the Ctrl (or Command) key.
  float take_wheel(const Rect& rect, bool ctrl);
  bool is_typing() const { return typing_; }
  /// A control of ours that takes text, as the code editor: while it has the focus letters are its, and no commands.
  void add_text_control(std::uint32_t id) { text_controls_.push_back(id); }
  /// Characters that came in this frame for the text control that has the focus; "\n" only in what was pasted. Takes
  /// them.
  std::string take_text() { return std::exchange(text_, {}); }
  /// The text field `id` asks Dear ImGui for the keyboard, which takes some frames.
  void expect_typing(std::uint32_t id);
  bool has_pending_focus() const { return access_.has_pending_focus(); }
  /// The focus and the keyboard are where the last input sent them: the next may come (see InputGate).
  bool is_ready() const { return awaited_field_ == 0 && !access_.has_pending_focus(); }
  /// Whether the screen should be drawn again soon: something moves.
  void request_frame() { wants_frame_ = true; }
  bool wants_frame() const { return wants_frame_; }

  // ------------------------------------------------------------ scrolling
  /// Opens a part that scrolls; draw its content from the returned rectangle's top, then say how tall it was.
  Rect begin_scroll(std::uint32_t id, const Rect& rect, ScrollState& state);
  void end_scroll(float content_height);

 private:
  struct Scroll {
    std::uint32_t id = 0;
    Rect rect;
    ScrollState* state = nullptr;
  };
  Fonts fonts_;
  const Theme* theme_ = nullptr;
  float scale_ = 1;
  bool reduced_motion_ = false;
  bool typing_ = false;
  bool wants_frame_ = false;
  std::uint32_t awaited_field_ = 0;
  int awaited_frames_ = 0;
  float wheel_ = 0;
  std::string typed_;
  std::string text_;
  std::vector<std::uint32_t> text_controls_;  ///< drawn in this frame, or in the last one until begin_frame()
  std::vector<ImGuiKeyChord> taken_;
  AccessTree access_;
  std::vector<Scroll> scrolls_;
  std::string tooltip_;
  std::uint32_t hovered_id_ = 0;
  double hovered_since_ = 0;
};

/// A vertical scrollbar for `total` units of which `page` fit, at `top`; gives the new top.
double scrollbar(Ui& ui, std::uint32_t id, const Rect& rect, double top, double page, double total);

}  // namespace nns::widgets
