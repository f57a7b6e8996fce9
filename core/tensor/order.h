#pragma once

#include "core/tensor/tensor.h"

namespace nns::tensor {

/// Whether the items fill one piece of memory, without gaps and overlaps, in whatever order of dimensions.
/// Behaviour: c10/core/TensorImpl.h, compute_non_overlapping_and_dense.
bool is_non_overlapping_and_dense(const Tensor& tensor);

/// Not initialised, and with these strides. Must hold: they are those of a permutation, without gaps.
/// Errors: RuntimeError  there is not so much memory.
PyResult<Ref<Tensor>> try_empty_strided(Interpreter& interpreter, const Dims& shape, const Dims& strides, DType dtype,
                                        Device device);

/// self.to(dtype, device), which keeps the order: to() of tensor.h gives a contiguous copy.
/// Errors: as to().
PyResult<Ref<Tensor>> to_in_order(Tensor& self, DType dtype, Device device);

/// A tensor like `self` for a copy of it: with its strides where it is dense, else contiguous.
PyResult<Ref<Tensor>> try_empty_like(const Tensor& self, DType dtype, Device device);

}  // namespace nns::tensor
