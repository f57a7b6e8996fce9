#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/ops/node.h"
#include "core/ops/op.h"
#include "core/ops/term.h"

// Ops that look at a part of their input.
// Behaviour: aten/src/ATen/native/TensorShape.cpp.
namespace nns::ops {
namespace {

using Ints = std::vector<std::int64_t>;

Ints sizes_of(const Dims& dims) { return {dims.begin(), dims.end()}; }

// self[..., from : from + count * step : step, ...] along one dimension.
PyResult<void> give_slice(OpCall& call, std::size_t dim, std::int64_t from, std::int64_t count, std::int64_t step) {
  const Tensor& self = call.required(0);
  Dims shape = self.shape();
  Dims strides = self.strides();
  shape[dim] = count;
  const std::int64_t offset = self.offset() + from * strides[dim];
  strides[dim] *= step;
  return call.give_view(self, shape, strides, offset);
}

PyResult<void> select_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  if (self.ndim() == 0) {
    return object::error<object::ErrorKind::IndexError>(call.interpreter,
                                                        "select() cannot be applied to a 0-dim tensor.");
  }
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  const std::int64_t size = self.shape()[dim];
  const std::int64_t index = call.integer(2);
  if (index < -size || index >= size) {
    return object::error<object::ErrorKind::IndexError>(
        call.interpreter, "select(): index {} out of range for tensor of size [{}] at dimension {}", index,
        fmt::join(self.shape().span(), ", "), dim);
  }
  Ints shape = sizes_of(self.shape());
  Ints strides = sizes_of(self.strides());
  const std::int64_t offset = self.offset() + (index < 0 ? index + size : index) * strides[dim];
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(dim));
  return call.give_view(self, Dims(shape), Dims(strides), offset);
}

// Where a slice begins and how many items it has. Behaviour: Python's slices, for steps above 0.
struct Span {
  std::int64_t from = 0;
  std::int64_t count = 0;
};
Span span_of(const Value& start, const Value& end, std::int64_t step, std::int64_t size) {
  const auto place = [size](const Value& value, std::int64_t otherwise) {
    if (value.is_none()) return otherwise;
    const std::int64_t at = value.as_int() < 0 ? value.as_int() + size : value.as_int();
    return std::clamp<std::int64_t>(at, 0, size);
  };
  const std::int64_t from = place(start, 0);
  const std::int64_t to = std::max(place(end, size), from);
  return {from, (to - from + step - 1) / step};
}

PyResult<void> slice_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  if (self.ndim() == 0) return object::runtime_error(call.interpreter, "slice() cannot be applied to a 0-dim tensor.");
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  const std::int64_t step = call.integer(4);
  if (step <= 0) return object::runtime_error(call.interpreter, "slice step must be positive");
  const Span span = span_of(call.args[2], call.args[3], step, self.shape()[dim]);
  return give_slice(call, dim, span.from, span.count, step);
}

// Zeros with the gradient at the place that a part was taken from.
Term put_back(Backward& b, OpId part, std::initializer_list<TermArgument> rest) {
  if (!b.grad().ok()) return b.grad();
  const Term zeros = zeros_like(b.grad(), b.input(0).shape);
  std::vector<Value> args = {Value(zeros.ref())};
  for (const TermArgument& argument : rest) args.push_back(argument.value());
  return put_into(zeros, part, args, b.grad());
}

PyResult<void> diagonal_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY_ASSIGN(const std::size_t first, call.dimension(call.integer(2), self.ndim()));
  NNS_TRY_ASSIGN(const std::size_t second, call.dimension(call.integer(3), self.ndim()));
  if (first == second) {
    return object::runtime_error(call.interpreter, "diagonal dimensions cannot be identical {}, {}", call.integer(2),
                                 call.integer(3));
  }
  const std::int64_t shift = call.integer(1);
  const std::int64_t rows = self.shape()[first] - std::max<std::int64_t>(-shift, 0);
  const std::int64_t columns = self.shape()[second] - std::max<std::int64_t>(shift, 0);
  const std::int64_t count = std::max<std::int64_t>(std::min(rows, columns), 0);
  std::int64_t offset = self.offset();
  if (count > 0) offset += shift >= 0 ? shift * self.strides()[second] : -shift * self.strides()[first];
  Ints shape;
  Ints strides;
  for (std::size_t dim = 0; dim < self.ndim(); ++dim) {
    if (dim == first || dim == second) continue;
    shape.push_back(self.shape()[dim]);
    strides.push_back(self.strides()[dim]);
  }
  shape.push_back(count);
  strides.push_back(self.strides()[first] + self.strides()[second]);
  return call.give_view(self, Dims(shape), Dims(strides), offset);
}

PyResult<void> unbind_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  if (self.ndim() == 0)
    return object::error<object::ErrorKind::IndexError>(
        call.interpreter, "Dimension specified as {} but tensor has no dimensions", call.integer(1));
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  Ints shape = sizes_of(self.shape());
  Ints strides = sizes_of(self.strides());
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(dim));
  for (std::int64_t i = 0; i < self.shape()[dim]; ++i) {
    NNS_TRY(call.give_view(self, Dims(shape), Dims(strides), self.offset() + i * self.strides()[dim]));
  }
  return {};
}

// The lengths of the parts that split() makes.
PyResult<Ints> split_lengths(OpCall& call, std::int64_t extent) {
  if (call.args[1].is_int()) {
    const std::int64_t size = call.integer(1);
    if (size < 0) {
      return object::runtime_error(call.interpreter, "split expects split_size be non-negative, but got split_size={}",
                                   size);
    }
    if (size == 0 && extent != 0) {
      return object::runtime_error(
          call.interpreter, "split_size can only be 0 if dimension size is 0, but got dimension size of {}", extent);
    }
    Ints lengths;
    for (std::int64_t done = 0; done < extent; done += size) lengths.push_back(std::min(size, extent - done));
    if (lengths.empty()) lengths.push_back(0);
    return lengths;
  }
  const Ints lengths = sizes_of(call.dims(1));
  if (std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) != extent ||
      std::any_of(lengths.begin(), lengths.end(), [](std::int64_t length) { return length < 0; })) {
    return object::runtime_error(
        call.interpreter,
        "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {}), but got "
        "split_sizes=[{}]",
        extent, call.integer(2), fmt::join(lengths, ", "));
  }
  return lengths;
}

PyResult<void> split_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  if (self.ndim() == 0) return object::runtime_error(call.interpreter, "split expects at least a 1-dimensional tensor");
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(2), self.ndim()));
  NNS_TRY_ASSIGN(const Ints lengths, split_lengths(call, self.shape()[dim]));
  std::int64_t from = 0;
  for (const std::int64_t length : lengths) {
    NNS_TRY(give_slice(call, dim, from, length, 1));
    from += length;
  }
  return {};
}

// Gradients of several parts, joined along `dim` again.
PyResult<void> join_back(Backward& b, OpId join, std::int64_t dim) {
  std::vector<Value> parts;
  for (std::size_t i = 0; i < b.node.outputs.size(); ++i) {
    NNS_TRY_ASSIGN(Ref<Tensor> part, b.grad(i).take());
    parts.emplace_back(std::move(part));
  }
  return b.give(
      0, call_tensor_op(b.interpreter(), join, std::array{Value(b.interpreter().tuple(std::move(parts))), Value(dim)}));
}

}  // namespace

template <>
OpBodies bodies<OpId::select>() {
  return {
      .shape = select_shape,
      .gradients = {Gradient{0, 0,
                             [](Backward& b) {
                               return put_back(b, OpId::select, {TermArgument(b.value(1)), TermArgument(b.value(2))});
                             }}},
      .is_view = true};
}
template <>
OpBodies bodies<OpId::slice>() {
  return {.shape = slice_shape,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   return put_back(b, OpId::slice,
                                                   {TermArgument(b.value(1)), TermArgument(b.value(2)),
                                                    TermArgument(b.value(3)), TermArgument(b.value(4))});
                                 }}},
          .is_view = true};
}
template <>
OpBodies bodies<OpId::narrow>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const Tensor& self = call.required(0);
    if (self.ndim() == 0)
      return object::runtime_error(call.interpreter, "narrow() cannot be applied to a 0-dim tensor.");
    NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
    const std::int64_t size = self.shape()[dim];
    const std::int64_t length = call.integer(3);
    std::int64_t start = call.integer(2);
    if (length < 0) return object::runtime_error(call.interpreter, "narrow(): length must be non-negative.");
    if (start < -size || start > size) {
      return object::error<object::ErrorKind::IndexError>(
          call.interpreter, "start out of range (expected to be in range of [{}, {}], but got {})", -size, size, start);
    }
    if (start < 0) start += size;
    if (start > size - length) {
      return object::runtime_error(call.interpreter, "start ({}) + length ({}) exceeds dimension size ({}).", start,
                                   length, size);
    }
    return call_op(call.interpreter, OpId::slice, {call.args[0], call.args[1], Value(start), Value(start + length)});
  }};
}
template <>
OpBodies bodies<OpId::diagonal>() {
  return {.shape = diagonal_shape,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   return put_back(
                                       b, OpId::diagonal,
                                       {TermArgument(b.value(1)), TermArgument(b.value(2)), TermArgument(b.value(3))});
                                 }}},
          .is_view = true};
}
template <>
OpBodies bodies<OpId::unbind>() {
  return {.shape = unbind_shape,
          .joint = [](Backward& b) { return join_back(b, OpId::stack, b.integer(1)); },
          .is_view = true,
          .differentiable_outputs = 255};
}
template <>
OpBodies bodies<OpId::split>() {
  return {.shape = split_shape,
          .joint = [](Backward& b) { return join_back(b, OpId::cat, b.integer(2)); },
          .is_view = true,
          .differentiable_outputs = 255};
}
template <>
OpBodies bodies<OpId::chunk>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const Tensor& self = call.required(0);
    if (self.ndim() == 0)
      return object::runtime_error(call.interpreter, "chunk expects at least a 1-dimensional tensor");
    const std::int64_t chunks = call.integer(1);
    if (chunks <= 0)
      return object::runtime_error(call.interpreter, "chunk expects `chunks` to be greater than 0, got: {}", chunks);
    NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(2), self.ndim()));
    const std::int64_t size = (self.shape()[dim] + chunks - 1) / chunks;
    if (size == 0) {
      return call_op(
          call.interpreter, OpId::split,
          {call.args[0], dims_value(call.interpreter, Dims(static_cast<std::size_t>(chunks), 0)), call.args[2]});
    }
    return call_op(call.interpreter, OpId::split, {call.args[0], Value(size), call.args[2]});
  }};
}

}  // namespace nns::ops
