#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/base/tensor_slice.h"
#include "core/tensor/dtype.h"

namespace nns::checkpoint {

/// A tensor's values over some bytes, file or memory: reads elements in logical (row-major) order whatever the strides.
struct ElementSource {
  std::shared_ptr<base::ByteSource> bytes;  ///< exactly the storage
  tensor::DType dtype{};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;  ///< elements
  std::uint64_t storage_offset = 0;  ///< elements

  /// Product of the shape; 1 for a scalar.
  std::uint64_t numel() const;
  bool is_contiguous() const;
  /// Numbers in the tensor: numel(), twice as many where an item packs two (float4_e2m1fn_x2, which doubles the last
  /// dimension).
  std::uint64_t value_count() const;

  /// Every element lies inside `bytes`, and no count overflows. Must be asked before values are read.
  /// Errors: names what is too large or too short.
  base::Result<void> check() const;
};

/// The part of `source` that `slice` names, over the same bytes: items in the order of the slice's axes.
/// Errors: as source.check() and base::check_slice().
base::Result<ElementSource> apply_slice(const ElementSource& source, const base::TensorSlice& slice);

/// Numbers in one item of a dtype: 2 for float4_e2m1fn_x2, else 1.
std::uint32_t values_per_item(tensor::DType dtype);

/// Values `first` .. `first + into.size()` in row-major order, as double (complex: magnitude; bool: 0 or 1; exact for
/// integers below 2^53; quantised: the stored integer). Errors: a range outside the storage; reading failed.
base::Result<void> read_values(const ElementSource& source, std::uint64_t first, std::span<double> into);

/// The items of a tensor as they are stored, put into row-major order whatever the strides: what an export writes.
/// Reads what the pieces need and little more: gaps up to ItemReader::kMostGap are read over.
class OrderedItems {
 public:
  /// Must hold: source.check() succeeded.
  explicit OrderedItems(ElementSource source) : source_(std::move(source)) {}
  /// Items `first` .. `first + count` in row-major order, one after the other; valid until the next call. Must hold:
  /// the tensor has so many, and they are at most kPiece bytes. Errors: reading failed.
  base::Result<const std::byte*> read(std::uint64_t first, std::size_t count);

  static constexpr std::size_t kPiece = std::size_t{1} << 20U;

 private:
  base::Result<void> read_below(std::size_t axis, std::uint64_t item, std::uint64_t first, std::uint64_t count,
                                std::byte* into);
  base::Result<void> read_box(std::size_t axis, std::uint64_t item, std::uint64_t size, std::byte* into);

  ElementSource source_;
  std::vector<std::byte> buffer_;
};

/// One item as a person writes it, exact for its dtype: the shortest text that reads back as the same number, "True",
/// "(1+2j)", both numbers of an item that packs two apart by a blank; "nan", "inf", "-inf" as Python prints them.
std::string item_text(tensor::DType dtype, const std::byte* item);

}  // namespace nns::checkpoint
