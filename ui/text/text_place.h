#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nns::text {

/// A place between two letters. Units: lines from 0, bytes from the line's beginning.
struct TextPlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const TextPlace&, const TextPlace&) = default;
  friend bool operator<(const TextPlace& a, const TextPlace& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  }
  friend bool operator<=(const TextPlace& a, const TextPlace& b) { return !(b < a); }
};

/// From `begin` up to, without, `end`.
struct TextRange {
  TextPlace begin;
  TextPlace end;
  bool is_empty() const { return begin == end; }
  bool contains(const TextPlace& place) const { return begin <= place && place < end; }
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

/// What is chosen: from where it was begun to where the caret is.
struct TextSelection {
  TextPlace anchor;
  TextPlace caret;
  bool is_empty() const { return anchor == caret; }
  TextRange range() const { return anchor < caret ? TextRange{anchor, caret} : TextRange{caret, anchor}; }
  friend bool operator==(const TextSelection&, const TextSelection&) = default;
};

/// A part of a text had its end at `old_end` and has it at `new_end` now.
struct TextChange {
  TextPlace begin;
  TextPlace old_end;
  TextPlace new_end;
};

/// Where a place is after a change; one inside of what was taken away is at its end.
TextPlace follow(const TextPlace& place, const TextChange& change);

/// Line numbers, sorted, that stay with their lines while a text is changed: breakpoints.
class LineSet {
 public:
  const std::vector<std::uint32_t>& lines() const { return lines_; }
  bool contains(std::uint32_t line) const { return std::binary_search(lines_.begin(), lines_.end(), line); }
  void toggle(std::uint32_t line);
  void clear() { lines_.clear(); }
  /// Lines that are gone leave the set.
  void follow(const TextChange& change);

 private:
  std::vector<std::uint32_t> lines_;
};

}  // namespace nns::text
