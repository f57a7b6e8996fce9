#include "core/object/str.h"
#include "core/ops/float_rows.h"
#include "core/ops/fused_gradient.h"
#include "core/ops/gradient_formulas.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// Behaviour: aten/src/ATen/native/Activation.cpp; gradients: tools/autograd/derivatives.yaml. Gradients are formulas of
// other ops, so that they can be differentiated again.
namespace nns::ops {
namespace {

using namespace formula;  // NOLINT(google-build-using-namespace): this file runs formulas

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

template <class Formula>
PyResult<void> run(OpCall& call, const Settings& settings) {
  static constexpr KernelTable kTable = kernels_with_settings<Formula, 1, float, double>();
  return run_unary(call, kTable, compute_of(call.common), &settings);
}
template <class Formula>
PyResult<void> run_plain(OpCall& call) {
  return run<Formula>(call, Settings{});
}

bool is_tanh(const Value& approximate) {
  const object::Str* text = approximate.as<object::Str>();
  return text != nullptr && text->view() == "tanh";
}

// The gradient of an elu with these constants.
Term elu_gradient(Backward& b, double alpha, double scale, double input_scale) {
  const Term x = b.arg(0);
  const Term steep = b.grad() * exp(x * input_scale) * (alpha * scale * input_scale);
  return where(lt(x, 0), steep, b.grad() * scale);
}

// 0 within the border, 1 outside.
Term shrink_gradient(Backward& b) {
  const Term inside = logical_and(ge(b.arg(0), -b.real(1)), le(b.arg(0), b.real(1)));
  return where(inside, 0, b.grad());
}

OpBodies activation(CpuBody cpu, GradientFormula gradient) {
  return {.shape = same_shape,
          .cpu = cpu,
          .gradients = {Gradient{0, argument(0), gradient}},
          .widens_gradients = true,
          .is_elementwise = true};
}

}  // namespace

template <>
OpBodies bodies<OpId::relu>() {
  return {.shape = same_shape,
          .cpu =
              [](OpCall& call) {
                static constexpr KernelTable kTable = kernels_with_settings<Relu, 1, float, double, std::int64_t>();
                const Settings settings;
                return run_unary(call, kTable, compute_of(call.common), &settings);
              },
          .gradients = {Gradient{0, result(),
                                 [](Backward& b) {
                                   if (const auto made =
                                           fused_gradient<ReluGradient>(b, b.out(), vectors::relu_gradient_row))
                                     return *made;
                                   return where(gt(b.out(), 0), b.grad(), 0);
                                 }}},
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::leaky_relu>() {
  return activation([](OpCall& call) { return run<LeakyRelu>(call, {.a = call.real(1)}); },
                    [](Backward& b) { return where(gt(b.arg(0), 0), b.grad(), b.grad() * b.real(1)); });
}
template <>
OpBodies bodies<OpId::elu>() {
  return activation([](OpCall& call) { return run<Elu>(call, {.a = call.real(1), .b = 1, .c = 1}); },
                    [](Backward& b) { return elu_gradient(b, b.real(1), 1, 1); });
}
template <>
OpBodies bodies<OpId::selu>() {
  OpBodies made =
      activation([](OpCall& call) { return run<Elu>(call, {.a = kSeluAlpha * kSeluScale, .b = kSeluScale, .c = 1}); },
                 [](Backward& b) { return elu_gradient(b, kSeluAlpha, kSeluScale, 1); });
  made.node_name = "EluBackward0";
  return made;
}
template <>
OpBodies bodies<OpId::celu>() {
  OpBodies made =
      activation([](OpCall& call) { return run<Elu>(call, {.a = call.real(1), .b = 1, .c = 1 / call.real(1)}); },
                 [](Backward& b) { return elu_gradient(b, b.real(1), 1, 1 / b.real(1)); });
  return made;
}
template <>
OpBodies bodies<OpId::silu>() {
  const auto run_silu = [](OpCall& call) {
    static constexpr KernelTable kTable = kernels_with_settings<Silu, 1, float, double, ComplexFloat, ComplexDouble>();
    const Settings settings;
    return run_unary(call, kTable, compute_of(call.common), &settings);
  };
  return activation(run_silu, [](Backward& b) {
    if (const auto made = fused_gradient<SiluGradient>(b, b.arg(0), vectors::silu_gradient_row)) return *made;
    const Term gate = sigmoid(b.arg(0));
    return b.grad() * conj(gate * (b.arg(0) * (-gate + 1) + 1));
  });
}
template <>
OpBodies bodies<OpId::mish>() {
  return activation(run_plain<Mish>, [](Backward& b) {
    const Term x = b.arg(0);
    const Term bent = tanh(apply(OpId::softplus, {x}));
    return b.grad() * (bent + x * sigmoid(x) * (-square(bent) + 1));
  });
}
template <>
OpBodies bodies<OpId::gelu>() {
  return activation(
      [](OpCall& call) { return is_tanh(call.args[1]) ? run_plain<GeluTanh>(call) : run_plain<Gelu>(call); },
      [](Backward& b) {
        const Term x = b.arg(0);
        const auto fused = is_tanh(b.value(1)) ? fused_gradient<GeluTanhGradient>(b, x, vectors::gelu_tanh_gradient_row)
                                               : fused_gradient<GeluGradient>(b, x, vectors::gelu_gradient_row);
        if (fused) return *fused;
        if (!is_tanh(b.value(1))) {
          const Term share = apply(OpId::erf, {x * kSqrtHalf}) * 0.5 + 0.5;
          return b.grad() * (share + x * exp(square(x) * -0.5) * kInvSqrtTwoPi);
        }
        const Term inner = (x + x * square(x) * kGeluCubic) * kSqrtTwoOverPi;
        const Term bent = tanh(inner);
        const Term slope = (square(x) * (3 * kGeluCubic) + 1) * kSqrtTwoOverPi;
        return b.grad() * ((bent + 1) * 0.5 + x * 0.5 * (-square(bent) + 1) * slope);
      });
}
template <>
OpBodies bodies<OpId::softplus>() {
  return activation([](OpCall& call) { return run<Softplus>(call, {.a = call.real(1), .b = call.real(2)}); },
                    [](Backward& b) {
                      const Term scaled = b.arg(0) * b.real(1);
                      return where(gt(scaled, b.real(2)), b.grad(), b.grad() * sigmoid(scaled));
                    });
}
template <>
OpBodies bodies<OpId::softsign>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const Term x(Ref<Tensor>(call.tensor(0)));
    return value_of((x / (apply(OpId::abs, {x}) + 1)));
  }};
}
template <>
OpBodies bodies<OpId::logsigmoid>() {
  OpBodies made = activation(run_plain<LogSigmoid>, [](Backward& b) { return b.grad() * sigmoid(-b.arg(0)); });
  made.node_name = "LogSigmoidBackward0";
  return made;
}
template <>
OpBodies bodies<OpId::hardtanh>() {
  return activation(
      [](OpCall& call) {
        static constexpr KernelTable kTable = kernels_with_settings<HardTanh, 1, float, double, std::int64_t>();
        const Settings settings{.a = call.real(1), .b = call.real(2)};
        return run_unary(call, kTable, compute_of(call.common), &settings);
      },
      [](Backward& b) {
        const Term inside = logical_and(gt(b.arg(0), b.real(1)), lt(b.arg(0), b.real(2)));
        return where(inside, b.grad(), 0);
      });
}
template <>
OpBodies bodies<OpId::hardshrink>() {
  // The border has the digits of the items. Behaviour: cpu/Activation.cpp, hardshrink_kernel.
  return activation(
      [](OpCall& call) {
        const DType dtype = call.required(0).dtype();
        std::array<std::byte, sizeof(ComplexDouble)> item{};  // of the widest dtype: complex ones are refused in run()
        double border = call.real(1);
        store_items(dtype, item.data(), 0, 1, Compute::Double, &border);
        load_items(dtype, item.data(), 0, 1, Compute::Double, &border);
        return run<HardShrink>(call, {.a = border});
      },
      shrink_gradient);
}
template <>
OpBodies bodies<OpId::softshrink>() {
  return activation(
      [](OpCall& call) -> PyResult<void> {
        if (call.real(1) < 0) {
          return object::runtime_error(call.interpreter, "lambda must be greater or equal to 0, but found to be {}.",
                                       call.real(1));
        }
        return run<SoftShrink>(call, {.a = call.real(1)});
      },
      shrink_gradient);
}
template <>
OpBodies bodies<OpId::hardsigmoid>() {
  return activation(run_plain<HardSigmoid>, [](Backward& b) {
    const Term inside = logical_and(gt(b.arg(0), -3), lt(b.arg(0), 3));
    return where(inside, b.grad() / 6, 0);
  });
}
template <>
OpBodies bodies<OpId::hardswish>() {
  return activation(run_plain<HardSwish>, [](Backward& b) {
    const Term x = b.arg(0);
    const Term middle = b.grad() * (x / 3 + 0.5);
    return where(lt(x, -3), 0, where(le(x, 3), middle, b.grad()));
  });
}
template <>
OpBodies bodies<OpId::threshold>() {
  return activation(
      [](OpCall& call) -> PyResult<void> {
        static constexpr KernelTable kTable = kernels_with_settings<Threshold, 1, float, double, std::int64_t>();
        const Settings settings{.a = call.real(1), .b = call.real(2)};
        return run_unary(call, kTable, compute_of(call.common), &settings);
      },
      [](Backward& b) { return where(le(b.arg(0), b.real(1)), 0, b.grad()); });
}

}  // namespace nns::ops
