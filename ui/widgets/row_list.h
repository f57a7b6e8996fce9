#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/ui.h"

namespace nns::widgets {

/// Where a list of rows is scrolled to. Kept by the caller between frames.
struct RowListState {
  double top = 0;                       ///< first visible row, with fraction: exact for any number of rows
  bool reveal_cursor = false;           ///< scroll so that the cursor is seen in the next frame
  std::uint32_t seen_key = UINT32_MAX;  ///< of the chosen row, if it was drawn
  std::uint32_t seen_at = UINT32_MAX;   ///< its place then
  std::string typed;                    ///< type-ahead so far
  double typed_at = 0;

  /// Row `first` is the first one to be seen, wherever the chosen row is.
  void show_from(double first) {
    top = first;
    reveal_cursor = false;
    seen_key = UINT32_MAX;
  }
};

struct RowListSpec {
  std::string_view name;  ///< accessible name
  host::Role role = host::Role::Tree;
  float row_height = 28;  ///< design units
  std::uint32_t count = 0;
  std::uint32_t cursor = UINT32_MAX;  ///< the chosen row, if any
  bool begins_at_end = false;         ///< without a chosen row the last one is where the keyboard comes in
  float head_height = 0;              ///< design units above the rows, for `draw_head`
  /// Draws what names the columns of a table; it belongs to the table in the access tree, and does not scroll.
  std::function<void(const Rect& rect)> draw_head;
  /// Stable number of row `index` (a document row), from which its access id is made.
  std::function<std::uint32_t(std::uint32_t index)> key;
  /// Whether row `index` begins with `text` (lower case): type-ahead. Empty: no type-ahead.
  std::function<bool(std::uint32_t index, std::string_view text)> starts_with;
};

/// What was done to one row.
struct RowEvents {
  bool hovered = false;
  bool clicked = false;
  bool double_clicked = false;
  bool activated = false;  ///< Enter, or by assistive technology
};

/// Rows of equal height of which only the visible ones are drawn: trees and tables. One Tab stop; Up, Down, Home, End,
/// PageUp, PageDown and type-ahead move the cursor. Cost: the visible rows, whatever the count.
class RowList {
 public:
  RowList(Ui& ui, RowListState& state, const Rect& rect, RowListSpec spec);
  ~RowList();
  RowList(const RowList&) = delete;
  RowList& operator=(const RowList&) = delete;

  std::uint32_t first() const { return first_; }
  std::uint32_t end() const { return end_; }
  bool has_focus() const { return focused_; }
  /// The keyboard goes here.
  void take_focus() { ui_.access().focus(id_, ui_.access().is_focus_visible()); }
  /// Draws background, selection and focus of row `index` and puts it into the access tree; the row stays open for its
  /// cells until close_row(). `rect` gets its place, without the scrollbar.
  RowEvents open_row(std::uint32_t index, host::AccessNode node, Rect& rect);
  /// A cell of the open row, for lists that are tables.
  void cell(const Rect& rect, std::string_view text);
  void close_row();

  /// The row to which the keyboard or assistive technology moved the cursor.
  std::optional<std::uint32_t> moved_to() const { return moved_to_; }
  /// An Expand or Collapse action aimed at a row: its index and whether to open it.
  std::optional<std::pair<std::uint32_t, bool>> expand() const { return expand_; }
  /// Keys of the list are only the list's while it has the focus.
  bool take_key(ImGuiKey key) { return focused_ && !ui_.is_typing() && ui_.take_key(key); }

 private:
  std::uint32_t row_id(std::uint32_t key) const;
  /// The row where the keyboard comes in.
  std::uint32_t entry() const;
  void handle_actions();
  void handle_keys();
  void type_ahead();
  void move_to(double index);

  Ui& ui_;
  RowListState& state_;
  Rect rect_;
  RowListSpec spec_;
  std::uint32_t id_ = 0;
  float row_px_ = 1;
  double page_rows_ = 1;
  std::uint32_t first_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t open_id_ = 0;  ///< of the row that is open
  std::uint32_t cells_ = 0;    ///< of it
  bool focused_ = false;
  std::optional<std::uint32_t> moved_to_;
  std::optional<std::uint32_t> activated_;
  std::optional<std::pair<std::uint32_t, bool>> expand_;
};

}  // namespace nns::widgets
