#include <numbers>

#include "core/ops/float_rows.h"
#include "core/ops/fused_gradient.h"
#include "core/ops/gradient_formulas.h"
#include "core/ops/node.h"
#include "core/ops/term.h"
#include "core/tensor/promotion.h"

// Behaviour: aten/src/ATen/native/UnaryOps.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

using namespace formula;  // NOLINT(google-build-using-namespace): this file runs formulas

constexpr double kLn10 = 2.30258509299404568402;

// The ops whose result has fractions: integers are computed in the default dtype.
template <class Formula, bool with_complex = true>
constexpr KernelTable floating_kernels() {
  if constexpr (with_complex)
    return kernels_of<Formula, 1, float, double, ComplexFloat, ComplexDouble>();
  else
    return kernels_of<Formula, 1, float, double>();
}

template <class Formula, bool with_complex = true>
PyResult<void> run_floating(OpCall& call) {
  static constexpr KernelTable kTable = floating_kernels<Formula, with_complex>();
  return run_unary(call, kTable, compute_of(call.common));
}
template <class Formula, bool with_complex = true>
OpBodies floating(GradientFormula gradient, std::uint32_t reads) {
  return {.shape = floating_shape,
          .cpu = run_floating<Formula, with_complex>,
          .gradients = {Gradient{0, reads, gradient}},
          .is_elementwise = true};
}

// The ops that keep the dtype; integers are as they are where `whole` has nothing to round.
template <class Formula, class... Types>
PyResult<void> run_same(OpCall& call) {
  static constexpr KernelTable kTable = kernels_of<Formula, 1, Types...>();
  return run_unary(call, kTable, compute_of(call.common));
}
template <class Formula>
PyResult<void> run_rounding(OpCall& call) {
  static constexpr KernelTable kTable =
      merged(kernels_of<Formula, 1, float, double>(), kernels_of<Same, 1, std::int64_t, std::uint64_t>());
  return run_unary(call, kTable, compute_of(call.common));
}
template <class Formula>
OpBodies rounding() {
  return {.shape = same_shape,
          .cpu = run_rounding<Formula>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(0).shape); }}},
          .is_elementwise = true};
}

template <class OnFloats, class OnIntegers>
PyResult<void> run_floating_test(OpCall& call) {
  static constexpr KernelTable kTable = merged(kernels_of<OnFloats, 1, float, double, ComplexFloat, ComplexDouble>(),
                                               kernels_of<OnIntegers, 1, std::int64_t, std::uint64_t, bool>());
  return run_unary(call, kTable, Compute::Bool);
}

PyResult<void> neg_shape(OpCall& call) {
  if (call.required(0).dtype() == DType::Bool) {
    return object::runtime_error(call.interpreter,
                                 "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
                                 "invert a mask, use the `~` or `logical_not()` operator instead.");
  }
  return same_shape(call);
}

PyResult<void> part_shape(OpCall& call) {
  call.common = call.required(0).dtype();
  return call.give(call.required(0).shape(), tensor::real_of(call.common));
}
template <class Formula, class... Types>
PyResult<void> run_part(OpCall& call) {
  static constexpr KernelTable kTable = kernels_of<Formula, 1, Types...>();
  return run_unary(call, kTable, compute_of(tensor::real_of(call.common)));
}

}  // namespace

template <>
OpBodies bodies<OpId::neg>() {
  return {.shape = neg_shape,
          .cpu = run_same<Neg, float, double, std::int64_t, std::uint64_t, ComplexFloat, ComplexDouble>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return -b.grad(); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::abs>() {
  return {.shape = part_shape,
          .cpu = run_part<Abs, float, double, std::int64_t, std::uint64_t, ComplexFloat, ComplexDouble>,
          .gradients = {Gradient{0, argument(0), [](Backward& b) { return b.grad() * apply(OpId::sgn, {b.arg(0)}); }}}};
}
template <>
OpBodies bodies<OpId::sign>() {
  return {.shape = same_shape,
          .cpu = run_same<Sign, float, double, std::int64_t, std::uint64_t, bool>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(0).shape); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::exp>() {
  return floating<Exp>([](Backward& b) { return b.grad() * conj(b.out()); }, result());
}
template <>
OpBodies bodies<OpId::exp2>() {
  return floating<Exp2>([](Backward& b) { return b.grad() * conj(b.out()) * kLn2; }, result());
}
template <>
OpBodies bodies<OpId::expm1>() {
  return floating<Expm1>([](Backward& b) { return b.grad() * conj(b.out() + 1); }, result());
}
template <>
OpBodies bodies<OpId::log>() {
  return floating<Log>([](Backward& b) { return b.grad() / conj(b.arg(0)); }, argument(0));
}
template <>
OpBodies bodies<OpId::log2>() {
  return floating<Log2>([](Backward& b) { return b.grad() / (conj(b.arg(0)) * kLn2); }, argument(0));
}
template <>
OpBodies bodies<OpId::log10>() {
  return floating<Log10>([](Backward& b) { return b.grad() / (conj(b.arg(0)) * kLn10); }, argument(0));
}
template <>
OpBodies bodies<OpId::log1p>() {
  return floating<Log1p>([](Backward& b) { return b.grad() / conj(b.arg(0) + 1); }, argument(0));
}
template <>
OpBodies bodies<OpId::sqrt>() {
  return floating<Sqrt>([](Backward& b) { return b.grad() / (conj(b.out()) * 2); }, result());
}
template <>
OpBodies bodies<OpId::rsqrt>() {
  return floating<Rsqrt>([](Backward& b) { return b.grad() * conj(pow(b.out(), 3)) * -0.5; }, result());
}
template <>
OpBodies bodies<OpId::square>() {
  return {.shape = same_shape,
          .cpu = run_same<Square, float, double, std::int64_t, std::uint64_t, bool, ComplexFloat, ComplexDouble>,
          .gradients = {Gradient{0, argument(0), [](Backward& b) { return b.grad() * conj(b.arg(0)) * 2; }}},
          .is_elementwise = true,
          .node_name = "PowBackward0"};
}
template <>
OpBodies bodies<OpId::reciprocal>() {
  return floating<Reciprocal>([](Backward& b) { return -b.grad() * conj(b.out() * b.out()); }, result());
}
template <>
OpBodies bodies<OpId::sin>() {
  return floating<Sin>([](Backward& b) { return b.grad() * conj(cos(b.arg(0))); }, argument(0));
}
template <>
OpBodies bodies<OpId::cos>() {
  return floating<Cos>([](Backward& b) { return b.grad() * -conj(sin(b.arg(0))); }, argument(0));
}
template <>
OpBodies bodies<OpId::tan>() {
  return floating<Tan>([](Backward& b) { return b.grad() * conj(square(b.out()) + 1); }, result());
}
template <>
OpBodies bodies<OpId::asin>() {
  return floating<Asin>([](Backward& b) { return b.grad() * conj(rsqrt(-square(b.arg(0)) + 1)); }, argument(0));
}
template <>
OpBodies bodies<OpId::acos>() {
  return floating<Acos>([](Backward& b) { return b.grad() * -conj(rsqrt(-square(b.arg(0)) + 1)); }, argument(0));
}
template <>
OpBodies bodies<OpId::atan>() {
  return floating<Atan>([](Backward& b) { return b.grad() / conj(square(b.arg(0)) + 1); }, argument(0));
}
template <>
OpBodies bodies<OpId::sinh>() {
  return floating<Sinh>([](Backward& b) { return b.grad() * conj(cosh(b.arg(0))); }, argument(0));
}
template <>
OpBodies bodies<OpId::cosh>() {
  return floating<Cosh>([](Backward& b) { return b.grad() * conj(sinh(b.arg(0))); }, argument(0));
}
template <>
OpBodies bodies<OpId::tanh>() {
  return floating<Tanh>(
      [](Backward& b) {
        if (const auto made = fused_gradient<TanhGradient>(b, b.out(), vectors::tanh_gradient_row)) return *made;
        return b.grad() * conj(-square(b.out()) + 1);
      },
      result());
}
template <>
OpBodies bodies<OpId::asinh>() {
  return floating<Asinh>([](Backward& b) { return b.grad() * conj(rsqrt(square(b.arg(0)) + 1)); }, argument(0));
}
template <>
OpBodies bodies<OpId::acosh>() {
  return floating<Acosh>([](Backward& b) { return b.grad() * conj(rsqrt(b.arg(0) - 1) * rsqrt(b.arg(0) + 1)); },
                         argument(0));
}
template <>
OpBodies bodies<OpId::atanh>() {
  return floating<Atanh>([](Backward& b) { return b.grad() / conj(-square(b.arg(0)) + 1); }, argument(0));
}
template <>
OpBodies bodies<OpId::erf>() {
  return floating<Erf, false>(
      [](Backward& b) { return b.grad() * exp(-square(b.arg(0))) * (2 / std::sqrt(std::numbers::pi)); }, argument(0));
}
template <>
OpBodies bodies<OpId::erfc>() {
  return floating<Erfc, false>(
      [](Backward& b) { return b.grad() * exp(-square(b.arg(0))) * (-2 / std::sqrt(std::numbers::pi)); }, argument(0));
}
template <>
OpBodies bodies<OpId::sigmoid>() {
  return floating<Sigmoid>(
      [](Backward& b) {
        if (const auto made = fused_gradient<SigmoidGradient>(b, b.out(), vectors::sigmoid_gradient_row)) return *made;
        return b.grad() * conj((-b.out() + 1) * b.out());
      },
      result());
}
template <>
OpBodies bodies<OpId::floor>() {
  return rounding<Floor>();
}
template <>
OpBodies bodies<OpId::ceil>() {
  return rounding<Ceil>();
}
template <>
OpBodies bodies<OpId::round>() {
  return rounding<Round>();
}
template <>
OpBodies bodies<OpId::trunc>() {
  return rounding<Trunc>();
}
template <>
OpBodies bodies<OpId::frac>() {
  return {.shape = same_shape,
          .cpu = run_same<Frac, float, double>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::isnan>() {
  return {.shape = bool_shape, .cpu = run_floating_test<IsNan, Never>};
}
template <>
OpBodies bodies<OpId::isinf>() {
  return {.shape = bool_shape, .cpu = run_floating_test<IsInf, Never>};
}
template <>
OpBodies bodies<OpId::isfinite>() {
  return {.shape = bool_shape, .cpu = run_floating_test<IsFinite, Always>};
}
template <>
OpBodies bodies<OpId::logical_not>() {
  return {.shape = bool_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable = kernels_of<LogicalNot, 1, float, double, std::int64_t,
                                                                 std::uint64_t, bool, ComplexFloat, ComplexDouble>();
                return run_unary(call, kTable, Compute::Bool);
              },
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::bitwise_not>() {
  return {.shape = same_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable =
                    merged(kernels_of<BitwiseNot, 1, std::int64_t, std::uint64_t>(), kernels_of<LogicalNot, 1, bool>());
                return run_unary(call, kTable, compute_of(call.common));
              },
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::conj>() {
  // A real tensor is its own conjugate.
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    if (!tensor::is_complex(call.required(0).dtype())) return call.args[0];
    return call_op(call.interpreter, OpId::conj_physical, {call.args[0]});
  }};
}
template <>
OpBodies bodies<OpId::conj_physical>() {
  return {.shape = same_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable =
                    merged(kernels_of<Conj, 1, ComplexFloat, ComplexDouble>(),
                           kernels_of<Same, 1, float, double, std::int64_t, std::uint64_t, bool>());
                return run_unary(call, kTable, compute_of(call.common));
              },
          .gradients = {Gradient{0, 0, [](Backward& b) { return conj(b.grad()); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::real>() {
  return {.shape = part_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable =
                    merged(kernels_of<RealPart, 1, ComplexFloat, ComplexDouble>(),
                           kernels_of<Same, 1, float, double, std::int64_t, std::uint64_t, bool>());
                return run_unary(call, kTable, compute_of(tensor::real_of(call.common)));
              },
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }}}};
}
template <>
OpBodies bodies<OpId::imag>() {
  return {.shape = part_shape,
          .cpu = run_part<ImaginaryPart, ComplexFloat, ComplexDouble>,
          .gradients = {Gradient{0, 0, [](Backward& b) {
                                   return apply(OpId::complex, {zeros_like(b.grad(), b.input(0).shape), b.grad()});
                                 }}}};
}

}  // namespace nns::ops
