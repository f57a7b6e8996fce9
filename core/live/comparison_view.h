#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/live/document_view.h"
#include "core/live/message.h"

namespace nns::live {

/// How a row of one document lines up with the other's: diff::Match on the wire, with the same numbers.
enum class Match : std::uint8_t { Same, Added, Removed, Renamed, Moved };

/// Bits of ComparisonView::flags(): diff::RowFlag on the wire.
enum DiffFlag : std::uint8_t {
  kShapeDiffers = 1,
  kDtypeDiffers = 2,
  kClassDiffers = 4,
  kTextDiffers = 8,
  kThroughPrefix = 16,
  kNotKnown = 32,
};

/// What is known of a row's values: diff::ValueState on the wire.
enum class ValueState : std::uint8_t { Unknown, Equal, Different, Unreadable };

/// Two documents, or the rows `part_a` and `part_b` of them (0: all) with what is below.
struct Compared {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t part_a = 0;
  std::uint32_t part_b = 0;
  friend bool operator==(const Compared&, const Compared&) = default;
};

/// Two documents compared, as the stream told it so far: the union of their trees, read in place, and what came of
/// values. Rows are in pre-order, as those of a DocumentView. Threads: one.
class ComparisonView {
 public:
  /// Every index lies inside what it points to. Errors: names what does not hold.
  static base::Result<std::shared_ptr<ComparisonView>> check(Message message, const DocumentView& a,
                                                             const DocumentView& b);
  /// Takes over values, newer ones of a row in place of older ones. Errors: a row or state that is not there.
  base::Result<void> add(const wire::DiffValues& values);

  const wire::DiffRows& get() const { return *rows_; }
  std::uint32_t a() const { return rows_->a(); }
  std::uint32_t b() const { return rows_->b(); }
  Compared compared() const;
  std::uint32_t row_count() const { return row_count_; }
  std::uint32_t parent(std::uint32_t row) const { return rows_->parent()->Get(row); }
  std::uint32_t end(std::uint32_t row) const { return rows_->end()->Get(row); }
  /// The row of document A, kNone if only B has it.
  std::uint32_t row_a(std::uint32_t row) const { return rows_->row_a()->Get(row); }
  std::uint32_t row_b(std::uint32_t row) const { return rows_->row_b()->Get(row); }
  Match match(std::uint32_t row) const { return static_cast<Match>(rows_->match()->Get(row)); }
  std::uint8_t flags(std::uint32_t row) const { return rows_->flags()->Get(row); }
  /// Rows of the subtree that differ in name or header.
  std::uint32_t changes(std::uint32_t row) const { return rows_->changes()->Get(row); }

  /// Null while they are not known.
  const wire::Difference* values(std::uint32_t row) const {
    return index_[row] == kNone ? nullptr : &values_[index_[row]];
  }
  ValueState state(std::uint32_t row) const {
    return index_[row] == kNone ? ValueState::Unknown : static_cast<ValueState>(values_[index_[row]].state());
  }
  /// How far the row is changed, for sorting: larger is more.
  float rank(std::uint32_t row) const {
    return index_[row] == kNone ? rows_->rank()->Get(row) : values_[index_[row]].rank();
  }
  /// Why a row's values cannot be compared; empty for others.
  std::string_view problem(std::uint32_t row) const;
  /// All that is known, in the order in which rows came first.
  const std::vector<wire::Difference>& all_values() const { return values_; }
  /// Rows of that state.
  std::uint32_t count(ValueState state) const { return counts_[static_cast<std::size_t>(state)]; }
  /// Grows with every add().
  std::uint64_t version() const { return version_; }
  /// Where a comparison of all values would go on, and how much it would read. Units: bytes.
  std::uint32_t next_row() const { return next_row_; }
  std::uint64_t bytes_left() const { return bytes_left_; }

 private:
  explicit ComparisonView(Message message);

  Message message_;
  const wire::DiffRows* rows_;
  std::uint32_t row_count_ = 0;
  std::vector<wire::Difference> values_;
  std::vector<std::uint32_t> index_;  // by row, into values_
  std::vector<std::pair<std::uint32_t, std::string>> problems_;
  std::uint32_t counts_[4] = {};
  std::uint64_t version_ = 1;
  std::uint32_t next_row_ = 0;
  std::uint64_t bytes_left_ = 0;
};

}  // namespace nns::live
