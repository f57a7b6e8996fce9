#include "ui/model/tree_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace nns::model {

namespace {

// The number that a name is, if it is one without leading zeros and below 10^9.
std::optional<std::uint32_t> number_of(std::string_view name) {
  if (name.empty() || name.size() > 9 || (name.size() > 1 && name[0] == '0')) return std::nullopt;
  std::uint32_t number = 0;
  for (const char digit : name) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return number;
}

}  // namespace

// Siblings that are being walked.
struct TreeModel::Level {
  std::uint32_t next = 0;      // the next child, or the next member of an open fold
  std::uint32_t end = 0;       // one past the last of them
  std::uint32_t position = 0;  // of the one before
  std::uint32_t count = 0;     // as drawn
  std::uint16_t depth = 0;
  bool in_fold = false;
  bool shows_all = true;  // no filter, or below a match that has none below
};

void TreeModel::show(std::shared_ptr<const live::DocumentView> document, std::uint32_t visible_rows) {
  const bool is_newer = document_ != nullptr && document != nullptr && document->id() == document_->id();
  const bool has_same_rows = is_newer && document->row_count() == document_->row_count();
  const std::shared_ptr<const live::DocumentView> before = std::exchange(document_, std::move(document));
  search_index_.reset();
  tied_ = document_ == nullptr ? TiedRows() : TiedRows(*document_);
  const TreeState state = has_same_rows ? TreeState() : std::exchange(state_, TreeState());
  if (document_ == nullptr) {
    folds_.clear();
    fold_of_.clear();
    filter({});
    rows_.clear();
    ++version_;
    return;
  }
  find_folds();
  if (!has_same_rows) {
    state_.flags.assign(document_->row_count(), 0);
    if (is_newer) {
      state_.filter = state.filter;
      state_.selected = take_over_rows(*before, state);
    } else {
      open_first_levels(visible_rows);
    }
  }
  filter(parse_query(state_.filter));
  if (!has_same_rows) open_matches();
  rebuild();
}

// A fold is a run of siblings whose names count up by one and whose subtrees are equal. Values are shown one by one,
// because what they are is all there is to see of them.
void TreeModel::find_folds() {
  const live::DocumentView& document = *document_;
  folds_.clear();
  fold_of_.assign(document.row_count(), 0);
  constexpr std::uint32_t kNotANumber = UINT32_MAX;
  std::vector<std::uint32_t> numbers(document.string_count(), kNotANumber);
  for (std::uint32_t i = 0; i < document.string_count(); ++i) {
    numbers[i] = number_of(document.text(i)).value_or(kNotANumber);
  }
  for (std::uint32_t row = 0; row < document.row_count(); ++row) {
    if (!document.has_children(row)) continue;
    const std::uint32_t end = document.end(row);
    for (std::uint32_t first = row + 1; first < end;) {
      std::uint32_t number = numbers[document.name_id(first)];
      std::uint32_t last = first;
      std::uint32_t count = 1;
      if (number != kNotANumber && document.kind(first) != live::RowKind::Value) {
        for (std::uint32_t next = document.end(first);
             next < end && numbers[document.name_id(next)] == number + 1 &&
             document.structure(next) == document.structure(first) && document.kind(next) == document.kind(first);
             next = document.end(next)) {
          last = next;
          ++number;
          ++count;
        }
      }
      if (count > 1) {
        folds_.push_back({last, count});
        fold_of_[first] = static_cast<std::uint32_t>(folds_.size());
      }
      first = document.end(last);
    }
  }
}

void TreeModel::open_first_levels(std::uint32_t visible_rows) {
  std::vector<std::uint32_t> level = {0};
  std::uint64_t lines = 1;
  while (!level.empty()) {
    std::vector<std::uint32_t> below;
    std::uint64_t added = 0;
    for (const std::uint32_t row : level) {
      Level children = open_level(row, 0);
      added += children.count;
      TreeRow line;
      while (next_child(children, line)) {
        if (line.expandable && !line.is_fold()) below.push_back(line.row);
      }
    }
    if (lines + added > visible_rows && lines > 1) return;
    lines += added;
    for (const std::uint32_t row : level) state_.flags[row] |= TreeState::kExpanded;
    level = std::move(below);
  }
}

bool TreeModel::is_expanded(std::uint32_t row) const {
  const auto flag = is_filtered() ? TreeState::kExpandedFiltered : TreeState::kExpanded;
  return (state_.flags[row] & flag) != 0;
}

TreeModel::Level TreeModel::open_level(std::uint32_t row, std::uint16_t depth) const {
  Level level{.next = row + 1, .end = document_->end(row), .depth = depth};
  if (is_filtered()) level.shows_all = (filter_marks_[row] & kMatchBelow) == 0;
  Level counting = level;
  TreeRow line;
  while (next_child(counting, line)) ++level.count;
  return level;
}

bool TreeModel::next_child(Level& level, TreeRow& line) const {
  const live::DocumentView& document = *document_;
  while (!level.shows_all && level.next < level.end && (filter_marks_[level.next] & (kMatches | kMatchBelow)) == 0) {
    level.next = document.end(level.next);
  }
  if (level.next >= level.end) return false;
  const std::uint32_t row = level.next;
  const std::uint32_t fold = level.in_fold || is_filtered() ? 0 : fold_of_[row];
  line = TreeRow{.row = row,
                 .fold_count = fold == 0 ? 1 : folds_[fold - 1].count,
                 .fold_last = fold == 0 ? row : folds_[fold - 1].last,
                 .depth = level.depth,
                 .expandable = fold != 0 || document.has_children(row),
                 .position = ++level.position,
                 .siblings = level.count};
  line.expanded = fold != 0 ? (state_.flags[row] & TreeState::kUnfolded) != 0 : line.expandable && is_expanded(row);
  line.matches = is_filtered() && (filter_marks_[row] & kMatches) != 0;
  level.next = document.end(line.fold_last);
  return true;
}

void TreeModel::rebuild() {
  rows_.clear();
  ++version_;
  std::vector<Level> levels;
  const bool has_root = !is_filtered() || filter_marks_[0] != 0;
  if (has_root) levels.push_back(Level{.next = 0, .end = 1, .count = 1});
  while (!levels.empty()) {
    TreeRow line;
    if (!next_child(levels.back(), line)) {
      levels.pop_back();
      continue;
    }
    rows_.push_back(line);
    if (!line.expanded) continue;
    const auto depth = static_cast<std::uint16_t>(std::min<std::uint32_t>(line.depth + 1U, UINT16_MAX));
    if (line.is_fold()) {
      levels.push_back(Level{.next = line.row,
                             .end = document_->end(line.fold_last),
                             .count = line.fold_count,
                             .depth = depth,
                             .in_fold = true});
    } else {
      levels.push_back(open_level(line.row, depth));
    }
  }
}

void TreeModel::take_over(const TreeModel& older) {
  if (document_ == nullptr || older.document_ == nullptr) return;
  take_over_rows(*older.document_, older.state_);
  rebuild();
}

std::uint32_t TreeModel::take_over_rows(const live::DocumentView& before, const TreeState& state) {
  const live::DocumentView& now = *document_;
  // Rows of `before` hold what follows them, so that the last one that holds the choice is the nearest to it.
  std::uint32_t nearest = UINT32_MAX;
  std::uint32_t selected = UINT32_MAX;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> same = {{0, 0}};
  const auto found_again = [&](std::uint32_t there, std::uint32_t here) {
    if (state.selected < there || state.selected >= before.end(there)) return;
    if (nearest != UINT32_MAX && nearest > there) return;
    nearest = there;
    selected = here;
  };
  found_again(0, 0);
  state_.flags[0] = state.flags[0];
  // It held nothing that could have been closed.
  if (!before.has_children(0)) state_.flags[0] |= TreeState::kExpanded;
  while (!same.empty()) {
    const auto [there, here] = same.back();
    same.pop_back();
    std::uint32_t guess = there + 1;
    const std::uint32_t end = before.end(there);
    for (std::uint32_t child = here + 1; child < now.end(here); child = now.end(child)) {
      std::uint32_t found = guess;
      // What is new or in another order is looked for a few names ahead only.
      constexpr int kMostAhead = 64;
      for (int step = 0; found < end && before.name(found) != now.name(child); ++step) {
        found = step < kMostAhead ? before.end(found) : end;
      }
      if (found >= end) continue;
      found_again(found, child);
      state_.flags[child] = state.flags[found];
      if (now.has_children(child)) same.emplace_back(found, child);
      guess = before.end(found);
    }
  }
  return selected;
}

void TreeModel::expand(std::uint32_t line, bool open) {
  if (line >= rows_.size() || !rows_[line].expandable || rows_[line].expanded == open) return;
  const TreeRow& row = rows_[line];
  const auto flag = row.is_fold()   ? TreeState::kUnfolded
                    : is_filtered() ? TreeState::kExpandedFiltered
                                    : TreeState::kExpanded;
  state_.flags[row.row] =
      static_cast<std::uint8_t>(open ? state_.flags[row.row] | flag : state_.flags[row.row] & ~flag);
  rebuild();
}

void TreeModel::expand_all() {
  if (document_ == nullptr) return;
  const unsigned flags = is_filtered() ? TreeState::kExpandedFiltered : TreeState::kExpanded | TreeState::kUnfolded;
  for (std::uint8_t& row : state_.flags) row = static_cast<std::uint8_t>(row | flags);
  rebuild();
}

void TreeModel::expand_below(std::uint32_t line) {
  if (line >= rows_.size()) return;
  const unsigned flags = is_filtered() ? TreeState::kExpandedFiltered : TreeState::kExpanded | TreeState::kUnfolded;
  const TreeRow& row = rows_[line];
  const std::uint32_t last = row.is_fold() ? row.fold_last : row.row;
  for (std::uint32_t below = row.row; below < document_->end(last); ++below) {
    state_.flags[below] = static_cast<std::uint8_t>(state_.flags[below] | flags);
  }
  rebuild();
}

void TreeModel::collapse_all() {
  if (document_ == nullptr) return;
  const unsigned flags = is_filtered() ? TreeState::kExpandedFiltered : TreeState::kExpanded | TreeState::kUnfolded;
  for (std::uint8_t& row : state_.flags) row = static_cast<std::uint8_t>(row & ~flags);
  // A tree of one closed line says nothing.
  state_.flags[0] |= is_filtered() ? TreeState::kExpandedFiltered : TreeState::kExpanded;
  rebuild();
}

void TreeModel::filter(const SearchQuery& query) {
  filter_marks_.clear();
  match_count_ = 0;
  match_totals_ = {};
  if (document_ == nullptr || query.terms.empty()) return;
  FilterResult found = find_matches(search_index(), query);
  filter_marks_ = std::move(found.marks);
  match_count_ = found.match_count;
  match_totals_ = found.totals;
}

void TreeModel::set_filter(std::string text) {
  if (text == state_.filter) return;
  state_.filter = std::move(text);
  const SearchQuery query = parse_query(state_.filter);
  filter_error_ = query.error;
  // What is found so far stays while a query is being typed.
  if (query.error || document_ == nullptr) return;
  filter(query);
  open_matches();
  rebuild();
}

void TreeModel::open_matches() {
  if (!is_filtered()) return;
  for (std::uint32_t row = 0; row < document_->row_count(); ++row) {
    const bool opens = (filter_marks_[row] & kMatchBelow) != 0;
    const unsigned others = state_.flags[row] & ~unsigned{TreeState::kExpandedFiltered};
    state_.flags[row] = static_cast<std::uint8_t>(opens ? others | TreeState::kExpandedFiltered : others);
  }
}

const std::shared_ptr<const SearchIndex>& TreeModel::search_index() {
  if (search_index_ == nullptr) search_index_ = std::make_shared<const SearchIndex>(document_);
  return search_index_;
}

void TreeModel::select(std::uint32_t line) {
  if (line >= rows_.size()) return;
  state_.selected = rows_[line].row;
  state_.selected_fold_last = rows_[line].is_fold() ? rows_[line].fold_last : UINT32_MAX;
}

std::uint32_t TreeModel::reveal(std::uint32_t row) {
  if (document_ == nullptr || row >= document_->row_count()) return kNoLine;
  if (is_filtered() && filter_marks_[row] == 0) set_filter("");
  if (const std::uint32_t line = line_of(row); line != kNoLine && !rows_[line].is_fold()) return line;
  for (std::uint32_t at = row; at != 0; at = document_->parent(at)) {
    const std::uint32_t parent = document_->parent(at);
    state_.flags[parent] |= is_filtered() ? TreeState::kExpandedFiltered : TreeState::kExpanded;
    if (is_filtered()) continue;
    for (std::uint32_t first = parent + 1; first <= at; first = document_->end(first)) {
      const std::uint32_t fold = fold_of_[first];
      if (fold != 0 && folds_[fold - 1].last >= at) state_.flags[first] |= TreeState::kUnfolded;
    }
  }
  rebuild();
  // A match that has matches below shows only those: the whole tree has every row.
  if (line_of(row) == kNoLine && is_filtered()) {
    set_filter("");
    return reveal(row);
  }
  return line_of(row);
}

std::uint32_t TreeModel::line_of(std::uint32_t row) const {
  // Lines are in the order of their rows; an open fold and its first member have the same row, the member comes second.
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), row,
                                      [](std::uint32_t wanted, const TreeRow& line) { return wanted < line.row; });
  if (after == rows_.begin() || (after - 1)->row != row) return kNoLine;
  return static_cast<std::uint32_t>(after - rows_.begin() - 1);
}

std::uint32_t TreeModel::selected_line() const {
  std::uint32_t line = state_.selected == UINT32_MAX ? kNoLine : line_of(state_.selected);
  if (line == kNoLine) return kNoLine;
  const bool wants_fold = state_.selected_fold_last != UINT32_MAX;
  if (wants_fold && !rows_[line].is_fold() && line > 0 && rows_[line - 1].row == state_.selected) --line;
  return line;
}

std::uint32_t TreeModel::parent_line(std::uint32_t line) const {
  if (line >= rows_.size()) return kNoLine;
  for (std::uint32_t above = line; above-- > 0;) {
    if (rows_[above].depth < rows_[line].depth) return above;
  }
  return kNoLine;
}

std::string row_label(const live::DocumentView& document, const TreeRow& row) {
  const std::string_view name = document.name(row.row);
  if (row.is_fold()) return fmt::format("{}\u2026{}", name, document.name(row.fold_last));
  return std::string(row.row == 0 && name.empty() ? document.title() : name);
}

}  // namespace nns::model
