#include "core/tensor/overlap.h"

#include <algorithm>
#include <numeric>

#include "core/object/operations.h"

namespace nns::tensor {
namespace {

// Whether the items lie in one block, each once, in whatever order of the dimensions.
bool is_dense(const Tensor& self) {
  if (self.is_contiguous()) return true;
  std::vector<std::size_t> order(self.ndim());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t i) { return self.shape()[i] == 1; });
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return self.strides()[a] < self.strides()[b]; });
  std::int64_t expected = 1;
  for (const std::size_t i : order) {
    if (self.strides()[i] != expected) return false;
    expected *= self.shape()[i];
  }
  return true;
}

}  // namespace

bool has_internal_overlap(const Tensor& self) {
  if (self.numel() == 0) return false;
  for (std::size_t i = 0; i < self.ndim(); ++i) {
    if (self.strides()[i] == 0 && self.shape()[i] > 1) return true;
  }
  return false;
}

PyResult<void> check_no_internal_overlap(const Tensor& written) {
  if (!has_internal_overlap(written)) return {};
  return object::runtime_error(written.interpreter(),
                               "unsupported operation: more than one element of the written-to tensor refers to a "
                               "single memory location. Please clone() the tensor before performing the operation.");
}

PyResult<void> check_no_partial_overlap(const Tensor& written, const Tensor& read) {
  if (&written == &read || written.storage() != read.storage() || written.numel() == 0 || read.numel() == 0) return {};
  if (!is_dense(written) || !is_dense(read)) return {};
  const auto begin = [](const Tensor& x) { return x.offset() * item_bytes(x.dtype()); };
  const auto end = [&](const Tensor& x) { return begin(x) + x.numel() * item_bytes(x.dtype()); };
  const bool is_same = begin(written) == begin(read) && end(written) == end(read);
  const bool is_apart = begin(written) >= end(read) || begin(read) >= end(written);
  if (is_apart || (is_same && written.strides() == read.strides())) return {};
  return object::runtime_error(written.interpreter(),
                               "unsupported operation: some elements of the input tensor and the written-to tensor "
                               "refer to a single memory location. Please clone() the tensor before performing the "
                               "operation.");
}

}  // namespace nns::tensor
