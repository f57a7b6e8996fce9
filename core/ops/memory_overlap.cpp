#include "core/ops/memory_overlap.h"

#include "core/tensor/order.h"

namespace nns::ops {
namespace {

struct Bytes {
  std::int64_t begin, end;
};
Bytes bytes_of(const Tensor& tensor) {
  const auto size = static_cast<std::int64_t>(tensor::item_bytes(tensor.dtype()));
  return {tensor.offset() * size, (tensor.offset() + tensor.numel()) * size};
}

// Whether they share some memory, but not item by item.
bool overlap_partly(const Tensor& a, const Tensor& b) {
  if (&a == &b || !share_places(a, b)) return false;
  const Bytes one = bytes_of(a), other = bytes_of(b);
  const bool is_whole = one.begin == other.begin && one.end == other.end;
  return !is_whole || !(a.strides() == b.strides());
}

object::PyError shared_places(Interpreter& in) {
  return object::runtime_error(in,
                               "unsupported operation: some elements of the input tensor and the written-to tensor "
                               "refer to a single memory location. Please clone() the tensor before performing the "
                               "operation.");
}

PyResult<void> check_apart(Interpreter& in, const Tensor& target, const Value& value) {
  if (const auto* const tuple = value.as<object::Tuple>()) {
    for (const Value& one : tuple->items()) NNS_TRY(check_apart(in, target, one));
    return {};
  }
  const Tensor* const one = value.as<Tensor>();
  if (one == nullptr || target.is_meta() || !share_places(target, *one)) return {};
  return shared_places(in);
}

}  // namespace

bool share_places(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  if (&a == &b) return true;
  if (a.storage() != b.storage()) return false;
  if (!tensor::is_non_overlapping_and_dense(a) || !tensor::is_non_overlapping_and_dense(b)) return false;
  const Bytes one = bytes_of(a), other = bytes_of(b);
  return one.begin < other.end && other.begin < one.end;
}

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
    if (one != nullptr && !target.is_meta() && overlap_partly(target, *one)) return shared_places(in);
  }
  return {};
}

PyResult<void> check_disjoint(Interpreter& in, const Tensor& target, std::span<const Value> read) {
  NNS_TRY(check_places_differ(in, target));
  for (const Value& value : read) NNS_TRY(check_apart(in, target, value));
  return {};
}

}  // namespace nns::ops
