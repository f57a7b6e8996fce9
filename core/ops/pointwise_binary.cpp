#include "core/object/str.h"
#include "core/ops/binary_shapes.h"
#include "core/ops/errors.h"
#include "core/ops/float_rows.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// Behaviour: aten/src/ATen/native/BinaryOps.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

using namespace formula;  // NOLINT(google-build-using-namespace): this file runs formulas

// ---------------------------------------------------------------- shape rules

PyResult<void> sub_shape(OpCall& call) {
  const auto is_bool = [&](std::size_t i) {
    const Tensor* tensor = call.tensor(i);
    return tensor != nullptr ? tensor->dtype() == DType::Bool : call.args[i].is_bool();
  };
  if (is_bool(0) && is_bool(1)) {
    return object::runtime_error(
        call.interpreter,
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
        "`logical_xor()` operator instead.");
  }
  if (is_bool(0) || is_bool(1)) {
    return object::runtime_error(
        call.interpreter,
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
        "to invert a mask, use the `~` or `logical_not()` operator instead.");
  }
  return promoted_shape(call);
}

PyResult<void> bitwise_shape(OpCall& call) {
  NNS_TRY(promoted_shape(call));
  if (tensor::is_integral(call.common)) return {};
  return not_implemented_for(call.interpreter, call.op.name + "_cpu", call.common);
}

PyResult<void> pow_shape(OpCall& call) {
  NNS_TRY(promoted_shape(call));
  if (tensor::is_integral(call.common) && call.tensor(1) == nullptr && Number::of(call.args[1]).as_double() < 0) {
    return object::runtime_error(call.interpreter, "Integers to negative integer powers are not allowed.");
  }
  return {};
}

// ---------------------------------------------------------------- running

template <class Formula, class... Types>
PyResult<void> run(OpCall& call) {
  static constexpr KernelTable kTable = kernels_of<Formula, 2, Types...>();
  return run_binary(call, kTable, compute_of(call.common));
}
template <class Formula, class... Types>
PyResult<void> run_comparison(OpCall& call) {
  static constexpr KernelTable kTable = kernels_of<Formula, 2, Types...>();
  return run_binary(call, kTable, Compute::Bool);
}
template <class Formula>
PyResult<void> run_any(OpCall& call) {
  return run<Formula, float, double, std::int64_t, std::uint64_t, bool, ComplexFloat, ComplexDouble>(call);
}

// The op on its first argument and `factor` times its second one.
PyResult<void> run_with_multiplied(OpCall& call, const KernelTable& table, std::size_t factor) {
  ElementKernel kernel = nullptr;
  NNS_TRY(find_kernel(call, table, call.common, kernel));
  ElementInput inputs[] = {element_input(call, 0), element_input(call, 1)};
  Ref<Tensor> scaled;
  if (inputs[1].tensor != nullptr) {
    GradModeGuard no_grad(call.interpreter, false);
    NNS_TRY_ASSIGN(scaled, call_tensor_op(call.interpreter, OpId::mul, std::array{call.args[1], call.args[factor]}));
    inputs[1].tensor = scaled.get();
  } else {
    inputs[1].number = Number::of(inputs[1].number.as_complex() * Number::of(call.args[factor]).as_complex());
  }
  return run_elements(call.output(), inputs, compute_of(call.common), compute_of(call.common), kernel);
}

template <class Plain, class Scaled>
PyResult<void> run_scaled(OpCall& call) {
  const Number alpha = Number::of(call.args[2]);
  if (call.args[2].is_bool() && call.common != DType::Bool) {
    return object::runtime_error(call.interpreter, "Boolean alpha only supported for Boolean results.");
  }
  if (alpha.is_one()) return run_any<Plain>(call);
  if (tensor::is_integral(call.common) && !alpha.is_integral()) {
    return object::runtime_error(call.interpreter,
                                 "For integral input tensors, argument alpha must not be a floating point number.");
  }
  if (alpha.is_complex()) {
    if (!tensor::is_complex(call.common)) {
      return object::runtime_error(call.interpreter,
                                   "For non-complex input tensors, argument alpha must not be a complex number.");
    }
    static constexpr KernelTable kPlain = kernels_of<Plain, 2, ComplexFloat, ComplexDouble>();
    return run_with_multiplied(call, kPlain, 2);
  }
  static constexpr KernelTable kTable =
      kernels_with_settings<Scaled, 2, float, double, std::int64_t, std::uint64_t, bool, ComplexFloat, ComplexDouble>();
  const Settings settings{.a = alpha.as_double(), .ia = alpha.as_int64()};
  return run_binary(call, kTable, compute_of(call.common), &settings);
}

// Integers cannot be divided by zero. On cuda nobody looks, as in PyTorch: what comes out has no meaning.
PyResult<void> check_divisor(OpCall& call) {
  if (!tensor::is_integral(call.common) || call.output().is_cuda()) return {};
  bool has_zero = false;
  if (const Tensor* divisor = call.tensor(1)) {
    tensor::for_each_place(
        *divisor, [&](std::int64_t place) { has_zero = has_zero || tensor::read_double(*divisor, place) == 0; });
  } else {
    has_zero = Number::of(call.args[1]).is_zero();
  }
  if (has_zero) return object::runtime_error(call.interpreter, "ZeroDivisionError");
  return {};
}
template <class Formula>
PyResult<void> run_division(OpCall& call) {
  NNS_TRY(check_divisor(call));
  return run<Formula, float, double, std::int64_t, std::uint64_t>(call);
}

PyResult<void> run_pow(OpCall& call) {
  if (call.tensor(1) == nullptr && !tensor::is_integral(call.common) && Number::of(call.args[1]).imaginary == 0) {
    const double exponent = Number::of(call.args[1]).as_double();
    if (exponent == 2) {
      static constexpr KernelTable kTable = kernels_of<PowTwo, 1, float, double, ComplexFloat, ComplexDouble>();
      return run_unary(call, kTable, compute_of(call.common));
    }
    if (exponent == 3) {
      static constexpr KernelTable kTable = kernels_of<PowThree, 1, float, double, ComplexFloat, ComplexDouble>();
      return run_unary(call, kTable, compute_of(call.common));
    }
    if (exponent == 0.5) {
      static constexpr KernelTable kTable = kernels_of<PowHalf, 1, float, double, ComplexFloat, ComplexDouble>();
      return run_unary(call, kTable, compute_of(call.common));
    }
  }
  return run<Pow, float, double, std::int64_t, std::uint64_t, ComplexFloat, ComplexDouble>(call);
}

OpBodies comparison(CpuBody cpu) { return {.shape = comparison_shape, .cpu = cpu, .is_elementwise = true}; }

// Ties give half to each, as in PyTorch.
template <OpId is_chosen>
Term share_of(Backward& b, bool first) {
  const Term chosen = apply(is_chosen, {first ? b.arg(0) : b.arg(1), first ? b.arg(1) : b.arg(0)});
  const Term grad = where(eq(b.arg(0), b.arg(1)), b.grad() / 2, b.grad());
  return apply(OpId::masked_fill, {grad, logical_not(chosen), 0});
}

std::string_view mode_of(const OpCall& call) {
  const object::Str* text = call.args[2].as<object::Str>();
  return text == nullptr ? std::string_view() : text->view();
}

}  // namespace

template <>
OpBodies bodies<OpId::add>() {
  return {.shape = promoted_shape,
          .cpu = run_scaled<Add, AddScaled>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }},
                        Gradient{1, 0,
                                 [](Backward& b) { return b.number(2).is_one() ? b.grad() : b.grad() * b.factor(2); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::sub>() {
  return {
      .shape = sub_shape,
      .cpu = run_scaled<Sub, SubScaled>,
      .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }},
                    Gradient{1, 0,
                             [](Backward& b) { return b.number(2).is_one() ? -b.grad() : -b.grad() * b.factor(2); }}},
      .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::mul>() {
  return {.shape = promoted_shape,
          .cpu = run_any<Mul>,
          .gradients = {Gradient{0, argument(1),
                                 [](Backward& b) {
                                   return b.is_tensor(1) ? b.grad() * conj(b.arg(1)) : b.grad() * b.factor(1);
                                 }},
                        Gradient{1, argument(0),
                                 [](Backward& b) {
                                   return b.is_tensor(0) ? b.grad() * conj(b.arg(0)) : b.grad() * b.factor(0);
                                 }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::div>() {
  return {.shape = fraction_shape,
          .cpu = run<Div, float, double, ComplexFloat, ComplexDouble>,
          .gradients = {Gradient{0, argument(1),
                                 [](Backward& b) {
                                   return b.is_tensor(1) ? b.grad() / conj(b.arg(1)) : b.grad() / b.factor(1);
                                 }},
                        Gradient{1, argument(0) | argument(1),
                                 [](Backward& b) {
                                   return -b.grad() * conj((b.tensor_or_number(0) / b.arg(1)) / b.arg(1));
                                 }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::div_mode>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const std::string_view mode = mode_of(call);
    if (call.is_none(2)) return call_op(call.interpreter, OpId::div, {call.args[0], call.args[1]});
    if (mode == "floor") return call_op(call.interpreter, OpId::floor_divide, {call.args[0], call.args[1]});
    if (mode == "trunc") return call_op(call.interpreter, OpId::trunc_divide, {call.args[0], call.args[1]});
    return object::runtime_error(
        call.interpreter, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'", mode);
  }};
}
template <>
OpBodies bodies<OpId::trunc_divide>() {
  return {.shape = promoted_shape,
          .cpu = run_division<TruncDiv>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(0).shape); }},
                        Gradient{1, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(1).shape); }}},
          .is_elementwise = true,
          .node_name = "DivBackward2"};
}
template <>
OpBodies bodies<OpId::floor_divide>() {
  return {.shape = promoted_shape,
          .cpu = run_division<FloorDiv>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(0).shape); }},
                        Gradient{1, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(1).shape); }}},
          .is_elementwise = true,
          .node_name = "DivBackward2"};
}
template <>
OpBodies bodies<OpId::remainder>() {
  return {.shape = promoted_shape,
          .cpu = run_division<Remainder>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }},
                        Gradient{1, argument(0) | argument(1),
                                 [](Backward& b) {
                                   return -b.grad() * apply(OpId::floor_divide, {b.tensor_or_number(0), b.arg(1)});
                                 }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::fmod>() {
  return {.shape = promoted_shape,
          .cpu = run_division<Fmod>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }},
                        Gradient{1, argument(0) | argument(1),
                                 [](Backward& b) {
                                   return -b.grad() * apply(OpId::trunc_divide, {b.tensor_or_number(0), b.arg(1)});
                                 }}},
          .is_elementwise = true};
}
// A real number of 0 or more.
static Term is_not_negative(const Term& exponent) {
  if (!exponent.ok() || !tensor::is_complex(exponent.tensor().dtype())) return ge(exponent, 0);
  return logical_and(eq(apply(OpId::imag, {exponent}), 0), ge(apply(OpId::real, {exponent}), 0));
}

template <>
OpBodies bodies<OpId::pow>() {
  return {.shape = pow_shape,
          .cpu = run_pow,
          .gradients = {Gradient{0, argument(0) | argument(1),
                                 [](Backward& b) {
                                   if (!b.is_tensor(1) && b.number(1).is_complex()) {
                                     const Term exponent = b.tensor_or_number(1);
                                     return b.grad() * conj(exponent * pow(b.arg(0), exponent - 1));
                                   }
                                   if (!b.is_tensor(1)) {
                                     const double exponent = b.real(1);
                                     if (exponent == 0) return zeros_like(b.grad(), b.input(0).shape);
                                     return b.grad() * conj(pow(b.arg(0), exponent - 1) * exponent);
                                   }
                                   const Term power = b.arg(1) * pow(b.arg(0), b.arg(1) - 1);
                                   // Where the exponent is 0 the result is 1 whatever the base.
                                   return b.grad() * conj(apply(OpId::masked_fill, {power, eq(b.arg(1), 0), 0}));
                                 }},
                        Gradient{1, argument(0) | argument(1) | result(),
                                 [](Backward& b) {
                                   const Term base = b.tensor_or_number(0);
                                   const Term scaled = b.out() * log(base);
                                   // 0 to a power of 0 or more does not change with the power.
                                   const Term is_flat = logical_and(eq(base, 0), is_not_negative(b.arg(1)));
                                   return b.grad() * conj(apply(OpId::masked_fill, {scaled, is_flat, 0}));
                                 }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::maximum>() {
  return {
      .shape = promoted_shape,
      .cpu = run<Maximum, float, double, std::int64_t, std::uint64_t, bool>,
      .gradients = {Gradient{0, argument(0) | argument(1), [](Backward& b) { return share_of<OpId::ge>(b, true); }},
                    Gradient{1, argument(0) | argument(1), [](Backward& b) { return share_of<OpId::ge>(b, false); }}},
      .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::minimum>() {
  return {
      .shape = promoted_shape,
      .cpu = run<Minimum, float, double, std::int64_t, std::uint64_t, bool>,
      .gradients = {Gradient{0, argument(0) | argument(1), [](Backward& b) { return share_of<OpId::le>(b, true); }},
                    Gradient{1, argument(0) | argument(1), [](Backward& b) { return share_of<OpId::le>(b, false); }}},
      .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::atan2>() {
  return {
      .shape = fraction_shape,
      .cpu = run<Atan2, float, double>,
      .gradients = {Gradient{0, argument(0) | argument(1),
                             [](Backward& b) { return b.grad() * b.arg(1) / (square(b.arg(0)) + square(b.arg(1))); }},
                    Gradient{1, argument(0) | argument(1),
                             [](Backward& b) { return -b.grad() * b.arg(0) / (square(b.arg(0)) + square(b.arg(1))); }}},
      .is_elementwise = true};
}
#define NNS_COMPARE_ALL(id, Formula)                                                                             \
  template <>                                                                                                    \
  OpBodies bodies<OpId::id>() {                                                                                  \
    return comparison(                                                                                           \
        run_comparison<Formula, float, double, std::int64_t, std::uint64_t, bool, ComplexFloat, ComplexDouble>); \
  }
#define NNS_COMPARE_ORDERED(id, Formula)                                                          \
  template <>                                                                                     \
  OpBodies bodies<OpId::id>() {                                                                   \
    return comparison(run_comparison<Formula, float, double, std::int64_t, std::uint64_t, bool>); \
  }
NNS_COMPARE_ALL(eq, Eq)
NNS_COMPARE_ALL(ne, Ne)
NNS_COMPARE_ORDERED(lt, Lt)
NNS_COMPARE_ORDERED(le, Le)
NNS_COMPARE_ORDERED(gt, Gt)
NNS_COMPARE_ORDERED(ge, Ge)
NNS_COMPARE_ALL(logical_and, LogicalAnd)
NNS_COMPARE_ALL(logical_or, LogicalOr)
NNS_COMPARE_ALL(logical_xor, LogicalXor)
#define NNS_BITWISE(id, ...)                                                          \
  template <>                                                                         \
  OpBodies bodies<OpId::id>() {                                                       \
    return {.shape = bitwise_shape, .cpu = run<__VA_ARGS__>, .is_elementwise = true}; \
  }
NNS_BITWISE(bitwise_and, BitAnd, std::int64_t, std::uint64_t, bool)
NNS_BITWISE(bitwise_or, BitOr, std::int64_t, std::uint64_t, bool)
NNS_BITWISE(bitwise_xor, BitXor, std::int64_t, std::uint64_t, bool)
NNS_BITWISE(bitwise_left_shift, ShiftLeft, std::int64_t)
NNS_BITWISE(bitwise_right_shift, ShiftRight, std::int64_t)

}  // namespace nns::ops
