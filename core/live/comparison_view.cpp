#include "core/live/comparison_view.h"

#include <fmt/format.h>

namespace nns::live {

namespace {

base::Error bad(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "stream", .offset = std::nullopt};
}

}  // namespace

ComparisonView::ComparisonView(Message message) : message_(std::move(message)), rows_(message_.as<wire::DiffRows>()) {
  row_count_ = rows_->parent()->size();
  index_.assign(row_count_, kNone);
  bytes_left_ = rows_->value_bytes();
}

base::Result<std::shared_ptr<ComparisonView>> ComparisonView::check(Message message, const DocumentView& a,
                                                                    const DocumentView& b) {
  auto view = std::shared_ptr<ComparisonView>(new ComparisonView(std::move(message)));
  const wire::DiffRows& rows = *view->rows_;
  const std::uint32_t count = view->row_count_;
  if (count == 0 || rows.end()->size() != count || rows.row_a()->size() != count || rows.row_b()->size() != count ||
      rows.match()->size() != count || rows.flags()->size() != count || rows.changes()->size() != count ||
      rows.rank()->size() != count) {
    return bad("a comparison whose columns have different lengths", fmt::format("{} rows in each", count));
  }
  std::uint32_t open = 0;
  for (std::uint32_t row = 0; row < count; ++row) {
    bool holds = false;
    if (row == 0) {
      holds = view->parent(0) == kNone && view->end(0) == count;
    } else {
      while (view->end(open) <= row) open = view->parent(open);
      holds = view->parent(row) == open && view->end(row) > row && view->end(row) <= view->end(open);
      open = row;
    }
    const std::uint32_t row_a = view->row_a(row);
    const std::uint32_t row_b = view->row_b(row);
    holds = holds && (row_a < a.row_count() || row_a == kNone) && (row_b < b.row_count() || row_b == kNone) &&
            (row_a != kNone || row_b != kNone) && rows.match()->Get(row) <= static_cast<std::uint8_t>(Match::Moved);
    if (!holds) return bad(fmt::format("row {} of a comparison", row), "rows in pre-order, of these two documents");
  }
  return view;
}

Compared ComparisonView::compared() const {
  // A side without rows is empty, and has no parts.
  const auto part = [](std::uint32_t row) { return row == kNone ? 0 : row; };
  return {a(), b(), part(row_a(0)), part(row_b(0))};
}

base::Result<void> ComparisonView::add(const wire::DiffValues& values) {
  for (const wire::Difference* found : *values.values()) {
    if (found->row() >= row_count_ || found->state() > static_cast<std::uint8_t>(ValueState::Unreadable)) {
      return bad(fmt::format("values of row {} in state {}", found->row(), found->state()),
                 fmt::format("a row below {}, a state up to 3", row_count_));
    }
  }
  for (const wire::Difference* found : *values.values()) {
    std::uint32_t& index = index_[found->row()];
    if (index == kNone) {
      index = static_cast<std::uint32_t>(values_.size());
      values_.push_back(*found);
    } else {
      --counts_[values_[index].state()];
      values_[index] = *found;
    }
    ++counts_[found->state()];
  }
  for (const wire::DiffProblem* problem : *values.problems()) {
    problems_.emplace_back(problem->row(), std::string(text_of(problem->text())));
  }
  // Values of a single row that was looked at come before their turn.
  if (values.next_row() > next_row_) {
    next_row_ = values.next_row();
    bytes_left_ = values.bytes_left();
  }
  ++version_;
  return {};
}

std::string_view ComparisonView::problem(std::uint32_t row) const {
  if (state(row) != ValueState::Unreadable) return {};
  for (const auto& [of, text] : problems_) {
    if (of == row) return text;
  }
  return {};
}

}  // namespace nns::live
