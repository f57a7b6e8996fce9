#include <algorithm>

#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"
#include "core/tensor/capture.h"

// Losses that compare two tensors item by item, with their mean or sum in the same pass.
// Behaviour: aten/src/ATen/native/{Loss,BinaryOps}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

enum class Reduction : std::int64_t { None, Mean, Sum };

struct SquaredError {
  template <class T>
  static T at(const Settings&, T x, T y) {
    return (x - y) * (x - y);
  }
};
// a: beta. Quadratic below it.
struct SmoothL1 {
  template <class T>
  static T at(const Settings& s, T x, T y) {
    const T z = std::abs(x - y);
    return z < T(s.a) ? T(0.5) * z * z / T(s.a) : z - T(0.5) * T(s.a);
  }
};
// a: delta.
struct Huber {
  template <class T>
  static T at(const Settings& s, T x, T y) {
    const T z = std::abs(x - y);
    return z <= T(s.a) ? T(0.5) * z * z : T(s.a) * (z - T(0.5) * T(s.a));
  }
};
struct SoftMargin {
  template <class T>
  static T at(const Settings&, T x, T y) {
    return std::log1p(std::exp(-x * y));
  }
};
// Logarithms are held above -100, so that the loss stays finite.
struct BinaryCrossEntropy {
  template <class T>
  static T at(const Settings&, T x, T y, T weight) {
    return weight * ((y - T(1)) * std::max(std::log1p(-x), T(-100)) - y * std::max(std::log(x), T(-100)));
  }
};
struct BinaryCrossEntropyWithLogits {
  template <class T>
  static T at(const Settings&, T x, T y, T weight, T positive) {
    const T log_sigmoid = std::min(x, T(0)) - std::log1p(std::exp(-std::abs(x)));
    return weight * ((T(1) - y) * x - ((positive - T(1)) * y + T(1)) * log_sigmoid);
  }
};

constexpr std::size_t kMostInputs = 4;
// Items whose losses are summed in their own type before the sum goes on in double.
constexpr std::int64_t kLossRun = 512;

// The sum of losses whose inputs lie in order as numbers of type T, times `factor`.
template <class Formula, class T, std::size_t inputs>
struct LossInOrder {
  std::array<const T*, inputs> from{};
  T* to = nullptr;
  std::int64_t count = 0;
  double factor = 1;
  Settings settings;

  void operator()() const { sum(std::make_index_sequence<inputs>()); }

 private:
  template <std::size_t... I>
  void sum(std::index_sequence<I...>) const {
    double whole = 0;
    for (std::int64_t done = 0; done < count; done += kLossRun) {
      const std::int64_t end = std::min(count, done + kLossRun);
      T part = 0;
      for (std::int64_t k = done; k < end; ++k) part += Formula::at(settings, from[I][k]...);
      whole += static_cast<double>(part);
    }
    *to = static_cast<T>(whole * factor);
  }
};

// The loss of each item, or their sum times `factor` in one pass.
template <class Formula, class T, std::size_t... I>
void run_rows(const Tensor& out, std::span<const ElementInput> inputs, const Dims& shape, const Settings& settings,
              bool is_each, double factor, std::index_sequence<I...>) {
  constexpr std::int64_t kRun = kLossRun;
  const auto lies_in_order = [&](const ElementInput& one) {
    return one.tensor != nullptr && lies_as<T>(one.tensor->dtype()) && one.tensor->is_contiguous() &&
           one.tensor->shape() == shape;
  };
  if (!is_each && lies_as<T>(out.dtype()) && std::all_of(inputs.begin(), inputs.end(), lies_in_order)) {
    LossInOrder<Formula, T, sizeof...(I)> losses;
    losses.from = {reinterpret_cast<const T*>(inputs[I].tensor->data())...};
    losses.to = reinterpret_cast<T*>(out.data());
    losses.count = tensor::element_count(shape);
    losses.factor = factor;
    losses.settings = settings;
    tensor::Capture::launch(losses);
    return tensor::Capture::covers();
  }
  ElementLoop items(shape);
  std::array<std::size_t, kMostInputs> operand{};
  std::size_t operands = 0;
  alignas(64) T numbers[sizeof...(I)][kRun];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tensor == nullptr) {
      std::fill_n(numbers[i], kRun, static_cast<T>(inputs[i].number.as_double()));
    } else {
      operand[i] = operands++;
      items.add(*inputs[i].tensor);
    }
  }
  items.prepare_in_order();
  double sum = 0;
  std::byte* to = out.data();
  const auto out_bytes = static_cast<std::int64_t>(tensor::item_bytes(out.dtype()));
  alignas(64) T losses[kRun];
  items.for_each_row([&](std::span<std::byte* const> at) {
    for (std::int64_t done = 0; done < items.row_length(); done += kRun) {
      const std::int64_t count = std::min(kRun, items.row_length() - done);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].tensor == nullptr) continue;
        const std::int64_t stride = items.row_stride(operand[i]);
        load_items(inputs[i].tensor->dtype(), at[operand[i]] + done * stride, stride, count, compute_for<T>(),
                   numbers[i]);
      }
      for (std::int64_t k = 0; k < count; ++k) losses[k] = Formula::at(settings, numbers[I][k]...);
      if (is_each) {
        store_items(out.dtype(), to, out_bytes, count, compute_for<T>(), losses);
        to += count * out_bytes;
      } else {
        T part = 0;
        for (std::int64_t k = 0; k < count; ++k) part += losses[k];
        sum += static_cast<double>(part);
      }
    }
  });
  if (is_each) return;
  sum *= factor;
  store_items(out.dtype(), out.data(), 0, 1, Compute::Double, &sum);
}

// The shape that all tensors among the first arguments broadcast to.
PyResult<Dims> whole_shape(const OpCall& call, std::size_t inputs) {
  Dims shape = call.required(0).shape();
  for (std::size_t i = 1; i < inputs; ++i) {
    if (const Tensor* const one = call.tensor(i)) {
      NNS_TRY_ASSIGN(shape, broadcast_shapes(call.interpreter, shape, one->shape()));
    }
  }
  return shape;
}

// `inputs` tensors, behind them perhaps a number, last the reduction.
template <std::size_t inputs>
PyResult<void> loss_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const Dims shape, whole_shape(call, inputs));
  TypePromotion promotion(call.interpreter);
  for (std::size_t i = 0; i < inputs; ++i) {
    if (call.tensor(i) != nullptr) NNS_TRY(promotion.add(*call.tensor(i)));
  }
  NNS_TRY_ASSIGN(call.common, promotion.dtype());
  if (!tensor::is_floating(call.common)) {
    return not_implemented_for(call.interpreter, call.op.name + "_cpu", call.common);
  }
  return call.give(static_cast<Reduction>(call.integer(inputs)) == Reduction::None ? shape : Dims(), call.common);
}

template <class Formula, std::size_t inputs>
PyResult<void> run_loss(OpCall& call, const Settings& settings) {
  std::array<ElementInput, inputs> given;
  for (std::size_t i = 0; i < inputs; ++i) {
    given[i] = call.is_none(i) ? ElementInput{nullptr, Number::of(1.0)} : ElementInput{call.tensor(i), {}};
  }
  const Dims shape = whole_shape(call, inputs).value();
  const auto reduction = static_cast<Reduction>(call.integer(inputs));
  const double factor = reduction == Reduction::Mean ? 1 / static_cast<double>(tensor::element_count(shape)) : 1;
  with_floating(call.common, [&]<class T>(T) {
    run_rows<Formula, T>(call.output(), given, shape, settings, reduction == Reduction::None, factor,
                         std::make_index_sequence<inputs>());
  });
  return {};
}
template <class Formula, std::size_t inputs>
PyResult<void> run_plain(OpCall& call) {
  return run_loss<Formula, inputs>(call, Settings{});
}

// The gradient of each item's loss; `inputs` as above.
Term grad_of_items(Backward& b, std::size_t inputs) {
  if (static_cast<Reduction>(b.integer(inputs)) != Reduction::Mean) return b.grad();
  Dims shape = b.input(0).shape;
  for (std::size_t i = 1; i < inputs; ++i) {
    if (b.is_tensor(i)) shape = broadcast_shapes(b.interpreter(), shape, b.input(i).shape).value();
  }
  return b.grad() / static_cast<double>(tensor::element_count(shape));
}

using Slope = Term (*)(Backward& b, const Term& difference);

// A loss of x - y: the gradients of the two differ in their sign.
OpBodies difference_loss(CpuBody cpu, GradientFormula of_input, GradientFormula of_target) {
  constexpr std::uint32_t kBoth = argument(0) | argument(1);
  return {.shape = loss_shape<2>, .cpu = cpu, .gradients = {Gradient{0, kBoth, of_input}, {1, kBoth, of_target}}};
}
template <Slope slope>
Term of_input(Backward& b) {
  return grad_of_items(b, 2) * slope(b, b.arg(0) - b.arg(1));
}
template <Slope slope>
Term of_target(Backward& b) {
  return -of_input<slope>(b);
}

Term squared_slope(Backward&, const Term& difference) { return difference * 2; }
Term smooth_slope(Backward& b, const Term& difference) {
  const double beta = b.real(3);
  if (beta == 0) return sign(difference);
  return where(lt(apply(OpId::abs, {difference}), beta), difference / beta, sign(difference));
}
Term huber_slope(Backward& b, const Term& difference) {
  const double delta = b.real(3);
  return where(le(apply(OpId::abs, {difference}), delta), difference, sign(difference) * delta);
}

Term weighted_grad(Backward& b, std::size_t inputs) {
  const Term grad = grad_of_items(b, inputs);
  return b.is_tensor(2) ? grad * b.arg(2) : grad;
}
// Above 1e-12, as torch holds it.
Term logit_slope(const Term& x) { return apply(OpId::clamp, {(-x + 1) * x, 1e-12}); }
Term log_sigmoid(const Term& x) { return apply(OpId::logsigmoid, {x}); }

PyResult<void> run_bce(OpCall& call) {
  const Tensor& input = call.required(0);
  bool is_inside = true;
  tensor::for_each_place(input, [&](std::int64_t place) {
    const double x = tensor::read_double(input, place);
    is_inside = is_inside && x >= 0 && x <= 1;
  });
  if (!is_inside) {
    return object::runtime_error(call.interpreter, "all elements of input should be between 0 and 1");
  }
  return run_plain<BinaryCrossEntropy, 3>(call);
}

}  // namespace

template <>
OpBodies bodies<OpId::mse_loss>() {
  return difference_loss(run_plain<SquaredError, 2>, of_input<squared_slope>, of_target<squared_slope>);
}
template <>
OpBodies bodies<OpId::smooth_l1_loss>() {
  return difference_loss(
      [](OpCall& call) -> PyResult<void> {
        if (call.real(3) < 0) {
          return object::runtime_error(call.interpreter, "smooth_l1_loss does not support negative values for beta.");
        }
        return run_loss<SmoothL1, 2>(call, {.a = call.real(3)});
      },
      of_input<smooth_slope>, of_target<smooth_slope>);
}
template <>
OpBodies bodies<OpId::huber_loss>() {
  return difference_loss(
      [](OpCall& call) -> PyResult<void> {
        if (call.real(3) <= 0) {
          return object::runtime_error(call.interpreter, "huber_loss does not support non-positive values for delta.");
        }
        return run_loss<Huber, 2>(call, {.a = call.real(3)});
      },
      of_input<huber_slope>, of_target<huber_slope>);
}
template <>
OpBodies bodies<OpId::soft_margin_loss>() {
  return {.shape = loss_shape<2>,
          .cpu = run_plain<SoftMargin, 2>,
          .gradients = {Gradient{0, argument(0) | argument(1), [](Backward& b) {
                                   const Term y = b.arg(1);
                                   return -grad_of_items(b, 2) * y * sigmoid(-b.arg(0) * y);
                                 }}}};
}
template <>
OpBodies bodies<OpId::binary_cross_entropy>() {
  return {.shape = loss_shape<3>,
          .cpu = run_bce,
          .gradients = {
              Gradient{0, argument(0) | argument(1) | argument(2),
                       [](Backward& b) { return weighted_grad(b, 3) * (b.arg(0) - b.arg(1)) / logit_slope(b.arg(0)); }},
              Gradient{1, argument(0) | argument(2), [](Backward& b) {
                         const Term x = b.arg(0);
                         const Term logs = apply(OpId::clamp, {apply(OpId::log1p, {-x}), -100.0}) -
                                           apply(OpId::clamp, {log(x), -100.0});
                         return weighted_grad(b, 3) * logs;
                       }}}};
}
template <>
OpBodies bodies<OpId::binary_cross_entropy_with_logits>() {
  return {.shape = loss_shape<4>,
          .cpu = run_plain<BinaryCrossEntropyWithLogits, 4>,
          .gradients = {Gradient{0, argument(0) | argument(1) | argument(2) | argument(3),
                                 [](Backward& b) {
                                   const Term x = b.arg(0), y = b.arg(1);
                                   if (!b.is_tensor(3)) return weighted_grad(b, 4) * (sigmoid(x) - y);
                                   const Term positive = b.arg(3) * y;
                                   return weighted_grad(b, 4) * ((positive - y + 1) * sigmoid(x) - positive);
                                 }},
                        Gradient{1, argument(0) | argument(2) | argument(3),
                                 [](Backward& b) {
                                   const Term x = b.arg(0);
                                   if (!b.is_tensor(3)) return weighted_grad(b, 4) * -x;
                                   return weighted_grad(b, 4) * (log_sigmoid(-x) - b.arg(3) * log_sigmoid(x));
                                 }},
                        Gradient{3, argument(0) | argument(1) | argument(2),
                                 [](Backward& b) { return -weighted_grad(b, 4) * b.arg(1) * log_sigmoid(b.arg(0)); }}}};
}

}  // namespace nns::ops
