#pragma once

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "core/tensor/cuda.h"

// In which order kernels walk items, and complex ones as what they consist of.
namespace nns::cuda {

/// Dimensions from the one whose items lie next to each other on. Behaviour: TensorIteratorBase::reorder_dimensions.
inline std::vector<std::size_t> order_in_memory(const tensor::Dims& strides) {
  std::vector<std::size_t> order(strides.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t dim) { return std::abs(strides[dim]); });
  return order;
}

/// Items of two halves as pairs of `half`, in a last dimension; with_pairs() is their shape.
inline tensor::StridedItems as_pairs(const tensor::StridedItems& items, tensor::DType half) {
  std::vector<std::int64_t> strides;
  for (const std::int64_t stride : items.strides) strides.push_back(2 * stride);
  strides.push_back(1);
  return {items.data, tensor::Dims(strides), half};
}
inline tensor::Dims with_pairs(const tensor::Dims& shape) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  sizes.push_back(2);
  return tensor::Dims(sizes);
}

}  // namespace nns::cuda
