#include <cmath>

#include "core/ops/complex_logarithms.h"
#include "core/ops/element_kernels.h"
#include "core/ops/errors.h"
#include "core/ops/lines.h"
#include "core/ops/node.h"
#include "core/ops/scan_formulas.h"
#include "core/ops/term.h"

// The largest, the smallest and the logarithm of the sum of exponentials of an item and all before it.
// Behaviour: aten/src/ATen/native/ReduceOps.cpp (cummax, cummin, logcumsumexp); gradients:
// torch/csrc/autograd/FunctionsManual.cpp.
namespace nns::ops {
namespace {

PyResult<void> extreme_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY(call.dimension(call.integer(1), self.ndim()));
  if (tensor::is_complex(self.dtype())) {
    return not_implemented_for(call.interpreter, call.op.name + "_cpu", self.dtype());
  }
  NNS_TRY(call.give(self.shape(), self.dtype()));
  return call.give(self.shape(), DType::Int64);
}

// Of equal items the last one's place; a NaN stays once it came.
template <bool largest>
PyResult<void> run_extreme(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& values = call.output(0);
  auto* const places = reinterpret_cast<std::int64_t*>(call.output(1).storage()->data());
  const std::size_t dim = call.dimension(call.integer(1), self.ndim()).value();
  const auto scan = [&](auto read) {
    // Both outputs lie alike.
    for_each_line(self, values, dim, [&](const Line& from, const Line& to, std::int64_t count) {
      std::int64_t best = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto candidate = read(from.place + i * from.stride), held = read(from.place + best * from.stride);
        if (takes_over<largest>(candidate, held)) best = i;
        copy_item(values, to.place + i * to.stride, self, from.place + best * from.stride);
        places[to.place + i * to.stride] = best;
      }
    });
  };
  if (tensor::is_integral(self.dtype()))
    scan([&](std::int64_t place) { return tensor::read_int64(self, place); });
  else
    scan([&](std::int64_t place) { return tensor::read_double(self, place); });
  return {};
}

template <bool largest>
OpBodies extreme() {
  return {.shape = extreme_shape,
          .cpu = run_extreme<largest>,
          .gradients = {Gradient{0, result(1),
                                 [](Backward& b) {
                                   return apply(OpId::scatter_add, {zeros_like(b.grad(), b.input(0).shape),
                                                                    TermArgument(b.value(1)), b.out(1), b.grad()});
                                 }}},
          .differentiable_outputs = 1,
          .result_fields = "values indices"};
}

PyResult<void> logcumsumexp_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY(call.dimension(call.integer(1), self.ndim()));
  if (!tensor::is_differentiable(self.dtype())) {
    return not_implemented_for(call.interpreter, "logcumsumexp_out_cpu", self.dtype());
  }
  return call.give(self.shape(), self.dtype());
}
template <class T, Compute compute>
void scan_logarithms(const Tensor& self, const Tensor& out, std::size_t dim) {
  const std::int64_t bytes = tensor::item_bytes(out.dtype());
  for_each_line(self, out, dim, [&](const Line& from, const Line& to, std::int64_t count) {
    T running = T(-std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < count; ++i) {
      T item{};
      load_items(self.dtype(), self.storage()->data() + (from.place + i * from.stride) * bytes, 0, 1, compute, &item);
      running = log_added(running, item);
      store_items(out.dtype(), out.storage()->data() + (to.place + i * to.stride) * bytes, 0, 1, compute, &running);
    }
  });
}

PyResult<void> run_logcumsumexp(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& out = call.output();
  const std::size_t dim = call.dimension(call.integer(1), self.ndim()).value();
  if (tensor::is_complex(self.dtype()))
    scan_logarithms<ComplexDouble, Compute::ComplexDouble>(self, out, dim);
  else
    scan_logarithms<double, Compute::Double>(self, out, dim);
  return {};
}

// The sum over all k >= i of grad[k] exp(x[i] - out[k]), of the positive and the negative gradients apart, in
// logarithms, so that nothing becomes too large. Where there is none stands a logarithm so small that its exponential
// is zero, and not minus infinity, which has no gradient of its own.
Term logcumsumexp_gradient(Backward& b) {
  constexpr double kLogarithmOfNone = -1e37;
  const Term x = b.arg(0);
  if (x.ok() && x.tensor().ndim() == 0) return b.grad();
  const std::int64_t dim = b.integer(1);
  const TermArgument dims(dims_value(b.interpreter(), Dims({dim})));
  if (x.ok() && tensor::is_complex(x.tensor().dtype())) {
    const Term logarithm = log(conj(b.grad())) - b.out();
    const Term behind =
        apply(OpId::flip, {apply(OpId::logcumsumexp, {apply(OpId::flip, {logarithm, dims}), dim}), dims});
    return conj(exp(behind + x));
  }
  const auto part = [&](const Term& grad) {
    const Term size = where(gt(grad, 0), grad, 0);
    const Term logarithm = where(gt(size, 0), log(where(gt(size, 0), size, 1)) - b.out(), kLogarithmOfNone);
    const Term behind =
        apply(OpId::flip, {apply(OpId::logcumsumexp, {apply(OpId::flip, {logarithm, dims}), dim}), dims});
    return exp(behind + x);
  };
  return part(b.grad()) - part(-b.grad());
}

}  // namespace

template <>
OpBodies bodies<OpId::cummax>() {
  return extreme<true>();
}
template <>
OpBodies bodies<OpId::cummin>() {
  return extreme<false>();
}
template <>
OpBodies bodies<OpId::logcumsumexp>() {
  return {.shape = logcumsumexp_shape,
          .cpu = run_logcumsumexp,
          .gradients = {Gradient{0, argument(0) | result(), logcumsumexp_gradient}}};
}

}  // namespace nns::ops
