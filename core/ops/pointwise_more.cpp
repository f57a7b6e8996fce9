#include <numbers>
#include <numeric>

#include "core/base/bits.h"
#include "core/ops/binary_shapes.h"
#include "core/ops/complex_logarithms.h"
#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// The rarer ops that work item by item.
// Behaviour: aten/src/ATen/native/{UnaryOps,BinaryOps}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

struct Hypot {
  template <class T>
  static T at(T x, T y) {
    return std::hypot(x, y);
  }
};
struct LogAddExp {
  template <class T>
  static T at(T x, T y) {
    if constexpr (kIsComplex<T>)
      return log_added(x, y);
    else
      return of_reals(x, y);
  }
  template <class T>
  static T of_reals(T x, T y) {
    if (std::isinf(x) && x == y) return x;
    const T most = x > y ? x : y;
    return most + std::log1p(std::exp(-std::abs(x - y)));
  }
};
struct LogAddExp2 {
  template <class T>
  static T at(T x, T y) {
    if (std::isinf(x) && x == y) return x;
    const T most = x > y ? x : y;
    return most + std::log1p(std::exp2(-std::abs(x - y))) / static_cast<T>(std::numbers::ln2);
  }
};
struct CopySign {
  template <class T>
  static T at(T x, T y) {
    return std::copysign(x, y);
  }
};
struct NextAfter {
  template <class T>
  static T at(T x, T y) {
    return std::nextafter(x, y);
  }
};
// The next of the numbers of bf16, which are the floats whose lower half is empty.
// Behaviour: c10/util/BFloat16-math.h, std::nextafter.
struct NextBFloat16 {
  static float at(float x, float y) {
    constexpr unsigned kLowerHalf = 16;
    if (std::isnan(x) || std::isnan(y)) return x + y;
    if (x == y) return y;
    if (x == 0) return std::copysign(base::bit_cast<float>(std::uint32_t{1} << kLowerHalf), y);
    const std::uint32_t bits = base::bit_cast<std::uint32_t>(x) >> kLowerHalf;
    return base::bit_cast<float>(((x < y) == (x > 0) ? bits + 1 : bits - 1) << kLowerHalf);
  }
};
struct FMax {
  template <class T>
  static T at(T x, T y) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmax(x, y);
    else
      return x > y ? x : y;
  }
};
struct FMin {
  template <class T>
  static T at(T x, T y) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmin(x, y);
    else
      return x < y ? x : y;
  }
};
struct Heaviside {
  template <class T>
  static T at(T x, T at_zero) {
    if (x == T(0)) return at_zero;
    return x < T(0) ? T(0) : T(1);
  }
};
struct Gcd {
  template <class T>
  static T at(T x, T y) {
    return std::gcd(x, y);
  }
};
struct Lcm {
  template <class T>
  static T at(T x, T y) {
    const T common = std::gcd(x, y);
    if (common == 0) return 0;
    const T product = wrapping_mul(static_cast<T>(x / common), y);
    return product < 0 ? wrapping_neg(product) : product;
  }
};
struct Ldexp {
  template <class T>
  static T at(T x, T power) {
    if constexpr (kIsComplex<T>)
      return x * std::pow(T(2), power);
    else
      return x * std::exp2(power);
  }
};
struct SignBit {
  template <class T>
  static bool at(T x) {
    if constexpr (std::is_floating_point_v<T>)
      return std::signbit(x);
    else
      return x < T(0);
  }
};
struct IsPositiveInfinity {
  template <class T>
  static bool at(T x) {
    return std::isinf(x) && x > 0;
  }
};
struct IsNegativeInfinity {
  template <class T>
  static bool at(T x) {
    return std::isinf(x) && x < 0;
  }
};
struct OfNoNumber {
  template <class T>
  static bool at(T) {
    return false;
  }
};
struct Times {
  template <class T>
  static T at(const Settings& settings, T x) {
    return x * static_cast<T>(settings.a);
  }
};
struct SignOf {
  template <class T>
  static T at(T x) {
    if constexpr (kIsComplex<T>) {
      const auto size = std::abs(x);
      return size == 0 ? T() : x / size;
    } else if constexpr (std::is_same_v<T, bool>) {
      return x;
    } else {
      return static_cast<T>((x > T(0) ? 1 : 0) - (x < T(0) ? 1 : 0));
    }
  }
};
struct Angle {
  template <class T>
  static auto at(T x) {
    if constexpr (kIsComplex<T>)
      return std::arg(x);
    else
      return std::isnan(x) ? x : static_cast<T>(x < 0 ? std::numbers::pi : 0);
  }
};
// a for NaN, b for infinity, c for minus infinity.
struct NanToNum {
  template <class T>
  static T at(const Settings& settings, T x) {
    if constexpr (kIsComplex<T>) return {at(settings, x.real()), at(settings, x.imag())};
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return static_cast<T>(settings.a);
      if (std::isinf(x)) return static_cast<T>(x > 0 ? settings.b : settings.c);
    }
    return x;
  }
};

template <class Formula, class... Types>
PyResult<void> run_two(OpCall& call) {
  static constexpr KernelTable kTable = kernels_of<Formula, 2, Types...>();
  return run_binary(call, kTable, compute_of(call.common));
}
template <class Formula, class... Types>
PyResult<void> run_test(OpCall& call) {
  static constexpr KernelTable kTable =
      merged(kernels_of<Formula, 1, Types...>(), kernels_of<OfNoNumber, 1, std::int64_t, std::uint64_t, bool>());
  return run_unary(call, kTable, Compute::Bool);
}
template <bool to_degrees>
OpBodies scaled_angle() {
  static constexpr double kFactor = to_degrees ? 180 / std::numbers::pi : std::numbers::pi / 180;
  return {.shape = floating_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable = kernels_with_settings<Times, 1, float, double>();
                const Settings settings{.a = kFactor};
                return run_unary(call, kTable, compute_of(call.common), &settings);
              },
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad() * kFactor; }}},
          .is_elementwise = true};
}

PyResult<void> whole_shape(OpCall& call) {
  NNS_TRY(promoted_shape(call));
  if (tensor::is_integral(call.common) && call.common != DType::Bool) return {};
  return not_implemented_for(call.interpreter, call.op.name + "_cpu", call.common);
}
PyResult<void> real_shape(OpCall& call) {
  NNS_TRY(promoted_shape(call));
  if (!tensor::is_complex(call.common)) return {};
  return not_implemented_for(call.interpreter, call.op.name + "_cpu", call.common);
}
PyResult<void> nextafter_shape(OpCall& call) {
  NNS_TRY(real_shape(call));
  if (tensor::is_floating(call.common) && call.common != DType::Float16) return {};
  return not_implemented_for(call.interpreter, "nextafter_cpu", call.common);
}
PyResult<void> heaviside_shape(OpCall& call) {
  if (tensor::is_complex(call.required(0).dtype()) || tensor::is_complex(call.required(1).dtype())) {
    return object::runtime_error(call.interpreter, "heaviside is not yet implemented for complex tensors.");
  }
  if (call.required(0).dtype() != call.required(1).dtype()) {
    return object::runtime_error(call.interpreter,
                                 "heaviside is not yet implemented for tensors with different dtypes.");
  }
  return promoted_shape(call);
}

// What is left of a real dtype when a complex number becomes its angle.
PyResult<void> angle_shape(OpCall& call) {
  call.common = call.required(0).dtype();
  if (!tensor::is_complex(call.common)) return floating_shape(call);
  return call.give(call.required(0).shape(), call.common == DType::Complex128 ? DType::Float64 : DType::Float32);
}

// Without a number for the infinities they become the largest of the dtype.
double largest_of(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return std::numeric_limits<double>::max();
    case DType::Float16:
      return 65504;
    case DType::BFloat16:
      return 0x1.FEp127;
    default:
      return static_cast<double>(std::numeric_limits<float>::max());
  }
}

// The direction of a real number does not change; of a complex one only what is across it counts.
Term sgn_gradient(Backward& b) {
  if (!tensor::is_complex(b.input(0).dtype)) return zeros_like(b.grad(), b.input(0).shape);
  const Term size = apply(OpId::abs, {b.arg(0)}), is_zero = eq(size, 0);
  const Term some_size = apply(OpId::masked_fill, {size, is_zero, 1});
  const Term across = b.grad() - b.out() * apply(OpId::real, {b.grad() * conj(b.out())});
  return apply(OpId::masked_fill, {across / some_size, is_zero, 0});
}
// d angle(x + i y) = (x dy - y dx) / (x * x + y * y).
Term angle_gradient(Backward& b) {
  if (!tensor::is_complex(b.input(0).dtype)) return zeros_like(b.grad(), b.input(0).shape);
  const Term x = apply(OpId::real, {b.arg(0)}), y = apply(OpId::imag, {b.arg(0)});
  const Term square_size = square(x) + square(y), is_zero = eq(square_size, 0);
  const Term factor = b.grad() / apply(OpId::masked_fill, {square_size, is_zero, 1});
  const auto part = [&](const Term& one) { return apply(OpId::masked_fill, {one * factor, is_zero, 0}); };
  return apply(OpId::complex, {part(-y), part(x)});
}

// The gradient of an op that chooses one operand; a tie goes to the first, what is not a number is not chosen.
template <OpId is_before>
Term chosen_gradient(Backward& b, bool first) {
  const Term x = b.arg(0), y = b.arg(1);
  const Term is_first = apply(OpId::logical_or, {apply(is_before, {x, y}), apply(OpId::isnan, {y})});
  return first ? where(is_first, b.grad(), 0) : where(is_first, 0, b.grad());
}
template <class Formula, OpId is_before>
OpBodies chooser() {
  return {.shape = real_shape,
          .cpu = run_two<Formula, float, double, std::int64_t, std::uint64_t, bool>,
          .gradients = {Gradient{0, argument(0) | argument(1),
                                 [](Backward& b) { return chosen_gradient<is_before>(b, true); }},
                        Gradient{1, argument(0) | argument(1),
                                 [](Backward& b) { return chosen_gradient<is_before>(b, false); }}},
          .is_elementwise = true};
}

}  // namespace

template <>
OpBodies bodies<OpId::hypot>() {
  return {
      .shape = real_shape,
      .cpu = run_two<Hypot, float, double>,
      .gradients = {Gradient{0, argument(0) | result(), [](Backward& b) { return b.grad() * (b.arg(0) / b.out()); }},
                    Gradient{1, argument(1) | result(), [](Backward& b) { return b.grad() * (b.arg(1) / b.out()); }}},
      .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::logaddexp>() {
  return {.shape = promoted_shape,
          .cpu = run_two<LogAddExp, float, double, ComplexFloat, ComplexDouble>,
          .gradients = {Gradient{0, argument(0) | argument(1),
                                 [](Backward& b) { return b.grad() / conj(exp(b.arg(1) - b.arg(0)) + 1); }},
                        Gradient{1, argument(0) | argument(1),
                                 [](Backward& b) { return b.grad() / conj(exp(b.arg(0) - b.arg(1)) + 1); }}}};
}
template <>
OpBodies bodies<OpId::logaddexp2>() {
  return {.shape = real_shape,
          .cpu = run_two<LogAddExp2, float, double>,
          .gradients = {Gradient{0, argument(0) | result(),
                                 [](Backward& b) { return b.grad() * apply(OpId::exp2, {b.arg(0) - b.out()}); }},
                        Gradient{1, argument(1) | result(),
                                 [](Backward& b) { return b.grad() * apply(OpId::exp2, {b.arg(1) - b.out()}); }}}};
}
template <>
OpBodies bodies<OpId::copysign>() {
  return {
      .shape = fraction_shape,
      .cpu = run_two<CopySign, float, double>,
      .gradients = {Gradient{0, argument(0) | result(),
                             [](Backward& b) { return where(eq(b.arg(0), 0), 0, b.grad() * (b.out() / b.arg(0))); }},
                    Gradient{1, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(1).shape); }}},
      .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::nextafter>() {
  return {.shape = nextafter_shape,
          .cpu =
              [](OpCall& call) {
                // What is next depends on how many digits there are.
                return call.common == DType::BFloat16 ? run_two<NextBFloat16, float>(call)
                                                      : run_two<NextAfter, float, double>(call);
              },
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::fmax>() {
  return chooser<FMax, OpId::ge>();
}
template <>
OpBodies bodies<OpId::fmin>() {
  return chooser<FMin, OpId::le>();
}
template <>
OpBodies bodies<OpId::heaviside>() {
  return {.shape = heaviside_shape,
          .cpu = run_two<Heaviside, float, double, std::int64_t, std::uint64_t, bool>,
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::gcd>() {
  return {.shape = whole_shape, .cpu = run_two<Gcd, std::int64_t, std::uint64_t>, .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::lcm>() {
  return {.shape = whole_shape, .cpu = run_two<Lcm, std::int64_t, std::uint64_t>, .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::ldexp>() {
  return {
      .shape = fraction_shape,
      .cpu = run_two<Ldexp, float, double, ComplexFloat, ComplexDouble>,
      .gradients = {Gradient{0, argument(1),
                             [](Backward& b) { return b.grad() * conj(apply(OpId::exp2, {b.arg(1)})); }},
                    Gradient{1, result(), [](Backward& b) { return b.grad() * conj(b.out()) * std::numbers::ln2; }}},
      .is_elementwise = true,
      .node_name = "MulBackward0"};
}
template <>
OpBodies bodies<OpId::float_power>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const DType both, promoted(call));
    const Value wide = tensor::TensorLibrary::of(call.interpreter)
                           .dtype_value(tensor::is_complex(both) ? DType::Complex128 : DType::Float64);
    Value base = call.args[0], exponent = call.args[1];
    for (Value* const one : {&base, &exponent}) {
      if (one->as<Tensor>() == nullptr) continue;
      NNS_TRY_ASSIGN(*one, call_op(call.interpreter, OpId::to_dtype, {*one, wide}));
    }
    return call_op(call.interpreter, OpId::pow, {base, exponent});
  }};
}
template <>
OpBodies bodies<OpId::signbit>() {
  return {.shape = bool_shape, .cpu = run_test<SignBit, float, double, std::int64_t>};
}
template <>
OpBodies bodies<OpId::isposinf>() {
  return {.shape = bool_shape, .cpu = run_test<IsPositiveInfinity, float, double>};
}
template <>
OpBodies bodies<OpId::isneginf>() {
  return {.shape = bool_shape, .cpu = run_test<IsNegativeInfinity, float, double>};
}
template <>
OpBodies bodies<OpId::deg2rad>() {
  return scaled_angle<false>();
}
template <>
OpBodies bodies<OpId::rad2deg>() {
  return scaled_angle<true>();
}
template <>
OpBodies bodies<OpId::sgn>() {
  return {
      .shape = same_shape,
      .cpu =
          [](OpCall& call) {
            static constexpr KernelTable kTable =
                kernels_of<SignOf, 1, float, double, std::int64_t, std::uint64_t, bool, ComplexFloat, ComplexDouble>();
            return run_unary(call, kTable, compute_of(call.common));
          },
      .gradients = {Gradient{0, argument(0) | result(), sgn_gradient}},
      .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::angle>() {
  return {.shape = angle_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable =
                    kernels_of<Angle, 1, float, double, ComplexFloat, ComplexDouble>();
                return run_unary(call, kTable, compute_of(call.output().dtype()));
              },
          .gradients = {Gradient{0, argument(0), angle_gradient}}};
}
template <>
OpBodies bodies<OpId::nan_to_num>() {
  return {.shape = same_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable =
                    kernels_with_settings<NanToNum, 1, float, double, std::int64_t, std::uint64_t, bool, ComplexFloat,
                                          ComplexDouble>();
                const double most = largest_of(tensor::real_of(call.common));
                const Settings settings{.a = call.is_none(1) ? 0 : call.real(1),
                                        .b = call.is_none(2) ? most : call.real(2),
                                        .c = call.is_none(3) ? -most : call.real(3)};
                return run_unary(call, kTable, compute_of(call.common), &settings);
              },
          .gradients = {Gradient{0, argument(0),
                                 [](Backward& b) { return where(apply(OpId::isfinite, {b.arg(0)}), b.grad(), 0); }}},
          .is_elementwise = true};
}

}  // namespace nns::ops
