#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/tensor/capture.h"

// Copies between tensors of one dtype that lie differently. Not for callers of tensors.
namespace nns::tensor {

/// A dimension that two tensors are walked along together. Units of the steps: items.
struct CopyDim {
  std::int64_t size, to, from;
};

/// Copies one line of items of the same type.
template <class Item>
void copy_line(std::byte* to, const std::byte* from, const CopyDim& dim) {
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Item));
  if (dim.to == 1 && dim.from == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(dim.size) * sizeof(Item));
    return;
  }
  const std::int64_t to_step = dim.to * kBytes, from_step = dim.from * kBytes;
  for (std::int64_t i = 0; i < dim.size; ++i, to += to_step, from += from_step) std::memcpy(to, from, sizeof(Item));
}

/// Copies a plane of items; where the two are turned against each other, in squares that stay in the first cache.
template <class Item>
void copy_plane(std::byte* to, const std::byte* from, const CopyDim& rows, const CopyDim& columns) {
  constexpr std::int64_t kSquare = 16;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Item));
  const bool is_turned = columns.to == 1 && rows.from == 1 && columns.from != 1;
  if (!is_turned) {
    for (std::int64_t row = 0; row < rows.size; ++row)
      copy_line<Item>(to + row * rows.to * kBytes, from + row * rows.from * kBytes, columns);
    return;
  }
  for (std::int64_t column = 0; column < columns.size; column += kSquare) {
    const CopyDim part{std::min(kSquare, columns.size - column), 1, columns.from};
    for (std::int64_t row = 0; row < rows.size; ++row)
      copy_line<Item>(to + (row * rows.to + column) * kBytes, from + (row + column * columns.from) * kBytes, part);
  }
}

/// Copies items of one type between two tensors of one shape.
template <class Item>
void copy_strided(const Dims& shape, const Dims& to_strides, std::byte* to, const Dims& from_strides,
                  const std::byte* from) {
  // Dimensions that matter, the innermost first; those that lie behind each other in both become one.
  std::vector<CopyDim> dims;
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] == 0) return;
    if (shape[dim] == 1) continue;
    if (!dims.empty() && to_strides[dim] == dims.back().to * dims.back().size &&
        from_strides[dim] == dims.back().from * dims.back().size) {
      dims.back().size *= shape[dim];
    } else {
      dims.push_back({shape[dim], to_strides[dim], from_strides[dim]});
    }
  }
  while (dims.size() < 2) dims.push_back({1, 0, 0});
  if (dims.size() == 2) {
    return Capture::launch(
        [to, from, rows = dims[1], columns = dims[0]] { copy_plane<Item>(to, from, rows, columns); });
  }
  Capture::has_gap();
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Item));
  std::vector<std::int64_t> index(dims.size(), 0);
  while (true) {
    copy_plane<Item>(to, from, dims[1], dims[0]);
    std::size_t dim = 2;
    for (; dim < dims.size(); ++dim) {
      to += dims[dim].to * kBytes;
      from += dims[dim].from * kBytes;
      if (++index[dim] < dims[dim].size) break;
      to -= dims[dim].to * dims[dim].size * kBytes;
      from -= dims[dim].from * dims[dim].size * kBytes;
      index[dim] = 0;
    }
    if (dim >= dims.size()) return;
  }
}

}  // namespace nns::tensor
