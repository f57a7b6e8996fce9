#include "core/ops/element_kernels.h"
#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/several_formulas.h"
#include "core/ops/term.h"

// Ops that work item by item on three inputs.
// Behaviour: aten/src/ATen/native/{TensorCompare,PointwiseOps,Lerp}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

using namespace formula;  // NOLINT(google-build-using-namespace): this file runs formulas

// The shape that all tensor arguments broadcast to.
PyResult<Dims> shape_of_all(OpCall& call, std::size_t count) {
  Dims shape;
  for (std::size_t i = 0; i < count; ++i) {
    if (const Tensor* tensor = call.tensor(i)) {
      NNS_TRY_ASSIGN(shape, broadcast_shapes(call.interpreter, shape, tensor->shape()));
    }
  }
  return shape;
}

PyResult<DType> promoted(OpCall& call, std::initializer_list<std::size_t> which) {
  TypePromotion promotion(call.interpreter);
  for (const std::size_t i : which) NNS_TRY(promotion.add(call.args[i]));
  return promotion.dtype();
}

template <class Formula, std::size_t count, class... Types>
PyResult<void> run(OpCall& call, std::array<std::size_t, count> which) {
  static constexpr KernelTable kTable = kernels_of<Formula, count, Types...>();
  ElementKernel kernel = nullptr;
  NNS_TRY(find_kernel(call, kTable, call.common, kernel));
  std::array<ElementInput, count> inputs;
  for (std::size_t i = 0; i < count; ++i) inputs[i] = element_input(call, which[i]);
  return run_elements(call.output(), inputs, compute_of(call.common), compute_of(call.common), kernel);
}
template <class Formula, class... Types>
PyResult<void> run_with_value(OpCall& call) {
  static constexpr KernelTable kTable = kernels_with_settings<Formula, 3, Types...>();
  ElementKernel kernel = nullptr;
  NNS_TRY(find_kernel(call, kTable, call.common, kernel));
  const Number value = Number::of(call.args[3]);
  Settings settings{.a = value.as_double(), .ia = value.as_int64()};
  ElementInput inputs[] = {element_input(call, 0), element_input(call, 1), element_input(call, 2)};
  Ref<Tensor> scaled;
  if (value.is_complex()) {
    GradModeGuard no_grad(call.interpreter, false);
    NNS_TRY_ASSIGN(scaled, call_tensor_op(call.interpreter, OpId::mul, std::array{call.args[1], call.args[3]}));
    inputs[1].tensor = scaled.get();
    settings = {.a = 1, .ia = 1};
  }
  return run_elements(call.output(), inputs, compute_of(call.common), compute_of(call.common), kernel, &settings);
}

PyResult<void> several_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const Dims shape, shape_of_all(call, 3));
  NNS_TRY_ASSIGN(call.common, promoted(call, {0, 1, 2}));
  return call.give(shape, call.common);
}

// Nothing is promoted but a weight without dimensions.
PyResult<void> lerp_shape(OpCall& call) {
  const DType dtype = call.required(0).dtype();
  const auto check = [&](std::size_t i, std::string_view name) -> PyResult<void> {
    if (call.required(i).dtype() == dtype) return {};
    return object::runtime_error(call.interpreter, "expected dtype {} for `{}` but got dtype {}", cpp_type_name(dtype),
                                 name, cpp_type_name(call.required(i).dtype()));
  };
  NNS_TRY(check(1, "end"));
  const Tensor* weight = call.tensor(2);
  if (weight != nullptr && weight->ndim() != 0) NNS_TRY(check(2, "weight"));
  if (!tensor::is_floating(dtype) && !tensor::is_complex(dtype)) {
    return not_implemented_for(call.interpreter, weight == nullptr ? "lerp_kernel_scalar" : "lerp_kernel_tensor",
                               dtype);
  }
  NNS_TRY_ASSIGN(const Dims shape, shape_of_all(call, 3));
  call.common = dtype;
  return call.give(shape, dtype);
}

PyResult<void> addcdiv_shape(OpCall& call) {
  if (tensor::is_integral(call.required(1).dtype()) && tensor::is_integral(call.required(2).dtype())) {
    return object::runtime_error(
        call.interpreter,
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
        "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
        "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
        "for "
        "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
        "tensor2), "
        "for all dtypes.");
  }
  return several_shape(call);
}

PyResult<void> where_shape(OpCall& call) {
  const DType condition = call.required(0).dtype();
  if (condition != DType::Bool && condition != DType::UInt8) {
    return object::runtime_error(call.interpreter,
                                 "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
                                 tensor::info(condition).scalar_name);
  }
  NNS_TRY_ASSIGN(const Dims shape, shape_of_all(call, 3));
  NNS_TRY_ASSIGN(call.common, promoted(call, {1, 2}));
  return call.give(shape, call.common);
}

PyResult<void> masked_fill_shape(OpCall& call) {
  if (call.required(1).dtype() != DType::Bool) {
    return object::runtime_error(call.interpreter,
                                 "masked_fill_ only supports boolean masks, but got mask with dtype {}",
                                 tensor::info(call.required(1).dtype()).torch_name);
  }
  if (const Tensor* value = call.tensor(2); value != nullptr && value->ndim() != 0) {
    return object::runtime_error(
        call.interpreter,
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).", value->ndim());
  }
  if (call.tensor(2) == nullptr && Number::of(call.args[2]).is_complex() &&
      !tensor::is_complex(call.required(0).dtype())) {
    return no_conversion(call.interpreter, call.required(0).dtype());
  }
  NNS_TRY_ASSIGN(const Dims shape,
                 broadcast_shapes(call.interpreter, call.required(0).shape(), call.required(1).shape()));
  call.common = call.required(0).dtype();
  return call.give(shape, call.common);
}

PyResult<void> clamp_shape(OpCall& call) {
  if (call.is_none(1) && call.is_none(2)) {
    return object::runtime_error(call.interpreter, "torch.clamp: At least one of 'min' or 'max' must not be None");
  }
  NNS_TRY_ASSIGN(const Dims shape, shape_of_all(call, 3));
  NNS_TRY_ASSIGN(call.common, promoted(call, {0, 1, 2}));
  if (tensor::is_complex(call.common)) {
    return object::runtime_error(call.interpreter, "clamp is not supported for complex types");
  }
  return call.give(shape, call.common);
}

PyResult<void> run_clamp(OpCall& call) {
  if (call.is_none(1)) return run<ClampHigh, 2, float, double, std::int64_t, std::uint64_t, bool>(call, {0, 2});
  if (call.is_none(2)) return run<ClampLow, 2, float, double, std::int64_t, std::uint64_t, bool>(call, {0, 1});
  return run<Clamp, 3, float, double, std::int64_t, std::uint64_t>(call, {0, 1, 2});
}

// Where the input is not moved.
Term inside_of(Backward& b) {
  Term inside;
  const bool has_low = b.is_tensor(1) || !b.value(1).is_none();
  const bool has_high = b.is_tensor(2) || !b.value(2).is_none();
  if (has_low) inside = b.is_tensor(1) ? ge(b.arg(0), b.arg(1)) : ge(b.arg(0), b.value(1));
  if (has_high) {
    const Term below = b.is_tensor(2) ? le(b.arg(0), b.arg(2)) : le(b.arg(0), b.value(2));
    inside = has_low ? logical_and(inside, below) : below;
  }
  return inside;
}

}  // namespace

template <>
OpBodies bodies<OpId::where>() {
  return {.shape = where_shape,
          .cpu =
              [](OpCall& call) {
                return run<Choose, 3, float, double, std::int64_t, std::uint64_t, bool, ComplexFloat, ComplexDouble>(
                    call, {0, 1, 2});
              },
          .gradients = {Gradient{1, argument(0), [](Backward& b) { return where(b.arg(0), b.grad(), 0); }},
                        Gradient{2, argument(0), [](Backward& b) { return where(b.arg(0), 0, b.grad()); }}}};
}
template <>
OpBodies bodies<OpId::masked_fill>() {
  return {.shape = masked_fill_shape,
          .cpu =
              [](OpCall& call) {
                return run<Fill, 3, float, double, std::int64_t, std::uint64_t, bool, ComplexFloat, ComplexDouble>(
                    call, {0, 1, 2});
              },
          .gradients = {Gradient{0, argument(1),
                                 [](Backward& b) {
                                   return apply(OpId::masked_fill, {b.grad(), b.arg(1), 0});
                                 }},
                        Gradient{2, argument(1),
                                 [](Backward& b) { return apply(OpId::sum, {where(b.arg(1), b.grad(), 0)}); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::clamp>() {
  return {.shape = clamp_shape,
          .cpu = run_clamp,
          .gradients = {Gradient{0, argument(0) | argument(1) | argument(2),
                                 [](Backward& b) { return where(inside_of(b), b.grad(), 0); }},
                        Gradient{1, argument(0) | argument(1) | argument(2),
                                 [](Backward& b) {
                                   Term below = lt(b.arg(0), b.arg(1));
                                   if (b.is_tensor(2)) below = logical_and(below, le(b.arg(1), b.arg(2)));
                                   return where(below, b.grad(), 0);
                                 }},
                        Gradient{2, argument(0) | argument(1) | argument(2),
                                 [](Backward& b) {
                                   Term above = gt(b.arg(0), b.arg(2));
                                   if (b.is_tensor(1)) above = apply(OpId::logical_or, {above, gt(b.arg(1), b.arg(2))});
                                   return where(above, b.grad(), 0);
                                 }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::lerp>() {
  return {.shape = lerp_shape,
          .cpu =
              [](OpCall& call) {
                return run<Lerp, 3, float, double, ComplexFloat, ComplexDouble>(call, {0, 1, 2});
              },
          .gradients = {Gradient{0, argument(2),
                                 [](Backward& b) {
                                   return b.is_tensor(2) ? b.grad() * conj(-b.arg(2) + 1) : b.grad() * (1 - b.real(2));
                                 }},
                        Gradient{1, argument(2),
                                 [](Backward& b) {
                                   return b.is_tensor(2) ? b.grad() * conj(b.arg(2)) : b.grad() * b.real(2);
                                 }},
                        Gradient{2, argument(0) | argument(1),
                                 [](Backward& b) { return b.grad() * conj(b.arg(1) - b.arg(0)); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::addcmul>() {
  return {.shape = several_shape,
          .cpu = run_with_value<AddCMul, float, double, std::int64_t, std::uint64_t, ComplexFloat, ComplexDouble>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }},
                        Gradient{1, argument(2), [](Backward& b) { return b.grad() * conj(b.arg(2)) * b.factor(3); }},
                        Gradient{2, argument(1), [](Backward& b) { return b.grad() * conj(b.arg(1)) * b.factor(3); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::addcdiv>() {
  return {.shape = addcdiv_shape,
          .cpu = run_with_value<AddCDiv, float, double, ComplexFloat, ComplexDouble>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }},
                        Gradient{1, argument(2), [](Backward& b) { return b.grad() * b.factor(3) / conj(b.arg(2)); }},
                        Gradient{2, argument(1) | argument(2),
                                 [](Backward& b) {
                                   return -b.grad() * b.factor(3) * conj(b.arg(1) / (b.arg(2) * b.arg(2)));
                                 }}},
          .is_elementwise = true};
}

}  // namespace nns::ops
