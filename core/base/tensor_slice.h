#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nns::base {

/// `count` indices of one axis, `step` apart.
struct AxisRange {
  std::uint64_t start = 0;
  std::uint64_t count = 0;
  std::uint64_t step = 1;
  friend bool operator==(const AxisRange&, const AxisRange&) = default;
};

/// What is looked at of an n-dimensional tensor: indices of every axis, and in which order the axes stand. Seen as a
/// matrix the last of `order` is the columns, all others together are the rows. Plain data that links can carry.
struct TensorSlice {
  std::vector<AxisRange> axes;      ///< one an axis of the tensor
  std::vector<std::uint8_t> order;  ///< the axes that stay; one that is missing has one index and is dropped

  bool stays(std::size_t axis) const;
  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;
};

/// Everything, in the tensor's own order.
TensorSlice whole_slice(std::span<const std::int64_t> shape);

/// The sizes of the axes that stay, in their order.
std::vector<std::int64_t> slice_shape(const TensorSlice& slice);

/// As PyTorch indexes: "[:, 3, ::2, -1]", and where the axes change places ".permute(1, 0)" behind it. What
/// parse_slice() reads back as the same slice. Must hold: check_slice().
std::string slice_text(const TensorSlice& slice, std::span<const std::int64_t> shape);

/// Reads what slice_text() writes, and what else PyTorch's indexing has for views: negative numbers, "...", axes left
/// out at the end; ".T", ".mT", ".transpose(a, b)", ".permute(...)" behind it, any number of them. The brackets may be
/// left out. Errors: what cannot be understood, or lies outside the shape; `offset` is the place in `text`.
/// Behaviour: torch.Tensor indexing, torch/csrc/autograd/python_variable_indexing.cpp.
/// Differs: None, masks and lists of indices are refused, because they make no view of these axes.
Result<TensorSlice> parse_slice(std::string_view text, std::span<const std::int64_t> shape);

/// The slice lies inside the shape, and every axis either stays once or has one index.
/// Errors: names the axis that does not.
Result<void> check_slice(const TensorSlice& slice, std::span<const std::int64_t> shape);

/// The place in the tensor of the `flat`-th element of the slice in row-major order. Must hold: it has so many.
std::vector<std::uint64_t> slice_index(const TensorSlice& slice, std::uint64_t flat);

}  // namespace nns::base
