#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/ops/element_kernels.h"
#include "core/ops/term.h"

// Ops that are made of others: products of every pair, and sums without what is not a number.
// Behaviour: aten/src/ATen/native/{LinearAlgebra,Cross,Itertools,TensorTransformations,ReduceOps}.cpp.
namespace nns::ops {
namespace {

Term input_of(OpCall& call, std::size_t i) { return Ref<Tensor>(call.tensor(i)); }

PyResult<Value> kron(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Dims& a = call.required(0).shape();
  const Dims& b = call.required(1).shape();
  const std::size_t ndim = std::max(a.size(), b.size());
  // (a0, 1, a1, 1) times (1, b0, 1, b1), then each pair becomes one dimension.
  std::vector<std::int64_t> wide_a, wide_b, joined;
  for (std::size_t i = 0; i < ndim; ++i) {
    const std::int64_t x = i + a.size() < ndim ? 1 : a[i + a.size() - ndim];
    const std::int64_t y = i + b.size() < ndim ? 1 : b[i + b.size() - ndim];
    wide_a.insert(wide_a.end(), {x, 1});
    wide_b.insert(wide_b.end(), {1, y});
    joined.push_back(x * y);
  }
  const auto shaped = [&](const Term& x, const std::vector<std::int64_t>& shape) {
    return apply(OpId::reshape, {x, dims_value(in, Dims(shape))});
  };
  return value_of(shaped(shaped(input_of(call, 0), wide_a) * shaped(input_of(call, 1), wide_b), joined));
}

PyResult<Value> cross(OpCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const Dims shape, broadcast_shapes(in, call.required(0).shape(), call.required(1).shape()));
  std::size_t dim = 0;
  if (call.is_none(2)) {
    while (dim < shape.size() && shape[dim] != 3) ++dim;
    if (dim == shape.size()) return object::runtime_error(in, "no dimension of size 3 in input");
  } else {
    NNS_TRY_ASSIGN(dim, call.dimension(call.integer(2), shape.size()));
  }
  const auto size_of = [&](std::size_t i) {
    const Dims& own = call.required(i).shape();
    return own.size() == shape.size() ? own[dim] : 0;
  };
  if (size_of(0) != 3 || size_of(1) != 3) {
    return object::runtime_error(in, "linalg.cross: inputs dimension {} must have length 3. Got {} and {}", dim,
                                 size_of(0), size_of(1));
  }
  const auto rolled = [&](const Term& x, std::int64_t by) {
    return apply(OpId::roll, {x, dims_value(in, Dims({by})), dims_value(in, Dims({static_cast<std::int64_t>(dim)}))});
  };
  const Term a = input_of(call, 0), b = input_of(call, 1);
  return value_of(rolled(a, -1) * rolled(b, -2) - rolled(a, -2) * rolled(b, -1));
}

// All choices of r items in their order, from the places of a grid.
PyResult<Value> combinations(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& self = call.required(0);
  const std::int64_t r = call.integer(1);
  const bool repeats = call.flag(2);
  if (self.ndim() != 1) {
    return object::runtime_error(in, "Expect a 1D vector, but got shape [{}]", fmt::join(self.shape().span(), ", "));
  }
  if (r < 0) return object::runtime_error(in, "Expect a non-negative number, but got {}", r);
  if (r == 0) return Value(tensor::empty(in, Dims({0}), self.dtype(), self.device()));
  // Counts upwards like an odometer whose digits may not fall (or must rise).
  const std::int64_t size = self.shape()[0];
  std::vector<std::int64_t> digits(static_cast<std::size_t>(r), 0);
  if (!repeats) std::iota(digits.begin(), digits.end(), 0);
  std::vector<double> places;
  const auto limit = [&](std::size_t i) { return repeats ? size : size - r + static_cast<std::int64_t>(i) + 1; };
  bool more = digits.back() < size;
  while (more) {
    places.insert(places.end(), digits.begin(), digits.end());
    std::size_t i = digits.size();
    while (i > 0 && digits[i - 1] + 1 >= limit(i - 1)) --i;
    more = i > 0;
    if (!more) break;
    ++digits[i - 1];
    for (; i < digits.size(); ++i) digits[i] = digits[i - 1] + (repeats ? 0 : 1);
  }
  const auto count = static_cast<std::int64_t>(places.size());
  NNS_TRY_ASSIGN(const Ref<Tensor> index, tensor::to(*tensor::from_values(in, Dims({count}), places, DType::Int64),
                                                     DType::Int64, self.device()));
  const Term chosen = apply(OpId::index_select, {input_of(call, 0), 0, Term(index)});
  return value_of(apply(OpId::reshape, {chosen, dims_value(in, Dims({count / r, r}))}));
}

PyResult<Value> rot90(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Dims dims = call.is_none(2) ? Dims({0, 1}) : call.dims(2);
  const std::size_t ndim = call.required(0).ndim();
  if (dims.size() != 2) {
    return object::runtime_error(in, "expected total rotation dims == 2, but got dims = {}", dims.size());
  }
  if (ndim < 2) return object::runtime_error(in, "expected total dims >= 2, but got total dims = {}", ndim);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto count = static_cast<std::int64_t>(ndim);
    if (dims[i] < count && dims[i] >= -count) continue;
    return object::runtime_error(in, "Rotation dim{} out of range, dim{} = {}", i, i, dims[i]);
  }
  const std::size_t first = wrapped(dims[0], ndim), second = wrapped(dims[1], ndim);
  if (first == second) {
    return object::runtime_error(in, "expected rotation dims to be different, but got dim0 = {} and dim1 = {}", dims[0],
                                 dims[1]);
  }
  const Term x = input_of(call, 0);
  const auto flipped = [&](const Term& one, std::initializer_list<std::int64_t> which) {
    return apply(OpId::flip, {one, dims_value(in, Dims(which))});
  };
  const auto turned = [&](const Term& one) { return apply(OpId::transpose, {one, dims[0], dims[1]}); };
  switch ((call.integer(1) % 4 + 4) % 4) {
    case 1:
      return value_of(turned(flipped(x, {dims[1]})));
    case 2:
      return value_of(flipped(x, {dims[0], dims[1]}));
    case 3:
      return value_of(turned(flipped(x, {dims[0]})));
    default:
      return value_of(apply(OpId::clone, {x}));
  }
}

// What is not a number counts as nothing.
Term without_nan(OpCall& call) {
  Term x = input_of(call, 0);
  if (tensor::is_integral(x.tensor().dtype())) return x;
  return apply(OpId::masked_fill, {x, apply(OpId::isnan, {x}), 0});
}
PyResult<Value> nansum(OpCall& call) {
  return value_of(apply(OpId::sum_dim, {without_nan(call), TermArgument(call.args[1]), TermArgument(call.args[2]),
                                        TermArgument(call.args[3])}));
}
PyResult<Value> nanmean(OpCall& call) {
  const Term x = input_of(call, 0);
  if (tensor::is_integral(x.tensor().dtype())) {
    return object::runtime_error(call.interpreter,
                                 "nanmean(): expected input to have floating point or complex dtype "
                                 "but got {}",
                                 tensor::info(x.tensor().dtype()).scalar_name);
  }
  NNS_TRY_ASSIGN(const Value sum, nansum(call));
  const Term is_number = logical_not(apply(OpId::isnan, {x}));
  const Term count = apply(OpId::sum_dim, {is_number, TermArgument(call.args[1]), TermArgument(call.args[2])});
  return value_of(Term(Ref<Tensor>(sum.as<Tensor>())) / count);
}

}  // namespace

template <>
OpBodies bodies<OpId::kron>() {
  return {.composite = kron};
}
template <>
OpBodies bodies<OpId::cross>() {
  return {.composite = cross};
}
template <>
OpBodies bodies<OpId::vdot>() {
  return {.composite = [](OpCall& call) {
    return value_of(apply(OpId::dot, {conj(input_of(call, 0)), input_of(call, 1)}));
  }};
}
template <>
OpBodies bodies<OpId::dist>() {
  return {.composite = [](OpCall& call) {
    return value_of(apply(OpId::norm, {input_of(call, 0) - input_of(call, 1), TermArgument(call.args[2])}));
  }};
}
template <>
OpBodies bodies<OpId::combinations>() {
  return {.composite = combinations};
}
template <>
OpBodies bodies<OpId::rot90>() {
  return {.composite = rot90};
}
template <>
OpBodies bodies<OpId::nansum>() {
  return {.composite = nansum};
}
template <>
OpBodies bodies<OpId::nanmean>() {
  return {.composite = nanmean};
}

}  // namespace nns::ops
