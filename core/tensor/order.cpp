#include "core/tensor/order.h"

#include <algorithm>

namespace nns::tensor {

bool is_non_overlapping_and_dense(const Tensor& tensor) {
  if (tensor.is_contiguous()) return true;
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;
  for (std::size_t i = 0; i < tensor.ndim(); ++i) {
    if (tensor.shape()[i] > 1) dims.emplace_back(tensor.strides()[i], tensor.shape()[i]);
  }
  std::sort(dims.begin(), dims.end());
  std::int64_t step = 1;
  for (const auto& [stride, size] : dims) {
    if (stride != step) return false;
    step *= size;
  }
  return true;
}

PyResult<Ref<Tensor>> try_empty_strided(Interpreter& interpreter, const Dims& shape, const Dims& strides, DType dtype,
                                        Device device) {
  NNS_TRY_ASSIGN(const Ref<Tensor> made, try_empty(interpreter, shape, dtype, device));
  return make_tensor(interpreter, {made->storage(), shape, strides, 0, dtype});
}

PyResult<Ref<Tensor>> to_in_order(Tensor& self, DType dtype, Device device) {
  const bool is_same = dtype == self.dtype() && device == self.device();
  const bool has_data = !self.is_meta() || device == Device::Meta;
  if (self.sparse() != nullptr || is_same || self.is_contiguous() || !has_data) return to(self, dtype, device);
  NNS_TRY_ASSIGN(Ref<Tensor> made, try_empty_like(self, dtype, device));
  NNS_TRY(copy_items(*made, self));
  return made;
}

PyResult<Ref<Tensor>> try_empty_like(const Tensor& self, DType dtype, Device device) {
  if (self.is_contiguous() || !is_non_overlapping_and_dense(self)) {
    return try_empty(self.interpreter(), self.shape(), dtype, device);
  }
  return try_empty_strided(self.interpreter(), self.shape(), self.strides(), dtype, device);
}

}  // namespace nns::tensor
