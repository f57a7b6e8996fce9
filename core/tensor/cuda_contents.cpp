#include "core/tensor/cuda_contents.h"

namespace nns::tensor {
namespace {

CudaDevice& device_of(const Tensor& tensor) { return *TensorLibrary::of(tensor.interpreter()).cuda; }

PyResult<void> checked(Interpreter& interpreter, const base::Result<void>& done) {
  if (!done.ok()) return cuda_error(interpreter, done.error());
  return {};
}

StridedItems items_of(const Tensor& tensor, const Dims& strides) { return {tensor.data(), strides, tensor.dtype()}; }

// A tensor of the shape and dtype of `like` without gaps, elsewhere.
PyResult<Ref<Tensor>> packed_like(const Tensor& like, DType dtype, Device device) {
  return try_empty(like.interpreter(), like.shape(), dtype, device);
}

PyResult<void> copy_to_device(const Tensor& self, const Tensor& source, const Dims& source_strides) {
  Interpreter& in = self.interpreter();
  const bool is_same = self.dtype() == source.dtype() && self.shape() == source.shape();
  if (is_same && self.is_contiguous() && source.is_contiguous()) {
    return checked(in, device_of(self).upload(self.data(), source.data(), self.nbytes()));
  }
  // The bytes travel as they are: what is repeated or converted becomes so on the device.
  Ref<Tensor> from = detach(source);
  if (!source.is_contiguous()) {
    NNS_TRY_ASSIGN(from, packed_like(source, source.dtype(), Device::Cpu));
    NNS_TRY(copy_items(*from, source));
  }
  NNS_TRY_ASSIGN(const Ref<Tensor> moved, packed_like(source, source.dtype(), Device::Cuda));
  NNS_TRY(checked(in, device_of(self).upload(moved->data(), from->data(), moved->nbytes())));
  Dims strides = source_strides;
  const std::size_t missing = self.ndim() - source.ndim();
  for (std::size_t i = 0; i < source.ndim(); ++i) {
    strides[missing + i] = source.shape()[i] == self.shape()[missing + i] ? moved->strides()[i] : 0;
  }
  return checked(in,
                 device_of(self).copy_items(items_of(self, self.strides()), items_of(*moved, strides), self.shape()));
}

PyResult<void> copy_to_host(const Tensor& self, const Tensor& source) {
  Interpreter& in = self.interpreter();
  Ref<Tensor> from = detach(source);
  if (!source.is_contiguous() || source.dtype() != self.dtype()) {
    NNS_TRY_ASSIGN(from, packed_like(source, self.dtype(), Device::Cuda));
    NNS_TRY(copy_items(*from, source));
  }
  if (self.shape() == source.shape() && self.is_contiguous()) {
    return checked(in, device_of(source).download(self.data(), from->data(), self.nbytes()));
  }
  NNS_TRY_ASSIGN(const Ref<Tensor> moved, packed_like(source, self.dtype(), Device::Cpu));
  NNS_TRY(checked(in, device_of(source).download(moved->data(), from->data(), moved->nbytes())));
  return copy_items(self, *moved);
}

// The items of `source` as those of `self` are, by way of the CPU.
PyResult<void> copy_converted(const Tensor& self, const Tensor& source) {
  NNS_TRY_ASSIGN(const Ref<Tensor> host, on_host(source));
  NNS_TRY_ASSIGN(const Ref<Tensor> converted, packed_like(source, self.dtype(), Device::Cpu));
  NNS_TRY(copy_items(*converted, *host));
  return copy_items(self, *converted);
}

}  // namespace

bool has_kernels(DType dtype) {
  switch (dtype) {
    case DType::Float32:
    case DType::Float64:
    case DType::Float16:
    case DType::BFloat16:
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
    case DType::UInt8:
    case DType::Bool:
      return true;
    default:
      return false;
  }
}

object::PyError cuda_error(Interpreter& interpreter, const base::Error& error) {
  const std::string text = error.message();
  return object::make_error(
      interpreter,
      error.found.starts_with(kOutOfMemory) ? object::ErrorKind::OutOfMemoryError : object::ErrorKind::AcceleratorError,
      text);
}

PyResult<void> copy_cuda_items(const Tensor& self, const Tensor& source, const Dims& source_strides) {
  if (self.numel() == 0) return {};
  if (self.dtype() != source.dtype() && !(has_kernels(self.dtype()) && has_kernels(source.dtype()))) {
    return copy_converted(self, source);
  }
  if (!source.is_cuda()) return copy_to_device(self, source, source_strides);
  if (!self.is_cuda()) return copy_to_host(self, source);
  return checked(self.interpreter(), device_of(self).copy_items(items_of(self, self.strides()),
                                                                items_of(source, source_strides), self.shape()));
}

PyResult<void> fill_cuda_items(const Tensor& self, const std::byte* item) {
  return checked(self.interpreter(), device_of(self).fill_items(items_of(self, self.strides()), self.shape(), item));
}

PyResult<void> draw_cuda_items(const Tensor& self, const RandomLaw& law, PhiloxState& state) {
  if (self.numel() == 0) return {};
  return checked(self.interpreter(),
                 device_of(self).draw_items(items_of(self, self.strides()), self.shape(), law, state));
}

PyResult<void> read_cuda_item(const Tensor& self, std::int64_t place, std::byte* item) {
  const std::uint32_t bytes = item_bytes(self.dtype());
  return checked(self.interpreter(), device_of(self).download(item, self.storage()->data() + place * bytes, bytes));
}

PyResult<Ref<Tensor>> on_host(const Tensor& self) {
  if (!self.is_cuda()) return detach(self);
  NNS_TRY_ASSIGN(Ref<Tensor> made, packed_like(self, self.dtype(), Device::Cpu));
  NNS_TRY(copy_items(*made, self));
  return made;
}

}  // namespace nns::tensor
