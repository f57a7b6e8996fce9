#include "core/ops/binary_shapes.h"
#include "core/ops/node.h"
#include "core/ops/promotion.h"
#include "core/ops/term.h"
#include "core/tensor/promotion.h"

// Complex tensors of real ones and back.
// Behaviour: aten/src/ATen/native/{TensorFactories,ComplexHelper}; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

struct Cartesian {
  template <class T>
  static std::complex<T> at(T real, T imaginary) {
    return {real, imaginary};
  }
};
struct Polar {
  template <class T>
  static std::complex<T> at(T size, T angle) {
    return {size * std::cos(angle), size * std::sin(angle)};
  }
};

using tensor::complex_of;
using tensor::real_of;

PyResult<void> pair_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  const auto is_part = [](DType dtype) {
    return dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Float16;
  };
  if (!is_part(a.dtype()) || !is_part(b.dtype())) {
    return object::runtime_error(call.interpreter,
                                 "Expected both inputs to be Half, Float or Double tensors but got {} and {}",
                                 tensor::info(a.dtype()).scalar_name, tensor::info(b.dtype()).scalar_name);
  }
  if (a.dtype() != b.dtype()) {
    return object::runtime_error(call.interpreter,
                                 "Expected object of scalar type {} but got scalar type {} for second argument",
                                 tensor::info(a.dtype()).scalar_name, tensor::info(b.dtype()).scalar_name);
  }
  NNS_TRY_ASSIGN(const Dims shape, broadcast_shapes(call.interpreter, a.shape(), b.shape()));
  call.common = a.dtype();
  return call.give(shape, complex_of(a.dtype()));
}
template <class Formula>
PyResult<void> run_pair(OpCall& call) {
  static constexpr KernelTable kTable = kernels_of<Formula, 2, float, double>();
  return run_binary(call, kTable, compute_of(call.output().dtype()));
}

// The bytes of `self` in another dtype. Units: items of that dtype.
void give_other_view(OpCall& call, const Dims& shape, const Dims& strides, std::int64_t offset, DType dtype) {
  const Tensor& self = call.required(0);
  call.give(tensor::make_tensor(call.interpreter, {self.storage(), shape, strides, offset, dtype}));
  if (self.is_inference()) call.output().mark_inference();
}

PyResult<void> as_real_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  if (!tensor::is_complex(self.dtype())) {
    return object::runtime_error(call.interpreter, "view_as_real is only supported for complex tensors");
  }
  std::vector<std::int64_t> shape(self.shape().begin(), self.shape().end()), strides;
  for (const std::int64_t stride : self.strides()) strides.push_back(2 * stride);
  shape.push_back(2);
  strides.push_back(1);
  give_other_view(call, Dims(shape), Dims(strides), 2 * self.offset(), real_of(self.dtype()));
  return {};
}

PyResult<void> as_complex_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  Interpreter& in = call.interpreter;
  if (self.dtype() != DType::Float32 && self.dtype() != DType::Float64 && self.dtype() != DType::Float16) {
    return object::runtime_error(
        in, "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {}",
        tensor::info(self.dtype()).scalar_name);
  }
  if (self.ndim() == 0) return object::runtime_error(in, "Input tensor must have one or more dimensions");
  const std::size_t last = self.ndim() - 1;
  if (self.shape()[last] != 2) return object::runtime_error(in, "Tensor must have a last dimension of size 2");
  if (self.strides()[last] != 1) {
    return object::runtime_error(in, "Tensor must have a last dimension with stride 1");
  }
  std::vector<std::int64_t> strides;
  for (std::size_t dim = 0; dim < last; ++dim) {
    if (self.strides()[dim] % 2 != 0) {
      return object::runtime_error(in, "Tensor must have a stride divisible by 2 for all but last dimension");
    }
    strides.push_back(self.strides()[dim] / 2);
  }
  if (self.offset() % 2 != 0) {
    return object::runtime_error(in, "Tensor must have a storage_offset divisible by 2");
  }
  give_other_view(call, Dims(self.shape().span().first(last)), Dims(strides), self.offset() / 2,
                  complex_of(self.dtype()));
  return {};
}

Term real_part(const Term& x) { return apply(OpId::real, {x}); }
Term imaginary_part(const Term& x) { return apply(OpId::imag, {x}); }

}  // namespace

template <>
OpBodies bodies<OpId::complex>() {
  return {.shape = pair_shape,
          .cpu = run_pair<Cartesian>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return real_part(b.grad()); }},
                        Gradient{1, 0, [](Backward& b) { return imaginary_part(b.grad()); }}}};
}
template <>
OpBodies bodies<OpId::polar>() {
  return {.shape = pair_shape,
          .cpu = run_pair<Polar>,
          .gradients = {Gradient{0, argument(1),
                                 [](Backward& b) {
                                   return real_part(b.grad()) * cos(b.arg(1)) +
                                          imaginary_part(b.grad()) * sin(b.arg(1));
                                 }},
                        Gradient{1, result(), [](Backward& b) {
                                   return imaginary_part(b.grad()) * real_part(b.out()) -
                                          real_part(b.grad()) * imaginary_part(b.out());
                                 }}}};
}
template <>
OpBodies bodies<OpId::view_as_real>() {
  return {.shape = as_real_shape,
          .gradients = {Gradient{
              0, 0, [](Backward& b) { return apply(OpId::view_as_complex, {apply(OpId::contiguous, {b.grad()})}); }}},
          .is_view = true};
}
template <>
OpBodies bodies<OpId::view_as_complex>() {
  return {.shape = as_complex_shape,
          .gradients = {Gradient{0, 0, [](Backward& b) { return apply(OpId::view_as_real, {b.grad()}); }}},
          .is_view = true};
}

}  // namespace nns::ops
