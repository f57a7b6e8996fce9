#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ui/host/access_node.h"

namespace nns::widgets {

/// The accessible controls of one frame, in draw order, and the keyboard focus that moves over them.
/// Every widget adds its node here while it is drawn (Ui::control), so a panel has this without thinking of it.
/// Threads: the UI thread.
class AccessTree {
 public:
  /// Takes what was asked of controls since the last frame.
  void begin_frame(std::vector<host::AccessAction> actions);
  /// Actions whose control was not drawn are dropped. True if the list differs from the last frame's.
  bool end_frame();

  /// Adds a control below the innermost open one and gives its index.
  /// `is_stop`: the Tab key stops here (for rows of a list, only the current one).
  std::uint32_t add(host::AccessNode node, bool is_stop);
  host::AccessNode& at(std::uint32_t index) { return nodes_[index]; }
  void open(std::uint32_t index) { open_.push_back(index); }
  void close() { open_.pop_back(); }

  /// The action of that kind aimed at `id` in this frame; it is taken away.
  std::optional<host::AccessAction> take(std::uint32_t id, host::AccessAction::Kind kind);
  /// Any action aimed at an id for which `owns` gives true, for lists whose rows are not all drawn.
  template <class Predicate>
  std::optional<host::AccessAction> take_if(Predicate owns) {
    for (auto action = actions_.begin(); action != actions_.end(); ++action) {
      if (!owns(*action)) continue;
      host::AccessAction found = std::move(*action);
      actions_.erase(action);
      return found;
    }
    return std::nullopt;
  }
  bool has_actions() const { return !actions_.empty(); }

  std::uint32_t focused() const { return focused_; }
  /// Whether the focus came to `id` since the last frame.
  bool focus_arrived(std::uint32_t id) const { return id == focused_ && focus_arrived_; }
  /// Whether the focus is to be drawn: it was moved by keyboard or by assistive technology, not by the mouse.
  bool is_focus_visible() const { return focus_visible_; }
  void focus(std::uint32_t id, bool visible);
  /// The focus moves in the next frame.
  bool has_pending_focus() const { return has_pending_focus_; }
  /// Where the focus will be in the next frame.
  std::uint32_t going_to() const { return has_pending_focus_ ? pending_focus_ : focused_; }
  /// The focus is at `id` already under another id (a row of a list that keeps it).
  void adopt(std::uint32_t id) { focused_ = id; }
  /// Moves to the next (or previous) stop in draw order, around the end; inside the modal control if there is one.
  void focus_next(bool backwards);
  /// Moves to the first stop of the next (or previous) region, banner, navigation or status.
  void focus_next_region(bool backwards);
  /// While set, only controls below it can get the focus by Tab. Cleared each frame.
  void set_modal(std::uint32_t index) { modal_ = index; }

  /// The controls of the frame that was ended last.
  std::span<const host::AccessNode> nodes() const { return published_; }

 private:
  bool is_below(const std::vector<host::AccessNode>& nodes, std::uint32_t index, std::uint32_t ancestor) const;
  std::vector<std::uint32_t> stops() const;

  std::vector<host::AccessNode> nodes_;
  std::vector<std::uint8_t> is_stop_;
  std::vector<host::AccessNode> published_;
  std::vector<std::uint8_t> published_stop_;
  std::uint32_t modal_ = UINT32_MAX;
  std::uint32_t published_modal_ = UINT32_MAX;
  std::vector<std::uint32_t> open_;
  std::vector<host::AccessAction> actions_;
  std::uint32_t focused_ = 0;
  std::uint32_t pending_focus_ = 0;
  bool has_pending_focus_ = false;
  bool focus_arrived_ = false;
  bool focus_visible_ = false;
};

}  // namespace nns::widgets
