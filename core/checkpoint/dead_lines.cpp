#include "core/checkpoint/dead_lines.h"

#include <algorithm>
#include <cstring>

namespace nns::checkpoint {

namespace {

using tensor::DType;

// An item is zero if these bits of it are; of complex numbers of 16 bytes, of each half.
std::uint64_t zero_mask(DType dtype) {
  switch (dtype) {
    case DType::Float64:
    case DType::Complex128:
      return 0x7FFFFFFFFFFFFFFFULL;
    case DType::Float32:
      return 0x7FFFFFFFULL;
    case DType::Float16:
    case DType::BFloat16:
      return 0x7FFFULL;
    case DType::Float8E4M3FN:
    case DType::Float8E5M2:
      return 0x7FULL;
    case DType::Float4E2M1FNX2:
      return 0x77ULL;
    case DType::Complex32:
      return 0x7FFF7FFFULL;
    case DType::Complex64:
      return 0x7FFFFFFF7FFFFFFFULL;
    case DType::Float8E8M0FNU:
      return 0;  // has no zero
    default:
      return UINT64_MAX;
  }
}

struct Wide {
  std::uint64_t halves[2];
};

// Any alignment.
template <class Item>
bool is_live(const std::byte* raw, std::size_t index, std::uint64_t mask) {
  Item item;
  std::memcpy(&item, raw + index * sizeof(Item), sizeof(Item));
  if constexpr (sizeof(Item) == 16) {
    return ((item.halves[0] | item.halves[1]) & mask) != 0;
  } else {
    return (item & static_cast<Item>(mask)) != 0;
  }
}

template <class Item>
bool any_live(const std::byte* raw, std::size_t from, std::size_t to, std::uint64_t mask) {
  for (std::size_t i = from; i < to; ++i) {
    if (is_live<Item>(raw, i, mask)) return true;
  }
  return false;
}

}  // namespace

DeadLines::DeadLines(const ElementSource& source)
    : mask_(zero_mask(source.dtype)), item_bytes_(tensor::item_bytes(source.dtype)) {
  const std::size_t rank = source.shape.size();
  if (rank < 2 || mask_ == 0 || std::find(source.shape.begin(), source.shape.end(), 0) != source.shape.end()) return;
  below_[1] = 1;
  for (std::size_t i = 2; i < rank; ++i) below_[1] *= static_cast<std::uint64_t>(source.shape[i]);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    sizes_[axis] = static_cast<std::uint64_t>(source.shape[axis]);
    repeats_[axis] = sizes_[axis] > 1 && source.stride[axis] == 0;
  }
  below_[0] = below_[1] * sizes_[1];
  has_rows_ = ItemWalk(source).is_in_order() || sizes_[0] <= kMostLines;
  has_columns_ = sizes_[1] <= kMostLines;
  if (has_columns_) column_is_live_.assign(static_cast<std::size_t>(sizes_[1]), 0);
  dead_columns_ = sizes_[1];
}

void DeadLines::add(const std::byte* raw, std::size_t items, const ItemWalk& walk) {
  if (!has_rows_ && !has_columns_) return;
  switch (item_bytes_) {
    case 1:
      return add_items<std::uint8_t>(raw, items, walk);
    case 2:
      return add_items<std::uint16_t>(raw, items, walk);
    case 4:
      return add_items<std::uint32_t>(raw, items, walk);
    case 8:
      return add_items<std::uint64_t>(raw, items, walk);
    default:
      return add_items<Wide>(raw, items, walk);
  }
}

template <class Item>
void DeadLines::add_items(const std::byte* raw, std::size_t count, const ItemWalk& walk) {
  const std::uint64_t begin = walk.position() - count;
  if (walk.is_in_order()) return add_in_order<Item>(raw, count, begin);
  if (row_is_live_.empty() && has_rows_) row_is_live_.assign(static_cast<std::size_t>(sizes_[0]), 0);
  // Any order: every item that is not zero marks its row and its column, until all are marked.
  for (std::size_t i = 0; i < count;) {
    const bool looks_for_more = (has_rows_ && live_rows_ < (repeats_[0] ? 1 : sizes_[0])) ||
                                (has_columns_ && dead_columns_ > (repeats_[1] ? sizes_[1] - 1 : 0));
    if (!looks_for_more) return;
    const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(walk.run_at(begin + i), count - i));
    std::uint64_t logical = walk.logical_index(begin + i);
    for (std::size_t end = i + run; i < end; ++i, logical += walk.logical_step()) {
      if (!is_live<Item>(raw, i, mask_)) continue;
      const auto row = static_cast<std::size_t>(logical / below_[0]);
      const auto column = static_cast<std::size_t>(logical / below_[1] % sizes_[1]);
      if (has_rows_ && row_is_live_[row] == 0) {
        row_is_live_[row] = 1;
        ++live_rows_;
      }
      if (has_columns_ && column_is_live_[column] == 0) {
        column_is_live_[column] = 1;
        --dead_columns_;
      }
    }
  }
}

template <class Item>
void DeadLines::add_in_order(const std::byte* raw, std::size_t count, std::uint64_t begin) {
  for (std::size_t i = 0; i < count;) {
    const std::uint64_t row = (begin + i) / below_[0];
    const std::uint64_t within = (begin + i) % below_[0];
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count - i, below_[0] - within));
    if (row != row_at_ && any_live<Item>(raw, i, i + part, mask_)) {
      row_at_ = row;
      ++live_rows_;
    }
    if (has_columns_ && dead_columns_ != 0) {
      // The columns are counted again from time to time: a count after each row would cost as much as the rows.
      if (row >= next_look_) {
        next_look_ = row * 2;
        dead_columns_ = static_cast<std::uint64_t>(std::count(column_is_live_.begin(), column_is_live_.end(), 0));
      }
      mark_columns<Item>(raw + i * sizeof(Item), part, within);
    }
    i += part;
  }
}

template <class Item>
void DeadLines::mark_columns(const std::byte* raw, std::size_t count, std::uint64_t within) {
  std::uint8_t* live = column_is_live_.data();
  if (below_[1] == 1) {
    for (std::size_t i = 0; i < count; ++i) live[within + i] |= static_cast<std::uint8_t>(is_live<Item>(raw, i, mask_));
    return;
  }
  for (std::size_t i = 0; i < count;) {
    const std::uint64_t column = (within + i) / below_[1];
    const auto part =
        static_cast<std::size_t>(std::min<std::uint64_t>(count - i, (column + 1) * below_[1] - (within + i)));
    if (live[column] == 0 && any_live<Item>(raw, i, i + part, mask_)) live[column] = 1;
    i += part;
  }
}

std::uint64_t DeadLines::dead_rows() const {
  if (!has_rows_) return 0;
  return repeats_[0] ? (live_rows_ == 0 ? sizes_[0] : 0) : sizes_[0] - live_rows_;
}

std::uint64_t DeadLines::dead_columns() const {
  if (!has_columns_) return 0;
  const auto dead = static_cast<std::uint64_t>(std::count(column_is_live_.begin(), column_is_live_.end(), 0));
  return repeats_[1] ? (dead == sizes_[1] ? dead : 0) : dead;
}

}  // namespace nns::checkpoint
