#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/checkpoint/item_walk.h"

namespace nns::checkpoint {

/// Finds the rows and the columns of a tensor that are wholly zero: indices of its first axis and of its second, all
/// other axes together. Minus zero is zero. Cost: next to nothing where every line has a value, as in most weights: a
/// row is left at its first value, and columns are no longer looked at once each has one.
class DeadLines {
 public:
  /// Columns beyond this are not counted: their marks would take too much memory.
  static constexpr std::uint64_t kMostLines = std::uint64_t{1} << 24U;

  DeadLines() = default;
  explicit DeadLines(const ElementSource& source);
  /// The next items of the walk, which stands behind them.
  void add(const std::byte* raw, std::size_t items, const ItemWalk& walk);

  /// 0 where the tensor has fewer than two axes, no element, or more lines than are counted.
  std::uint64_t rows() const { return has_rows_ ? sizes_[0] : 0; }
  std::uint64_t columns() const { return has_columns_ ? sizes_[1] : 0; }
  /// Must hold: all items were added once.
  std::uint64_t dead_rows() const;
  std::uint64_t dead_columns() const;

 private:
  template <class Item>
  void add_items(const std::byte* raw, std::size_t count, const ItemWalk& walk);
  template <class Item>
  void add_in_order(const std::byte* raw, std::size_t count, std::uint64_t begin);
  template <class Item>
  void mark_columns(const std::byte* raw, std::size_t count, std::uint64_t within);

  std::uint64_t sizes_[2] = {};
  bool repeats_[2] = {};         // all indices of the axis are the same items
  std::uint64_t below_[2] = {};  // items below one index of the axis
  std::uint64_t mask_ = 0;       // the bits of an item that are not zero in a number that is not zero
  std::uint32_t item_bytes_ = 0;
  bool has_rows_ = false;
  bool has_columns_ = false;
  std::vector<std::uint8_t> row_is_live_;
  std::vector<std::uint8_t> column_is_live_;
  std::uint64_t row_at_ = UINT64_MAX;  // in order: the last row that has a value
  std::uint64_t live_rows_ = 0;
  std::uint64_t next_look_ = 1;  // in order: the row at which the columns are counted again
  std::uint64_t dead_columns_ = 0;
};

}  // namespace nns::checkpoint
