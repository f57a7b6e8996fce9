#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/tensor_slice.h"

/// The part of a tensor that is looked at, as controls change it and as words say it.
namespace nns::model {

/// What an axis is in the picture. Several may be rows: they are one below the other, the last one fastest.
enum class AxisRole : std::uint8_t { Rows, Columns, Index };
AxisRole axis_role(const base::TensorSlice& slice, std::size_t axis);

/// The axis in another role; an axis that had one index comes back whole. The last axis that stays remains the columns.
base::TensorSlice with_role(base::TensorSlice slice, std::span<const std::int64_t> shape, std::size_t axis,
                            AxisRole role);
/// Must hold: the axis has one index, and `index` lies inside it.
base::TensorSlice with_index(base::TensorSlice slice, std::size_t axis, std::uint64_t index);
/// The last two axes that stay change places.
base::TensorSlice transposed(base::TensorSlice slice);

/// What is shown, in words and numbers.
struct SliceView {
  std::string text;           ///< "[:, 3].permute(1, 0)"
  std::string shape;          ///< of the part: "(64, 9)"
  std::string strides;        ///< elements: "(27, 1)"
  std::uint64_t offset = 0;   ///< of its first element in the storage. Units: elements
  std::uint64_t rows = 0;     ///< of the matrix
  std::uint64_t columns = 0;  ///< values: an item that packs two is two of them
  std::uint32_t per_item = 1;
  bool is_whole = true;
};
/// Must hold: check_slice(). The strides are the tensor's.
SliceView view_slice(const base::TensorSlice& slice, std::span<const std::int64_t> shape,
                     std::span<const std::int64_t> strides, std::uint64_t storage_offset, std::string_view dtype);

/// The place in the tensor of a cell of the matrix, as Python writes it: "[3, 17]".
std::string cell_text(const base::TensorSlice& slice, const SliceView& view, std::uint64_t row, std::uint64_t column);

}  // namespace nns::model
