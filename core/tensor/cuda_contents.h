#pragma once

#include "core/tensor/tensor.h"

// Contents of tensors that lie on a CudaDevice. Not for callers of tensor.
namespace nns::tensor {

/// Whether kernels read, write and convert items of this dtype.
bool has_kernels(DType dtype);
/// copy_items where one of the two, or both, are on cuda. `source_strides` has the rank of `self`. Must hold: the
/// shapes fit, neither is on meta.
PyResult<void> copy_cuda_items(const Tensor& self, const Tensor& source, const Dims& source_strides);
/// Fills with the bytes of one item.
PyResult<void> fill_cuda_items(const Tensor& self, const std::byte* item);
/// Each item a number drawn from `law`, in order; `state` moves on.
PyResult<void> draw_cuda_items(const Tensor& self, const RandomLaw& law, PhiloxState& state);
/// One item, `place` items from the start of the storage.
PyResult<void> read_cuda_item(const Tensor& self, std::int64_t place, std::byte* item);

}  // namespace nns::tensor
