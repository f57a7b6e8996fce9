#include "core/ops/binary_shapes.h"
#include "core/tensor/capture.h"

namespace nns::ops {

PyResult<Dims> broadcast_of(OpCall& call) {
  const Tensor* a = call.tensor(0);
  const Tensor* b = call.tensor(1);
  // Two numbers are tensors without dimensions: torch.mul(2, 3).
  if (a == nullptr && b == nullptr) return Dims();
  if (a == nullptr || b == nullptr) return (a == nullptr ? b : a)->shape();
  return broadcast_shapes(call.interpreter, a->shape(), b->shape());
}

PyResult<DType> promoted(OpCall& call) {
  TypePromotion promotion(call.interpreter);
  NNS_TRY(promotion.add(call.args[0]));
  NNS_TRY(promotion.add(call.args[1]));
  return promotion.dtype();
}

PyResult<void> promoted_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const Dims shape, broadcast_of(call));
  NNS_TRY_ASSIGN(call.common, promoted(call));
  return call.give(shape, call.common);
}

PyResult<void> fraction_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const Dims shape, broadcast_of(call));
  NNS_TRY_ASSIGN(const DType dtype, promoted(call));
  call.common = floating_of(call.interpreter, dtype);
  return call.give(shape, call.common);
}

PyResult<void> comparison_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const Dims shape, broadcast_of(call));
  NNS_TRY_ASSIGN(call.common, promoted(call));
  return call.give(shape, DType::Bool);
}

PyResult<void> run_binary(OpCall& call, const KernelTable& table, Compute written, const Settings* settings) {
  ElementKernel kernel = nullptr;
  NNS_TRY(find_kernel(call, table, call.common, kernel));
  const ElementInput inputs[] = {element_input(call, 0), element_input(call, 1)};
  tensor::Capture::covers();
  return run_elements(call.output(), inputs, compute_of(call.common), written, kernel, settings);
}
}  // namespace nns::ops
