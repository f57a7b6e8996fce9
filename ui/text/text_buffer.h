#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/text/text_place.h"

namespace nns::text {

/// What kind of edit it is: those of one kind that go on where the last one ended are undone together.
enum class EditKind : std::uint8_t { Typing, Erasing, Other };

/// A text that is being edited: UTF-8 in lines, what is chosen in it, and all that was done to it.
/// Line ends stay what they are, each by itself ("\n" or "\r\n"); a lone "\r" is a letter like others.
/// Cost: an edit within lines takes the length of these lines, one that adds or removes lines also moves the lines
/// behind (some 0.1 ms for 100,000).
/// Threads: one.
class TextBuffer {
 public:
  explicit TextBuffer(std::string_view text = {});

  // ------------------------------------------------------------ what it holds
  std::string text() const;
  std::string text(const TextRange& range) const;
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(lines_.size()); }
  /// Without its end. Must hold: line < line_count().
  std::string_view line(std::uint32_t line) const { return lines_[line].text; }
  TextPlace end() const;
  TextRange whole() const { return {{0, 0}, end()}; }
  /// The nearest place that is there, at the beginning of a letter's bytes.
  TextPlace clamp(TextPlace place) const;
  /// Units: bytes, with the ends of lines.
  std::size_t size() const { return size_; }
  /// What a new line ends with: what most lines of the text ended with that it was made of.
  std::string_view line_end() const { return ends_with_crlf_ ? "\r\n" : "\n"; }
  /// `text` with its line ends as this text has them.
  std::string with_own_ends(std::string_view text) const;
  /// Grows with every change.
  std::uint64_t version() const { return version_; }

  // ------------------------------------------------------------ what is chosen
  const TextSelection& selection() const { return selection_; }
  /// Choosing ends a run of typing: what is typed next is undone by itself.
  void select(const TextSelection& selection);
  void select(const TextPlace& caret) { select(TextSelection{caret, caret}); }

  // ------------------------------------------------------------ edits
  /// Puts `text` (as it is) in the place of `range`; the caret goes behind it. Gives where it ends.
  TextPlace replace(const TextRange& range, std::string_view text, EditKind kind = EditKind::Other);
  /// Another text in the place of the whole one; the caret stays at its line. One step to undo.
  void replace_all(std::string_view text);
  /// Until the matching call, edits are one step to undo.
  void begin_group();
  void end_group();

  bool can_undo() const { return !undo_.empty(); }
  bool can_redo() const { return !redo_.empty(); }
  void undo();
  void redo();
  /// What edits took away and added is kept up to this; the oldest are forgotten. Units: bytes.
  static constexpr std::size_t kMostUndo = 64U << 20U;

  // ------------------------------------------------------------ followed by others
  /// Whether it differs from what was saved last, or from what it was made of.
  bool is_modified() const { return state_ != saved_state_; }
  void set_saved() { saved_state_ = state_; }
  /// Never saved as it is.
  void set_unsaved() { saved_state_ = 0; }
  /// What happened since `version`, in order; nothing if that is too long ago to be known.
  std::optional<std::vector<TextChange>> changes_since(std::uint64_t version) const;

 private:
  struct Line {
    std::string text;
    bool ends_with_crlf = false;  // of the last line it says nothing
  };
  struct Edit {
    TextPlace begin;
    std::string removed;
    std::string added;
  };
  struct Step {
    std::vector<Edit> edits;
    TextSelection before;
    TextSelection after;
    std::uint64_t state_before = 0;
    std::uint64_t state_after = 0;
    EditKind kind = EditKind::Other;
    std::size_t size() const;
  };
  static constexpr std::size_t kMostChanges = 4096;

  TextPlace apply(const TextRange& range, std::string_view text);
  bool goes_on(const Step& last, const TextRange& range, std::string_view text, EditKind kind) const;
  void record(Edit edit, EditKind kind, bool joins_last);
  static TextPlace end_of(const TextPlace& begin, std::string_view text);

  std::vector<Line> lines_;
  std::size_t size_ = 0;
  bool ends_with_crlf_ = false;
  TextSelection selection_;
  std::deque<Step> undo_;
  std::vector<Step> redo_;
  std::size_t undo_size_ = 0;
  int groups_ = 0;
  bool group_has_step_ = false;
  bool may_join_ = false;  // the last step may go on
  std::uint64_t version_ = 1;
  std::uint64_t state_ = 1;
  std::uint64_t next_state_ = 2;
  std::uint64_t saved_state_ = 1;
  std::deque<TextChange> changes_;  // the last one led to version_
};

}  // namespace nns::text
