#pragma once

#include <span>

#include "core/ops/op.h"

// Writes that would read what they wrote. Behaviour: aten/src/ATen/MemoryOverlap.cpp.
namespace nns::ops {

/// Whether a dimension is spread over one item, as in what expand() gives. Overlaps of other strides are not looked
/// for, as in PyTorch.
bool has_places_twice(const Tensor& tensor);

/// Errors: RuntimeError  two items of `target` lie in one place, as in what expand() gives.
PyResult<void> check_places_differ(Interpreter& interpreter, const Tensor& target);

/// The same, and of `target` and each tensor in `read`: they lie in the same places item by item, or have none in
/// common.
PyResult<void> check_overlap(Interpreter& interpreter, const Tensor& target, std::span<const Value> read);

}  // namespace nns::ops
