#pragma once

#include "core/tensor/tensor.h"

/// Items of memory that a tensor has twice, or that two tensors share.
/// Behaviour: aten/src/ATen/MemoryOverlap.cpp; "too hard to tell" is none, as there.
namespace nns::tensor {

/// Whether some item lies at several places of the tensor, as after expand().
bool has_internal_overlap(const Tensor& self);

/// Errors: RuntimeError  `written` has items twice.
PyResult<void> check_no_internal_overlap(const Tensor& written);
/// Errors: RuntimeError  some, but not all, items of the two dense tensors are the same.
PyResult<void> check_no_partial_overlap(const Tensor& written, const Tensor& read);

}  // namespace nns::tensor
