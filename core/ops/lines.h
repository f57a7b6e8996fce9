#pragma once

#include <cstring>

#include "core/ops/op.h"

// Not for callers of ops.
namespace nns::ops {

/// The items of a tensor along one dimension, at one place of the others. Units: items of the storage.
struct Line {
  std::int64_t place = 0;
  std::int64_t stride = 0;
};

/// Calls use(line of `in`, line of `out`, items of a line) for all lines along `dim` of two tensors of one shape. A
/// tensor without dimensions is one line of one item.
template <class Use>
void for_each_line(const Tensor& in, const Tensor& out, std::size_t dim, Use use) {
  if (in.numel() == 0) return;
  const bool is_item = in.ndim() == 0;
  const auto firsts_of = [&](const Tensor& tensor) {
    return is_item ? tensor::detach(tensor) : tensor::select(tensor, dim, 0);
  };
  const auto stride_of = [&](const Tensor& tensor) { return is_item ? 1 : tensor.strides()[dim]; };
  const std::int64_t count = is_item ? 1 : in.shape()[dim];
  std::vector<std::int64_t> places;
  tensor::for_each_place(*firsts_of(in), [&](std::int64_t place) { places.push_back(place); });
  std::size_t next = 0;
  tensor::for_each_place(*firsts_of(out), [&](std::int64_t place) {
    use(Line{places[next++], stride_of(in)}, Line{place, stride_of(out)}, count);
  });
}

/// Copies one item between tensors of one dtype. Units: items of the storages.
inline void copy_item(const Tensor& to, std::int64_t to_place, const Tensor& from, std::int64_t from_place) {
  const std::size_t bytes = tensor::item_bytes(to.dtype());
  std::memcpy(to.storage()->data() + static_cast<std::size_t>(to_place) * bytes,
              from.storage()->data() + static_cast<std::size_t>(from_place) * bytes, bytes);
}

}  // namespace nns::ops
