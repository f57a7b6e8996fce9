#include "core/ops/memory_overlap.h"

#include "core/tensor/order.h"

namespace nns::ops {
namespace {

// Whether they share some memory, but not item by item. Known only of tensors without gaps.
bool overlap_partly(const Tensor& a, const Tensor& b) {
  if (&a == &b || a.storage() != b.storage() || a.numel() == 0 || b.numel() == 0) return false;
  if (!tensor::is_non_overlapping_and_dense(a) || !tensor::is_non_overlapping_and_dense(b)) return false;
  const auto begin = [](const Tensor& one) {
    return one.offset() * static_cast<std::int64_t>(tensor::item_bytes(one.dtype()));
  };
  const auto end = [&](const Tensor& one) {
    return begin(one) + one.numel() * static_cast<std::int64_t>(tensor::item_bytes(one.dtype()));
  };
  if (begin(a) == begin(b) && end(a) == end(b)) return !(a.strides() == b.strides());
  return begin(a) < end(b) && begin(b) < end(a);
}

}  // namespace

bool has_places_twice(const Tensor& tensor) {
  if (tensor.is_contiguous() || tensor.numel() == 0) return false;
  for (std::size_t dim = 0; dim < tensor.ndim(); ++dim) {
    if (tensor.strides()[dim] == 0 && tensor.shape()[dim] > 1) return true;
  }
  return false;
}

PyResult<void> check_places_differ(Interpreter& in, const Tensor& target) {
  if (!has_places_twice(target)) return {};
  return object::runtime_error(
      in,
      "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
      "Please clone() the tensor before performing the operation.");
}

PyResult<void> check_overlap(Interpreter& in, const Tensor& target, std::span<const Value> read) {
  NNS_TRY(check_places_differ(in, target));
  for (const Value& value : read) {
    const Tensor* const one = value.as<Tensor>();
    if (one == nullptr || target.is_meta() || !overlap_partly(target, *one)) continue;
    return object::runtime_error(in,
                                 "unsupported operation: some elements of the input tensor and the written-to tensor "
                                 "refer to a single memory location. Please clone() the tensor before performing the "
                                 "operation.");
  }
  return {};
}

}  // namespace nns::ops
