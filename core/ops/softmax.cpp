#include <algorithm>
#include <optional>

#include "core/ops/element_kernels.h"
#include "core/ops/errors.h"
#include "core/ops/lines.h"
#include "core/ops/node.h"
#include "core/ops/term.h"
#include "core/ops/vector_rows.h"
#include "core/tensor/capture.h"

// Behaviour: aten/src/ATen/native/SoftMax.cpp. A row of only -inf, or with a NaN, gives NaN.
namespace nns::ops {
namespace {

// A line of floats that lie side by side.
template <bool is_log>
void softmax_floats(const float* from, float* to, std::int64_t count) {
  const float largest = vectors::largest(from, count);
  if constexpr (is_log) {
    const double sum = vectors::exp_shifted(from, largest, nullptr, count);
    // One after the other: large numbers keep their last digits.
    vectors::scale_shift(from, 1, -largest, to, count);
    vectors::scale_shift(to, 1, -static_cast<float>(std::log(sum)), to, count);
  } else {
    const double sum = vectors::exp_shifted(from, largest, to, count);
    vectors::scale_shift(to, static_cast<float>(1 / sum), 0, to, count);
  }
}

template <bool is_log>
void softmax_gradient_lines(const Tensor& made, const Tensor& grad, const Tensor& of) {
  const std::int64_t count = of.shape()[of.ndim() - 1];
  const std::int64_t lines = count == 0 ? 0 : of.numel() / count;
  for (std::int64_t line = 0; line < lines; ++line) {
    const float* const g = reinterpret_cast<const float*>(grad.data()) + line * count;
    const float* const y = reinterpret_cast<const float*>(of.data()) + line * count;
    float* const to = reinterpret_cast<float*>(made.data()) + line * count;
    if constexpr (is_log) {
      vectors::log_softmax_gradient(g, y, static_cast<float>(vectors::sum(g, count)), to, count);
    } else {
      vectors::mul_shifted(y, g, static_cast<float>(vectors::dot(g, y, count)), to, count);
    }
  }
}

// The gradient of a softmax along the last dimension, in one pass over its lines.
template <bool is_log>
std::optional<Term> softmax_gradient(const Backward& b) {
  if (b.is_recorded()) return std::nullopt;
  const Term grad = b.grad(), out = b.out();
  const auto is_plain = [](const Term& term) {
    return term.ok() && term.tensor().dtype() == DType::Float32 && term.tensor().device() == Device::Cpu &&
           term.tensor().ndim() > 0 && term.tensor().is_contiguous();
  };
  if (!is_plain(grad) || !is_plain(out)) return std::nullopt;
  const Tensor& of = out.tensor();
  if (wrapped(b.integer(1), of.ndim()) + 1 != of.ndim()) return std::nullopt;
  const PyResult<Ref<Tensor>> made = tensor::try_empty(b.interpreter(), of.shape(), DType::Float32, Device::Cpu);
  if (!made.ok()) return Term(made.error());
  const auto run = [](std::span<const Tensor* const> tensors) -> PyResult<void> {
    softmax_gradient_lines<is_log>(*tensors[0], *tensors[1], *tensors[2]);
    return {};
  };
  const Tensor *const to = made.value().get(), *const from[] = {&grad.tensor(), &of};
  if (tensor::Capture* const capture = tensor::Capture::current()) {
    NNS_TRY(capture->act({&to, 1}, from, run));
  } else {
    softmax_gradient_lines<is_log>(*to, *from[0], *from[1]);
  }
  return Term(made.value());
}

template <class T, bool is_log>
void softmax_line(const Tensor& in, Line from, const Tensor& out, Line to, std::int64_t count, std::vector<T>& line) {
  if constexpr (std::is_same_v<T, float>) {
    if (in.dtype() == DType::Float32 && from.stride == 1 && to.stride == 1) {
      return softmax_floats<is_log>(reinterpret_cast<const float*>(in.storage()->data()) + from.place,
                                    reinterpret_cast<float*>(out.storage()->data()) + to.place, count);
    }
  }
  line.resize(static_cast<std::size_t>(count));
  const std::int64_t in_bytes = tensor::item_bytes(in.dtype());
  const std::int64_t out_bytes = tensor::item_bytes(out.dtype());
  load_items(in.dtype(), in.storage()->data() + from.place * in_bytes, from.stride * in_bytes, count, compute_for<T>(),
             line.data());
  T largest = -std::numeric_limits<T>::infinity();
  for (const T x : line) largest = std::max(largest, x);
  double sum = 0;
  for (T& x : line) {
    if constexpr (is_log) {
      x -= largest;
      sum += std::exp(static_cast<double>(x));
    } else {
      x = std::exp(x - largest);
      sum += static_cast<double>(x);
    }
  }
  if constexpr (is_log) {
    const T log_sum = static_cast<T>(std::log(sum));
    for (T& x : line) x -= log_sum;
  } else {
    const T scale = static_cast<T>(1 / sum);
    for (T& x : line) x *= scale;
  }
  store_items(out.dtype(), out.storage()->data() + to.place * out_bytes, to.stride * out_bytes, count, compute_for<T>(),
              line.data());
}

template <bool is_log>
PyResult<void> run_softmax(OpCall& call) {
  const Tensor& in = call.required(0);
  const Tensor& out = call.output();
  const std::size_t dim = call.dimension(call.integer(1), in.ndim()).value();
  const auto all = [&]<class T>(T) {
    std::vector<T> line;
    for_each_line(in, out, dim, [&](Line from, Line to, std::int64_t count) {
      softmax_line<T, is_log>(in, from, out, to, count, line);
    });
  };
  if (in.dtype() == DType::Float64)
    all(double());
  else
    all(float());
  return {};
}

PyResult<void> softmax_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY(call.dimension(call.integer(1), self.ndim()));
  if (!tensor::is_floating(self.dtype())) {
    return not_implemented_for(
        call.interpreter,
        call.op.id == OpId::softmax_same ? "softmax_lastdim_kernel_impl" : "log_softmax_lastdim_kernel_impl",
        self.dtype());
  }
  return call.give(self.shape(), self.dtype());
}

// The input in the dtype that was asked for, then the op.
template <OpId same>
PyResult<Value> converted(OpCall& call) {
  Term x(Ref<Tensor>(call.tensor(0)));
  if (!call.is_none(2)) x = as_dtype(x, call.dtype(2, DType::Float32));
  return value_of(apply(same, {x, TermArgument(call.args[1])}));
}

Term sum_along(Backward& b, const Term& x) {
  if (x.ok() && x.tensor().ndim() == 0) return x;
  return apply(OpId::sum_dim, {x, dims_value(b.interpreter(), Dims({b.integer(1)})), true});
}

}  // namespace

template <>
OpBodies bodies<OpId::softmax>() {
  return {.composite = converted<OpId::softmax_same>};
}
template <>
OpBodies bodies<OpId::log_softmax>() {
  return {.composite = converted<OpId::log_softmax_same>};
}
template <>
OpBodies bodies<OpId::softmax_same>() {
  return {.shape = softmax_shape,
          .cpu = run_softmax<false>,
          .gradients = {Gradient{0, result(),
                                 [](Backward& b) {
                                   if (const auto made = softmax_gradient<false>(b)) return *made;
                                   const Term weighted = b.grad() * b.out();
                                   return weighted - b.out() * sum_along(b, weighted);
                                 }}},
          .node_name = "SoftmaxBackward0"};
}
template <>
OpBodies bodies<OpId::log_softmax_same>() {
  return {.shape = softmax_shape,
          .cpu = run_softmax<true>,
          .gradients = {Gradient{0, result(),
                                 [](Backward& b) {
                                   if (const auto made = softmax_gradient<true>(b)) return *made;
                                   return b.grad() - exp(b.out()) * sum_along(b, b.grad());
                                 }}},
          .node_name = "LogSoftmaxBackward0"};
}

}  // namespace nns::ops
