#include "ui/text/source_looks.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nns::text {

void SourceLooks::set(const TextBuffer& buffer, std::uint64_t version, std::span<const LineSpan> spans,
                      std::vector<SourceProblem> problems) {
  lines_.clear();
  for (const LineSpan& one : spans) {
    if (one.line >= lines_.size()) lines_.resize(one.line + 1);
    lines_[one.line].push_back(one.span);
  }
  problems_ = std::move(problems);
  version_ = computed_version_ = version;
  follow(buffer);
}

void SourceLooks::follow(const TextBuffer& buffer) {
  if (version_ == buffer.version()) return;
  if (const auto changes = buffer.changes_since(version_)) {
    for (const TextChange& change : *changes) apply(change);
  } else {
    lines_.clear();
    problems_.clear();
  }
  version_ = buffer.version();
}

void SourceLooks::apply(const TextChange& change) {
  for (SourceProblem& problem : problems_) {
    problem.range = {text::follow(problem.range.begin, change), text::follow(problem.range.end, change)};
  }
  const std::uint32_t first = change.begin.line;
  if (first >= lines_.size()) return;
  // The parts in front of the change, then those behind it, moved.
  std::vector<TokenSpan> head;
  std::vector<TokenSpan> tail;
  for (const TokenSpan& span : lines_[first]) {
    if (span.begin >= change.begin.column) continue;
    head.push_back(span);
    // Inside of one part everything that comes is of its kind, until it is known better.
    const bool is_inside = change.old_end.line == first && span.end >= change.old_end.column;
    if (!is_inside) head.back().end = std::min(span.end, change.begin.column);
    if (is_inside && change.new_end.line == first) {
      head.back().end = span.end - change.old_end.column + change.new_end.column;
    } else if (is_inside) {
      head.back().end = change.begin.column;
      tail.push_back({0, span.end - change.old_end.column + change.new_end.column, span.kind});
    }
  }
  if (change.old_end.line < lines_.size()) {
    for (const TokenSpan& span : lines_[change.old_end.line]) {
      const bool was_split = change.old_end.line == first && span.begin < change.begin.column;
      if (was_split || span.end <= change.old_end.column) continue;
      const std::uint32_t begin = std::max(span.begin, change.old_end.column);
      tail.push_back({begin - change.old_end.column + change.new_end.column,
                      span.end - change.old_end.column + change.new_end.column, span.kind});
    }
  }
  const std::size_t gone_to = std::min<std::size_t>(change.old_end.line + 1, lines_.size());
  const auto from = lines_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto at = lines_.erase(from, lines_.begin() + static_cast<std::ptrdiff_t>(gone_to));
  const std::size_t count = change.new_end.line - first + 1;
  const auto made = lines_.insert(at, count, std::vector<TokenSpan>());
  made[0] = std::move(head);
  std::vector<TokenSpan>& last = made[static_cast<std::ptrdiff_t>(count) - 1];
  last.insert(last.end(), tail.begin(), tail.end());
}

std::span<const TokenSpan> SourceLooks::line(std::uint32_t line) const {
  return line < lines_.size() ? std::span<const TokenSpan>(lines_[line]) : std::span<const TokenSpan>();
}

TokenKind SourceLooks::kind_at(const TextPlace& place) const {
  for (const TokenSpan& span : line(place.line)) {
    if (place.column >= span.begin && place.column < span.end) return span.kind;
  }
  return TokenKind::Plain;
}

bool SourceLooks::is_code(const TextPlace& place) const {
  const TokenKind kind = kind_at(place);
  return kind != TokenKind::Text && kind != TokenKind::Escape && kind != TokenKind::Comment;
}

const SourceProblem* SourceLooks::problem_on(std::uint32_t line) const {
  for (const SourceProblem& problem : problems_) {
    if (problem.range.begin.line <= line && line <= problem.range.end.line) return &problem;
  }
  return nullptr;
}

}  // namespace nns::text
