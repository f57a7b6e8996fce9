#include "core/ops/element_kernels.h"
#include "core/ops/errors.h"
#include "core/tensor/capture.h"

namespace nns::ops {

PyResult<void> find_kernel(const OpCall& call, const KernelTable& table, DType dtype, ElementKernel& kernel) {
  kernel = table[static_cast<std::size_t>(compute_of(dtype))];
  if (kernel == nullptr) {
    return not_implemented_for(call.interpreter, call.op.name, dtype);
  }
  return {};
}

PyResult<void> same_shape(OpCall& call) {
  call.common = call.required(0).dtype();
  return call.give(call.required(0).shape(), call.common);
}

PyResult<void> floating_shape(OpCall& call) {
  call.common = floating_of(call.interpreter, call.required(0).dtype());
  return call.give(call.required(0).shape(), call.common);
}

PyResult<void> bool_shape(OpCall& call) {
  call.common = call.required(0).dtype();
  return call.give(call.required(0).shape(), DType::Bool);
}

PyResult<void> run_unary(OpCall& call, const KernelTable& table, Compute written, const Settings* settings) {
  ElementKernel kernel = nullptr;
  NNS_TRY(find_kernel(call, table, call.common, kernel));
  const ElementInput inputs[] = {{call.tensor(0), {}}};
  tensor::Capture::covers();
  return run_elements(call.output(), inputs, compute_of(call.common), written, kernel, settings);
}

ElementInput element_input(const OpCall& call, std::size_t i) {
  if (const Tensor* tensor = call.tensor(i)) return {tensor, {}};
  return {nullptr, Number::of(call.args[i])};
}

}  // namespace nns::ops
