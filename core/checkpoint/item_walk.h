#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/checkpoint/elements.h"

namespace nns::checkpoint {

/// Reads runs of items of a storage, in pieces of at most 1 MiB, and copies as little as the source allows.
class ItemReader {
 public:
  /// `read_ahead` bytes behind a short run are read with it.
  ItemReader(std::shared_ptr<base::ByteSource> bytes, std::uint32_t item_bytes, std::size_t read_ahead = kReadAhead);
  /// `count` items from item `first` on, `stride` items apart, one after the other at the returned address, which is
  /// valid until the next call. Must hold: they lie inside the source, and count x item size is at most kPiece. Errors:
  /// reading failed.
  base::Result<const std::byte*> run(std::uint64_t first, std::uint64_t stride, std::size_t count);
  /// The same, copied to `into`.
  base::Result<void> copy_run(std::uint64_t first, std::uint64_t stride, std::size_t count, std::byte* into);

  static constexpr std::size_t kPiece = std::size_t{1} << 20U;
  static constexpr std::size_t kReadAhead = std::size_t{64} << 10U;
  /// Items that lie further apart are read alone: reading over the gap would bring bytes that nobody asked for.
  static constexpr std::uint64_t kMostGap = std::uint64_t{16} << 10U;

 private:
  base::Result<const std::byte*> fetch(std::uint64_t offset, std::size_t length, bool read_ahead);

  std::shared_ptr<base::ByteSource> bytes_;
  std::uint32_t item_bytes_;
  std::size_t read_ahead_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> gathered_;
  const std::byte* window_ = nullptr;  // buffer_ or a view
  std::uint64_t window_begin_ = 0;
  std::uint64_t window_end_ = 0;
};

/// How far reading ahead is worth it in this tensor: its items up to the first gap that is wider than
/// ItemReader::kMostGap, at most ItemReader::kReadAhead. Units: bytes.
std::size_t useful_read_ahead(const ElementSource& source);

/// Goes once through all items of a tensor in the order in which they lie in the storage, so that every reading is
/// close to the one before, whatever the strides. Dimensions that repeat the same items (stride 0) are visited once.
/// Must hold: source.check() succeeded.
class ItemWalk {
 public:
  explicit ItemWalk(const ElementSource& source);

  /// How often each item that is visited occurs in the tensor.
  std::uint64_t repeats() const { return repeats_; }
  /// Items that are visited.
  std::uint64_t count() const { return count_; }
  std::uint64_t position() const { return position_; }
  bool is_done() const { return position_ == count_; }
  void restart();

  /// The next items, at most `most` (at least one unless done); valid until the next call. Errors: reading failed.
  struct Block {
    const std::byte* raw = nullptr;
    std::size_t count = 0;
  };
  base::Result<Block> next(std::size_t most);

  /// True if the n-th visited item is the n-th of the tensor in row-major order.
  bool is_in_order() const { return in_order_; }
  /// Row-major index of the first occurrence of the n-th visited item.
  std::uint64_t logical_index(std::uint64_t visited) const;
  /// From the n-th visited item on so many (itself included) lie logical_step() apart in row-major order.
  std::uint64_t run_at(std::uint64_t visited) const {
    return sorted_.empty() ? 1 : sorted_.back().size - visited % sorted_.back().size;
  }
  std::uint64_t logical_step() const { return sorted_.empty() ? 1 : sorted_.back().logical_stride; }

 private:
  struct Dimension {
    std::uint64_t size = 0;
    std::uint64_t stride = 0;
    std::uint64_t logical_stride = 0;
  };

  ItemReader reader_;
  std::uint32_t item_bytes_;
  std::uint64_t base_;
  std::uint64_t count_ = 1;
  std::uint64_t repeats_ = 1;
  bool in_order_ = true;
  std::vector<Dimension> sorted_;  // outermost first, as visited
  std::vector<Dimension> merged_;  // the same with neighbours joined that follow each other without a gap
  std::uint64_t position_ = 0;
  std::vector<std::byte> gathered_;
};

}  // namespace nns::checkpoint
