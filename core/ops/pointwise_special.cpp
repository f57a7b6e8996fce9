#include <numbers>

#include "core/ops/binary_shapes.h"
#include "core/ops/node.h"
#include "core/ops/special_math.h"
#include "core/ops/term.h"

// torch.special, item by item. Behaviour: aten/src/ATen/native/{UnaryOps,BinaryOps,Math.h}; gradients:
// tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

// Computed in double also where the items are smaller.
template <double (*function)(double)>
struct InDouble {
  template <class T>
  static T at(T x) {
    return static_cast<T>(function(static_cast<double>(x)));
  }
};
struct Lgamma {
  template <class T>
  static T at(T x) {
    return std::lgamma(x);
  }
};
struct Polygamma {
  template <class T>
  static T at(const Settings& settings, T x) {
    return static_cast<T>(polygamma(settings.ia, static_cast<double>(x)));
  }
};
template <class T>
T pi_times(T x) {
  return static_cast<T>(std::numbers::pi) * x;
}
template <class Real>
std::complex<Real> pi_times(std::complex<Real> x) {
  return static_cast<Real>(std::numbers::pi) * x;
}
struct Sinc {
  template <class T>
  static T at(T x) {
    if (x == T(0)) return T(1);
    const T angle = pi_times(x);
    return std::sin(angle) / angle;
  }
};
struct Entropy {
  template <class T>
  static T at(T x) {
    if (std::isnan(x)) return x;
    if (x > 0) return -x * std::log(x);
    return x == 0 ? T(0) : -std::numeric_limits<T>::infinity();
  }
};
struct Logit {
  template <class T>
  static T at(const Settings& settings, T x) {
    if (settings.is_fractional) {
      const T low = static_cast<T>(settings.a), high = T(1) - low;
      x = x < low ? low : x > high ? high : x;
    }
    return std::log(x / (T(1) - x));
  }
};
struct XLogY {
  template <class T>
  static T at(T x, T y) {
    if (std::isnan(y)) return y;
    return x == T(0) ? T(0) : x * std::log(y);
  }
};
struct XLog1PY {
  template <class T>
  static T at(T x, T y) {
    if (std::isnan(y)) return y;
    return x == T(0) ? T(0) : x * std::log1p(y);
  }
};
struct Zeta {
  template <class T>
  static T at(T x, T q) {
    return static_cast<T>(zeta(static_cast<double>(x), static_cast<double>(q)));
  }
};

template <class Formula>
PyResult<void> run_one(OpCall& call) {
  static constexpr KernelTable kTable = kernels_of<Formula, 1, float, double>();
  return run_unary(call, kTable, compute_of(call.common));
}
template <class Formula>
OpBodies one(GradientFormula gradient, std::uint32_t reads) {
  return {.shape = floating_shape,
          .cpu = run_one<Formula>,
          .gradients = {Gradient{0, reads, gradient}},
          .is_elementwise = true};
}
template <class Formula>
PyResult<void> run_pair(OpCall& call) {
  static constexpr KernelTable kTable = kernels_of<Formula, 2, float, double>();
  return run_binary(call, kTable, compute_of(call.common));
}

Term with_order(const Term& x, std::int64_t n) { return apply(OpId::polygamma, {x, n}); }

// `at_zero` where x is 0, else `otherwise`, which need not be a number there.
Term except_at_zero(const Term& x, double at_zero, const Term& otherwise) {
  return where(eq(x, 0), at_zero, otherwise);
}
// x with 1 in place of 0: for quotients that except_at_zero() leaves out.
Term without_zero(const Term& x) { return apply(OpId::masked_fill, {x, eq(x, 0), 1}); }

PyResult<void> polygamma_shape(OpCall& call) {
  if (call.integer(1) < 0) {
    return object::runtime_error(call.interpreter, "polygamma(n, x) does not support negative n.");
  }
  return floating_shape(call);
}

}  // namespace

template <>
OpBodies bodies<OpId::lgamma>() {
  return one<Lgamma>([](Backward& b) { return b.grad() * apply(OpId::digamma, {b.arg(0)}); }, argument(0));
}
template <>
OpBodies bodies<OpId::digamma>() {
  return one<InDouble<ops::digamma>>([](Backward& b) { return b.grad() * with_order(b.arg(0), 1); }, argument(0));
}
template <>
OpBodies bodies<OpId::polygamma>() {
  return {.shape = polygamma_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable = kernels_with_settings<Polygamma, 1, float, double>();
                const Settings settings{.ia = call.integer(1)};
                return run_unary(call, kTable, compute_of(call.common), &settings);
              },
          .gradients = {Gradient{0, argument(0),
                                 [](Backward& b) { return b.grad() * with_order(b.arg(0), b.integer(1) + 1); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::erfinv>() {
  return one<InDouble<erf_inverse>>(
      [](Backward& b) { return b.grad() * exp(square(b.out())) * (std::sqrt(std::numbers::pi) / 2); }, result());
}
template <>
OpBodies bodies<OpId::i0>() {
  return one<InDouble<bessel_i0>>([](Backward& b) { return b.grad() * apply(OpId::special_i1, {b.arg(0)}); },
                                  argument(0));
}
template <>
OpBodies bodies<OpId::special_i0e>() {
  return one<InDouble<bessel_i0e>>(
      [](Backward& b) { return b.grad() * (apply(OpId::special_i1e, {b.arg(0)}) - sign(b.arg(0)) * b.out()); },
      argument(0) | result());
}
template <>
OpBodies bodies<OpId::special_i1>() {
  return one<InDouble<bessel_i1>>(
      [](Backward& b) {
        const Term slope = apply(OpId::i0, {b.arg(0)}) - b.out() / without_zero(b.arg(0));
        return b.grad() * except_at_zero(b.arg(0), 0.5, slope);
      },
      argument(0) | result());
}
template <>
OpBodies bodies<OpId::special_i1e>() {
  return one<InDouble<bessel_i1e>>(
      [](Backward& b) {
        const Term slope =
            apply(OpId::special_i0e, {b.arg(0)}) - b.out() * (sign(b.arg(0)) + reciprocal(without_zero(b.arg(0))));
        return b.grad() * except_at_zero(b.arg(0), 0.5, slope);
      },
      argument(0) | result());
}
template <>
OpBodies bodies<OpId::sinc>() {
  return {.shape = floating_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable = kernels_of<Sinc, 1, float, double, ComplexFloat, ComplexDouble>();
                return run_unary(call, kTable, compute_of(call.common));
              },
          .gradients = {Gradient{0, argument(0),
                                 [](Backward& b) {
                                   const Term x = without_zero(b.arg(0)), angle = x * std::numbers::pi;
                                   const Term slope = (angle * cos(angle) - sin(angle)) / (angle * x);
                                   return b.grad() * conj(except_at_zero(b.arg(0), 0, slope));
                                 }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::logit>() {
  return {.shape = floating_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable = kernels_with_settings<Logit, 1, float, double>();
                const Settings settings{.a = call.is_none(1) ? 0 : call.real(1), .is_fractional = !call.is_none(1)};
                return run_unary(call, kTable, compute_of(call.common), &settings);
              },
          .gradients = {Gradient{0, argument(0),
                                 [](Backward& b) {
                                   const Term x = b.arg(0);
                                   const Term slope = b.grad() / (x * (-x + 1));
                                   const double low = b.value(1).is_none() ? 0 : b.real(1);
                                   const Term inside = logical_and(ge(x, low), le(x, 1 - low));
                                   // Outside: of a clipped number none, else not a number.
                                   if (!b.value(1).is_none()) return where(inside, slope, 0);
                                   return where(inside, slope, std::numeric_limits<double>::quiet_NaN());
                                 }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::special_entr>() {
  return one<Entropy>([](Backward& b) { return b.grad() * (-log(b.arg(0)) - 1); }, argument(0));
}
template <>
OpBodies bodies<OpId::special_ndtri>() {
  return one<InDouble<normal_quantile>>(
      [](Backward& b) { return b.grad() * exp(square(b.out()) / 2) * std::sqrt(2 * std::numbers::pi); }, result());
}
template <>
OpBodies bodies<OpId::special_log_ndtr>() {
  return one<InDouble<log_normal_distribution>>(
      [](Backward& b) {
        return b.grad() / apply(OpId::special_erfcx, {b.arg(0) * -std::sqrt(0.5)}) * std::sqrt(2 / std::numbers::pi);
      },
      argument(0));
}
template <>
OpBodies bodies<OpId::special_ndtr>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const Term x(Ref<Tensor>(call.tensor(0)));
    return value_of(apply(OpId::erfc, {x * -std::sqrt(0.5)}) * 0.5);
  }};
}
template <>
OpBodies bodies<OpId::special_erfcx>() {
  return one<InDouble<scaled_erfc>>(
      [](Backward& b) { return b.grad() * (b.arg(0) * b.out() * 2 - 2 / std::sqrt(std::numbers::pi)); },
      argument(0) | result());
}
template <>
OpBodies bodies<OpId::xlogy>() {
  return {.shape = fraction_shape,
          .cpu = run_pair<XLogY>,
          .gradients = {Gradient{0, argument(0) | argument(1),
                                 [](Backward& b) {
                                   const Term y = b.tensor_or_number(1);
                                   const Term is_left_out = logical_and(eq(b.arg(0), 0), le(y, 0));
                                   return where(is_left_out, 0, b.grad() * log(y));
                                 }},
                        Gradient{1, argument(0) | argument(1),
                                 [](Backward& b) { return b.grad() * b.tensor_or_number(0) / b.arg(1); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::special_xlog1py>() {
  return {.shape = fraction_shape,
          .cpu = run_pair<XLog1PY>,
          .gradients = {Gradient{0, argument(0) | argument(1),
                                 [](Backward& b) {
                                   const Term y = b.tensor_or_number(1);
                                   const Term is_left_out = logical_and(eq(b.arg(0), 0), le(y, -1));
                                   return where(is_left_out, 0, b.grad() * apply(OpId::log1p, {y}));
                                 }},
                        Gradient{1, argument(0) | argument(1),
                                 [](Backward& b) { return b.grad() * b.tensor_or_number(0) / (b.arg(1) + 1); }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::special_zeta>() {
  return {.shape = fraction_shape,
          .cpu = run_pair<Zeta>,
          // By the first operand PyTorch has none either.
          .gradients = {Gradient{1, argument(0) | argument(1),
                                 [](Backward& b) {
                                   const Term x = b.tensor_or_number(0);
                                   return b.grad() * -x * apply(OpId::special_zeta, {x + 1, b.arg(1)});
                                 }}},
          .is_elementwise = true};
}

}  // namespace nns::ops
