#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/ops/node.h"
#include "core/ops/sorting.h"
#include "core/ops/term.h"

// Behaviour: aten/src/ATen/native/Sorting.cpp, cpu/SortingKernel.cpp: NaN is larger than any number.
namespace nns::ops {
namespace {

// Whether a stands before b in ascending order.
bool is_less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

}  // namespace

std::vector<std::int64_t> order_of(const Tensor& tensor, const Line& line, std::int64_t count, bool descending) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const auto sort_by = [&](const auto& items, auto less) {
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      const auto &x = items[static_cast<std::size_t>(a)], &y = items[static_cast<std::size_t>(b)];
      return descending ? less(y, x) : less(x, y);
    });
  };
  if (tensor::is_integral(tensor.dtype())) {
    std::vector<std::int64_t> items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back(tensor::read_int64(tensor, line.place + i * line.stride));
    sort_by(items, [](std::int64_t a, std::int64_t b) { return a < b; });
  } else {
    std::vector<double> items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back(tensor::read_double(tensor, line.place + i * line.stride));
    sort_by(items, is_less);
  }
  return order;
}

namespace {

PyResult<void> refuse_complex(OpCall& call) {
  if (!tensor::is_complex(call.required(0).dtype())) return {};
  return object::runtime_error(call.interpreter, "Sort currently does not support complex dtypes on CPU");
}

PyResult<void> sort_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY(refuse_complex(call));
  NNS_TRY(call.dimension(call.integer(1), self.ndim()));
  NNS_TRY(call.give(self.shape(), self.dtype()));
  return call.give(self.shape(), DType::Int64);
}
PyResult<void> run_sort(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor &values = call.output(0), &indices = call.output(1);
  const std::size_t dim = wrapped(call.integer(1), std::max<std::size_t>(self.ndim(), 1));
  auto* const places = reinterpret_cast<std::int64_t*>(indices.storage()->data());
  // Both outputs lie alike.
  for_each_line(self, values, dim, [&](const Line& from, const Line& to, std::int64_t count) {
    const std::vector<std::int64_t> order = order_of(self, from, count, call.flag(2));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = order[static_cast<std::size_t>(i)];
      copy_item(values, to.place + i * to.stride, self, from.place + place * from.stride);
      places[to.place + i * to.stride] = place;
    }
  });
  return {};
}

PyResult<void> topk_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY(refuse_complex(call));
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(2), self.ndim()));
  const std::int64_t k = call.integer(1);
  if (k < 0 || k > (self.ndim() == 0 ? 1 : self.shape()[dim])) {
    return object::runtime_error(call.interpreter, "selected index k out of range");
  }
  Dims shape = self.shape();
  if (self.ndim() > 0) shape[dim] = k;
  NNS_TRY(call.give(shape, self.dtype()));
  return call.give(shape, DType::Int64);
}
PyResult<void> run_topk(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor &values = call.output(0), &indices = call.output(1);
  if (values.numel() == 0) return {};
  const std::int64_t k = self.ndim() == 0 ? 1 : call.integer(1);
  const std::size_t dim = wrapped(call.integer(2), std::max<std::size_t>(self.ndim(), 1));
  auto* const places = reinterpret_cast<std::int64_t*>(indices.storage()->data());
  for_each_line(self, values, dim, [&](const Line& from, const Line& to, std::int64_t count) {
    const std::vector<std::int64_t> order = order_of(self, from, count, call.flag(3));
    for (std::int64_t i = 0; i < k; ++i) {
      const std::int64_t place = order[static_cast<std::size_t>(i)];
      copy_item(values, to.place + i * to.stride, self, from.place + place * from.stride);
      places[to.place + i * to.stride] = place;
    }
  });
  return {};
}

// The gradient goes to the places that the values were taken from.
template <std::size_t dim_parameter>
Term scattered(Backward& b) {
  const Term indices = b.out(1);
  const Term zeros = zeros_like(b.grad(), b.input(0).shape);
  return apply(OpId::scatter_add, {zeros, TermArgument(b.value(dim_parameter)), indices, b.grad()});
}

}  // namespace

template <>
OpBodies bodies<OpId::sort>() {
  return {.shape = sort_shape,
          .cpu = run_sort,
          .gradients = {Gradient{0, result(1), scattered<1>}},
          .differentiable_outputs = 1,
          .result_fields = "values indices"};
}
template <>
OpBodies bodies<OpId::topk>() {
  return {.shape = topk_shape,
          .cpu = run_topk,
          .gradients = {Gradient{0, result(1), scattered<2>}},
          .differentiable_outputs = 1,
          .result_fields = "values indices"};
}

}  // namespace nns::ops
