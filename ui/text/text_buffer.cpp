#include "ui/text/text_buffer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/text/letters.h"

namespace nns::text {

namespace {

/// Calls `with(line, has_end, ends_with_crlf)` for each line of `text`; the last one has no end.
template <class With>
void for_lines(std::string_view text, With with) {
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return with(text, false, false);
    const bool is_crlf = end > 0 && text[end - 1] == '\r';
    with(text.substr(0, end - (is_crlf ? 1 : 0)), true, is_crlf);
    text.remove_prefix(end + 1);
  }
}

bool is_space(char c) { return c == ' ' || c == '\t'; }

}  // namespace

TextBuffer::TextBuffer(std::string_view text) : size_(text.size()) {
  std::size_t crlf = 0;
  for_lines(text, [&](std::string_view line, bool /*has_end*/, bool is_crlf) {
    lines_.push_back({std::string(line), is_crlf});
    crlf += is_crlf ? 1 : 0;
  });
  ends_with_crlf_ = crlf * 2 >= lines_.size() && crlf > 0;
}

TextPlace TextBuffer::end() const { return {line_count() - 1, static_cast<std::uint32_t>(lines_.back().text.size())}; }

TextPlace TextBuffer::clamp(TextPlace place) const {
  if (place.line >= line_count()) return end();
  const std::string_view in = line(place.line);
  place.column = std::min(place.column, static_cast<std::uint32_t>(in.size()));
  while (place.column > 0 && place.column < in.size() && is_continuation(in[place.column])) --place.column;
  return place;
}

std::string TextBuffer::text() const { return text(whole()); }

std::string TextBuffer::text(const TextRange& range) const {
  std::string found;
  if (range.begin == TextPlace{0, 0} && range.end == end()) found.reserve(size_);
  for (std::uint32_t at = range.begin.line; at <= range.end.line; ++at) {
    const std::string_view in = line(at);
    const std::size_t from = at == range.begin.line ? range.begin.column : 0;
    const std::size_t to = at == range.end.line ? range.end.column : in.size();
    found += in.substr(from, to - from);
    if (at != range.end.line) found += lines_[at].ends_with_crlf ? "\r\n" : "\n";
  }
  return found;
}

std::string TextBuffer::with_own_ends(std::string_view text) const {
  std::string made;
  made.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\r' && text[at] != '\n') {
      made += text[at];
      continue;
    }
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
    made += line_end();
  }
  return made;
}

TextPlace TextBuffer::end_of(const TextPlace& begin, std::string_view text) {
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
  if (lines == 0) return {begin.line, begin.column + static_cast<std::uint32_t>(text.size())};
  return {begin.line + lines, static_cast<std::uint32_t>(text.size() - text.rfind('\n') - 1)};
}

void TextBuffer::select(const TextSelection& selection) {
  const TextSelection there{clamp(selection.anchor), clamp(selection.caret)};
  if (there == selection_) return;
  selection_ = there;
  may_join_ = false;
}

/// Changes the lines and says so; neither recorded nor chosen.
TextPlace TextBuffer::apply(const TextRange& range, std::string_view text) {
  const TextPlace new_end = end_of(range.begin, text);
  std::size_t removed = range.end.column - range.begin.column;
  if (range.begin.line != range.end.line) {
    removed = range.end.column;
    for (std::uint32_t at = range.begin.line; at < range.end.line; ++at) {
      removed += lines_[at].text.size() + (lines_[at].ends_with_crlf ? 2 : 1);
    }
    removed -= range.begin.column;
  }
  size_ = size_ - removed + text.size();
  if (range.begin.line == range.end.line && new_end.line == range.begin.line) {
    lines_[range.begin.line].text.replace(range.begin.column, range.end.column - range.begin.column, text);
  } else {
    Line& first = lines_[range.begin.line];
    const Line& last = lines_[range.end.line];
    const std::string tail = last.text.substr(range.end.column);
    const bool tail_crlf = last.ends_with_crlf;
    first.text.resize(range.begin.column);
    std::vector<Line> more;
    bool is_first = true;
    for_lines(text, [&](std::string_view line, bool /*has_end*/, bool is_crlf) {
      if (is_first) {
        first.text += line;
        first.ends_with_crlf = is_crlf;
      } else {
        more.push_back({std::string(line), is_crlf});
      }
      is_first = false;
    });
    Line& joined = more.empty() ? first : more.back();
    joined.text += tail;
    joined.ends_with_crlf = tail_crlf;
    const auto behind = lines_.begin() + static_cast<std::ptrdiff_t>(range.begin.line) + 1;
    const std::size_t gone = range.end.line - range.begin.line;
    const std::size_t common = std::min(gone, more.size());
    std::move(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(common), behind);
    const auto at = behind + static_cast<std::ptrdiff_t>(common);
    if (gone > common) {
      lines_.erase(at, at + static_cast<std::ptrdiff_t>(gone - common));
    } else {
      lines_.insert(at, std::make_move_iterator(more.begin() + static_cast<std::ptrdiff_t>(common)),
                    std::make_move_iterator(more.end()));
    }
  }
  ++version_;
  changes_.push_back({range.begin, range.end, new_end});
  if (changes_.size() > kMostChanges) changes_.pop_front();
  return new_end;
}

std::size_t TextBuffer::Step::size() const {
  std::size_t bytes = sizeof(Step);
  for (const Edit& edit : edits) bytes += sizeof(Edit) + edit.removed.size() + edit.added.size();
  return bytes;
}

/// Whether an edit belongs to the same run of typing or erasing as the last step.
bool TextBuffer::goes_on(const Step& last, const TextRange& range, std::string_view text, EditKind kind) const {
  if (!may_join_ || kind == EditKind::Other || last.kind != kind || last.edits.empty()) return false;
  const Edit& edit = last.edits.back();
  if (kind == EditKind::Typing) {
    if (!range.is_empty() || end_of(edit.begin, edit.added) != range.begin) return false;
    if (edit.added.empty() || text.empty() || text.find('\n') != std::string_view::npos) return false;
    // A new word is a new step.
    return !(is_space(edit.added.back()) && !is_space(text.front()));
  }
  return (range.end == edit.begin || range.begin == edit.begin) && edit.removed.find('\n') == std::string::npos;
}

void TextBuffer::record(Edit edit, EditKind kind, bool joins_last) {
  for (const Step& step : redo_) undo_size_ -= step.size();
  redo_.clear();
  if (!joins_last) {
    Step step;
    step.before = selection_;
    step.state_before = state_;
    step.kind = kind;
    undo_size_ += step.size();
    undo_.push_back(std::move(step));
  }
  Step& step = undo_.back();
  undo_size_ -= step.size();
  step.edits.push_back(std::move(edit));
  step.state_after = state_ = next_state_++;
  undo_size_ += step.size();
  while (undo_size_ > kMostUndo && undo_.size() > 1) {
    undo_size_ -= undo_.front().size();
    undo_.pop_front();
  }
}

TextPlace TextBuffer::replace(const TextRange& asked, std::string_view text, EditKind kind) {
  const TextRange range{clamp(asked.begin), clamp(asked.end)};
  if (range.is_empty() && text.empty()) return range.end;
  const bool is_grouped = groups_ > 0;
  const bool joins = is_grouped ? group_has_step_ : !undo_.empty() && goes_on(undo_.back(), range, text, kind);
  record({range.begin, this->text(range), std::string(text)}, is_grouped ? EditKind::Other : kind, joins);
  group_has_step_ = is_grouped;
  const TextPlace end = apply(range, text);
  selection_ = {end, end};
  undo_.back().after = selection_;
  may_join_ = !is_grouped;
  return end;
}

void TextBuffer::replace_all(std::string_view text) {
  const TextPlace caret = selection_.caret;
  replace(whole(), text);
  selection_.caret = selection_.anchor = clamp(caret);
  undo_.back().after = selection_;
  may_join_ = false;
}

void TextBuffer::begin_group() {
  if (groups_++ == 0) group_has_step_ = false;
}

void TextBuffer::end_group() {
  if (--groups_ > 0) return;
  // What was chosen last in the group is what comes back with it.
  if (group_has_step_) undo_.back().after = selection_;
  group_has_step_ = false;
  may_join_ = false;
}

void TextBuffer::undo() {
  if (undo_.empty()) return;
  Step step = std::move(undo_.back());
  undo_.pop_back();
  for (auto edit = step.edits.rbegin(); edit != step.edits.rend(); ++edit) {
    apply({edit->begin, end_of(edit->begin, edit->added)}, edit->removed);
  }
  selection_ = step.before;
  state_ = step.state_before;
  may_join_ = false;
  redo_.push_back(std::move(step));
}

void TextBuffer::redo() {
  if (redo_.empty()) return;
  Step step = std::move(redo_.back());
  redo_.pop_back();
  for (const Edit& edit : step.edits) apply({edit.begin, end_of(edit.begin, edit.removed)}, edit.added);
  selection_ = step.after;
  state_ = step.state_after;
  may_join_ = false;
  undo_.push_back(std::move(step));
}

std::optional<std::vector<TextChange>> TextBuffer::changes_since(std::uint64_t version) const {
  const std::uint64_t count = version_ - version;
  if (version > version_ || count > changes_.size()) return std::nullopt;
  return std::vector<TextChange>(changes_.end() - static_cast<std::ptrdiff_t>(count), changes_.end());
}

}  // namespace nns::text
