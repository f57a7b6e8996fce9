#include "ui/text/text_place.h"

namespace nns::text {

TextPlace follow(const TextPlace& place, const TextChange& change) {
  if (place < change.begin) return place;
  if (place < change.old_end) return change.new_end;
  if (place.line == change.old_end.line) {
    return {change.new_end.line, change.new_end.column + (place.column - change.old_end.column)};
  }
  return {place.line - change.old_end.line + change.new_end.line, place.column};
}

void LineSet::toggle(std::uint32_t line) {
  const auto at = std::lower_bound(lines_.begin(), lines_.end(), line);
  if (at != lines_.end() && *at == line) {
    lines_.erase(at);
  } else {
    lines_.insert(at, line);
  }
}

void LineSet::follow(const TextChange& change) {
  if (lines_.empty() || change.old_end.line == change.new_end.line) return;
  // A line goes with its text: one that is broken in front of its first letter moves down whole.
  const bool moves_first = change.begin.column == 0 && change.old_end.line == change.begin.line;
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t line : lines_) {
    std::uint32_t now = line;
    if (line > change.old_end.line || (line == change.old_end.line && (line != change.begin.line || moves_first))) {
      now = line - change.old_end.line + change.new_end.line;
    } else if (line > change.begin.line) {
      continue;
    }
    if (kept.empty() || kept.back() != now) kept.push_back(now);
  }
  lines_ = std::move(kept);
}

}  // namespace nns::text
