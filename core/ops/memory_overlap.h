#pragma once

#include <span>

#include "core/ops/op.h"

// Writes that would read what they wrote. Behaviour: aten/src/ATen/MemoryOverlap.cpp.
namespace nns::ops {

/// Whether a dimension is spread over one item, as in what expand() gives. Overlaps of other strides are not looked
/// for, as in PyTorch.
bool has_places_twice(const Tensor& tensor);

/// Whether both share memory. Known only of tensors without gaps, others do not count, as in PyTorch.
bool share_places(const Tensor& a, const Tensor& b);

/// Errors: RuntimeError  two items of `target` lie in one place, as in what expand() gives.
PyResult<void> check_places_differ(Interpreter& interpreter, const Tensor& target);

/// The same, and of `target` and each tensor in `read`: they lie in the same places item by item, or have none in
/// common.
PyResult<void> check_overlap(Interpreter& interpreter, const Tensor& target, std::span<const Value> read);

/// The same, and `target` shares no place with any tensor in `read` or in a list there, not even item by item: what
/// indices pick may have been written to before. Behaviour: at::assert_no_overlap.
PyResult<void> check_disjoint(Interpreter& interpreter, const Tensor& target, std::span<const Value> read);

}  // namespace nns::ops
