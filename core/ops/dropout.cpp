#include <cmath>

#include "core/ops/element_kernels.h"
#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/several_formulas.h"
#include "core/ops/term.h"
#include "core/tensor/cuda_contents.h"

// Dropout as one op that keeps a mask: what torch does on a GPU.
// Behaviour: aten/src/ATen/native/Dropout.cpp and cuda/Dropout.cu; the gradient: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

using formula::MaskedScale;

PyResult<void> scale_masked(OpCall& call, const Tensor& x, const Tensor& mask, double scale) {
  static constexpr KernelTable kTable = kernels_with_settings<MaskedScale, 2, float, double>();
  const Compute compute = compute_of(x.dtype());
  ElementKernel kernel = nullptr;
  NNS_TRY(find_kernel(call, kTable, x.dtype(), kernel));
  std::array<ElementInput, 2> inputs;
  inputs[0].tensor = &x;
  inputs[1].tensor = &mask;
  const Settings settings{.a = scale};
  return run_elements(call.output(), inputs, compute, compute, kernel, &settings);
}

double scale_of(double p) { return p == 1 ? 0 : 1 / (1 - p); }

// How many neighbouring items a thread of torch's kernel has: 16 bytes where they fit.
std::uint32_t neighbours(const Tensor& x) {
  if (!x.is_contiguous()) return 1;
  for (std::uint32_t count = 16 / tensor::item_bytes(x.dtype()); count > 1; count /= 2) {
    const std::uintptr_t bytes = count * tensor::item_bytes(x.dtype());
    if (x.numel() % count == 0 && reinterpret_cast<std::uintptr_t>(x.data()) % bytes == 0) return count;
  }
  return 1;
}

PyResult<void> draw_mask(const Tensor& x, Tensor& mask, double kept) {
  tensor::Generator& generator = tensor::TensorLibrary::of(x.interpreter()).generator;
  if (!x.is_cuda()) {
    tensor::bernoulli_(mask, generator, kept);
    return {};
  }
  // The numbers are floats; of doubles they are held against a double.
  auto bound = static_cast<float>(kept);
  if (x.dtype() == DType::Float64 && bound < kept) bound = std::nextafter(bound, 1.0F);
  const tensor::RandomLaw law{.kind = tensor::RandomLaw::Kind::Bernoulli, .neighbours = neighbours(x), .first = bound};
  return tensor::draw_cuda_items(mask, law, generator.philox);
}

// input 0, p 1, train 2 (None: true); outputs: the result, what is kept.
PyResult<void> drop(OpCall& call) {
  const Tensor& x = call.required(0);
  Tensor& mask = call.output(1);
  const double p = call.real(1);
  const bool drops = call.is_none(2) || call.flag(2);
  if (!drops || p == 1) {
    tensor::fill_items(mask, drops ? 0 : 1);
  } else {
    NNS_TRY(draw_mask(x, mask, 1 - p));
  }
  // The GPU's kernel takes what is kept as a number of the type that it computes in.
  const double kept = x.is_cuda() && x.dtype() != DType::Float64 ? static_cast<float>(1 - p) : 1 - p;
  return scale_masked(call, x, mask, !drops ? 1 : p == 1 ? 0 : 1 / kept);
}

PyResult<void> dropout_shape(OpCall& call) {
  const Tensor& x = call.required(0);
  if (!tensor::is_floating(x.dtype())) return not_implemented_for(call.interpreter, "native_dropout", x.dtype());
  const double p = call.real(1);
  if (p < 0 || p > 1) {
    return object::runtime_error(call.interpreter, "dropout probability has to be between 0 and 1, but got {}", p);
  }
  NNS_TRY(call.give(x.shape(), x.dtype()));
  return call.give(x.shape(), DType::Bool);
}

Term masked(const Term& grad, const Term& mask, double scale) {
  return apply(OpId::native_dropout_backward, {grad, mask, scale});
}

}  // namespace

template <>
OpBodies bodies<OpId::native_dropout>() {
  return {.shape = dropout_shape,
          .cpu = drop,
          .gradients = {Gradient{0, result(1),
                                 [](Backward& b) {
                                   const bool drops = b.value(2).is_none() || b.value(2).as_bool();
                                   return masked(b.grad(), b.out(1), drops ? scale_of(b.real(1)) : 1);
                                 }}},
          .differentiable_outputs = 1};
}
template <>
OpBodies bodies<OpId::native_dropout_backward>() {
  return {.shape = [](OpCall& call) { return call.give(call.required(0).shape(), call.required(0).dtype()); },
          .cpu = [](OpCall& call) { return scale_masked(call, call.required(0), call.required(1), call.real(2)); },
          .gradients = {Gradient{0, argument(1), [](Backward& b) { return masked(b.grad(), b.arg(1), b.real(2)); }}}};
}

}  // namespace nns::ops
