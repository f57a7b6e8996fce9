#include <fmt/ranges.h>

#include <algorithm>

#include "core/ops/element_kernels.h"
#include "core/ops/layouts.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// Ops that put tensors together or move their items.
// Behaviour: aten/src/ATen/native/{TensorShape,TensorTransformations,TriangularOps}.cpp.
namespace nns::ops {
namespace {

// A part of a tensor along one dimension.
Ref<Tensor> part_of(const Tensor& whole, std::size_t dim, std::int64_t from, std::int64_t count) {
  Dims shape = whole.shape();
  shape[dim] = count;
  return tensor::as_strided(whole, shape, whole.strides(), whole.offset() + from * whole.strides()[dim]);
}

// Once, cat took tensors of shape (0,) beside others of any shape, and still does.
bool is_skipped(const Tensor& tensor) { return tensor.ndim() == 1 && tensor.shape()[0] == 0; }

PyResult<void> cat_shape(OpCall& call) {
  const std::vector<Tensor*> parts = call.tensors(0);
  if (parts.empty())
    return object::runtime_error(call.interpreter, "torch.cat(): expected a non-empty list of Tensors");
  TypePromotion promotion(call.interpreter);
  const Tensor* first = nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    NNS_TRY(promotion.add(*parts[i]));
    if (parts[i]->ndim() == 0) {
      return object::runtime_error(call.interpreter, "zero-dimensional tensor (at position {}) cannot be concatenated",
                                   i);
    }
    if (first == nullptr && !is_skipped(*parts[i])) first = parts[i];
  }
  NNS_TRY_ASSIGN(call.common, promotion.dtype());
  if (first == nullptr) return call.give(Dims({0}), call.common);
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), first->ndim()));
  Dims shape = first->shape();
  shape[dim] = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Tensor& part = *parts[i];
    if (is_skipped(part)) continue;
    if (part.ndim() != first->ndim()) {
      return object::runtime_error(call.interpreter, "Tensors must have same number of dimensions: got {} and {}",
                                   first->ndim(), part.ndim());
    }
    for (std::size_t other = 0; other < shape.size(); ++other) {
      if (other != dim && part.shape()[other] != shape[other]) {
        return object::runtime_error(
            call.interpreter,
            "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} "
            "for tensor number {} in the list.",
            dim, shape[other], part.shape()[other], i);
      }
    }
    shape[dim] += part.shape()[dim];
  }
  return call.give(shape, call.common);
}

PyResult<void> run_cat(OpCall& call) {
  const Tensor& whole = call.output();
  const std::size_t dim = wrapped(call.integer(1), whole.ndim());
  std::int64_t from = 0;
  for (const Tensor* part : call.tensors(0)) {
    if (is_skipped(*part)) continue;
    const std::int64_t count = part->shape()[dim];
    NNS_TRY(tensor::copy_items(*part_of(whole, dim, from, count), *part));
    from += count;
  }
  return {};
}

PyResult<void> cat_gradient(Backward& b) {
  std::int64_t from = 0;
  const Term grad = b.grad();
  for (std::size_t i = 0; i < b.item_count(0); ++i) {
    const Dims& shape = b.input(0, i).shape;
    if (shape.size() == 1 && shape[0] == 0) continue;
    const std::size_t dim = wrapped(b.integer(1), shape.size());
    if (b.needs(0, i)) {
      NNS_TRY(b.give(0, apply(OpId::narrow, {grad, static_cast<std::int64_t>(dim), from, shape[dim]}), i));
    }
    from += shape[dim];
  }
  return {};
}

PyResult<void> stack_shape(OpCall& call) {
  const std::vector<Tensor*> parts = call.tensors(0);
  if (parts.empty()) return object::runtime_error(call.interpreter, "stack expects a non-empty TensorList");
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), parts[0]->ndim() + 1));
  TypePromotion promotion(call.interpreter);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    NNS_TRY(promotion.add(*parts[i]));
    if (parts[i]->shape() == parts[0]->shape()) continue;
    return object::runtime_error(
        call.interpreter, "stack expects each tensor to be equal size, but got [{}] at entry 0 and [{}] at entry {}",
        fmt::join(parts[0]->shape().span(), ", "), fmt::join(parts[i]->shape().span(), ", "), i);
  }
  std::vector<std::int64_t> shape(parts[0]->shape().begin(), parts[0]->shape().end());
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim), static_cast<std::int64_t>(parts.size()));
  NNS_TRY_ASSIGN(call.common, promotion.dtype());
  return call.give(Dims(shape), call.common);
}
PyResult<void> run_stack(OpCall& call) {
  const std::vector<Tensor*> parts = call.tensors(0);
  const Tensor& out = call.output();
  const std::size_t dim = wrapped(call.integer(1), out.ndim());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    NNS_TRY(tensor::copy_items(*tensor::select(out, dim, static_cast<std::int64_t>(i)), *parts[i]));
  }
  return {};
}
PyResult<void> stack_gradient(Backward& b) {
  const Term grad = b.grad();
  for (std::size_t i = 0; i < b.item_count(0); ++i) {
    if (!b.needs(0, i)) continue;
    NNS_TRY(b.give(0, apply(OpId::select, {grad, b.integer(1), static_cast<std::int64_t>(i)}), i));
  }
  return {};
}

PyResult<void> flip_shape(OpCall& call) {
  if (call.dims(1).size() > 0) NNS_TRY(call.dimensions(call.args[1], call.required(0).ndim()));
  return same_shape(call);
}
PyResult<void> run_flip(OpCall& call) {
  // Written from the far end: the strides of the result turned around.
  const Tensor& whole = call.output();
  Dims strides = whole.strides();
  std::int64_t offset = whole.offset();
  const Dims dims = call.dims(1);
  for (const std::int64_t given : dims) {
    if (whole.ndim() == 0) break;
    const std::size_t dim = wrapped(given, whole.ndim());
    if (whole.shape()[dim] == 0) return {};
    offset += (whole.shape()[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  return tensor::copy_items(*tensor::as_strided(whole, whole.shape(), strides, offset), call.required(0));
}

// Behaviour: torch.roll; without dims the flattened tensor is rolled.
PyResult<Value> roll(OpCall& call) {
  const Dims shifts = call.dims(1);
  Term rolled(Ref<Tensor>(call.tensor(0)));
  const bool is_flat = call.is_none(2);
  const Dims dims = is_flat ? Dims({0}) : call.dims(2);
  if (shifts.size() == 0) return object::runtime_error(call.interpreter, "`shifts` required");
  if (is_flat && shifts.size() != 1) {
    return object::runtime_error(call.interpreter, "shifts and dimensions must align. shifts: {}, dims:0",
                                 shifts.size());
  }
  if (shifts.size() != dims.size()) {
    return object::runtime_error(call.interpreter, "shifts and dimensions must align. shifts: {}, dims:{}",
                                 shifts.size(), dims.size());
  }
  if (is_flat) rolled = apply(OpId::flatten, {rolled});
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (!rolled.ok()) break;
    if (rolled.tensor().ndim() == 0) {
      return object::error<object::ErrorKind::IndexError>(
          call.interpreter, "Dimension specified as {} but tensor has no dimensions", dims[i]);
    }
    NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(dims[i], rolled.tensor().ndim()));
    const std::int64_t size = rolled.tensor().shape()[dim];
    if (size == 0) continue;
    const std::int64_t back = (size - shifts[i] % size) % size;
    if (back == 0) continue;
    const auto at = static_cast<std::int64_t>(dim);
    const Term tail = apply(OpId::narrow, {rolled, at, back, size - back});
    const Term head = apply(OpId::narrow, {rolled, at, std::int64_t{0}, back});
    if (!tail.ok()) return tail.result().error();
    if (!head.ok()) return head.result().error();
    rolled = Term(
        call_tensor_op(call.interpreter, OpId::cat,
                       std::array{Value(call.interpreter.tuple({Value(tail.ref()), Value(head.ref())})), Value(at)}));
  }
  if (is_flat) rolled = apply(OpId::view, {rolled, dims_value(call.interpreter, call.required(0).shape())});
  if (rolled.ok() && rolled.ref().get() == call.tensor(0))
    return call_op(call.interpreter, OpId::clone, {call.args[0]});
  return value_of(std::move(rolled));
}

// (a, b) repeated (r0, r1) times lies in memory as (r0, a, r1, b); dimensions that the tensor lacks have one item.
struct Repeated {
  /// (a, b) as (1, a, 1, b), and its strides; then (r0, a, r1, b).
  std::vector<std::int64_t> raised, strides, spread;

  Repeated(const Dims& shape, const Dims& own_strides, const Dims& repeats) {
    const std::size_t extra = repeats.size() - shape.size();
    for (std::size_t i = 0; i < repeats.size(); ++i) {
      const std::int64_t size = i < extra ? 1 : shape[i - extra];
      raised.insert(raised.end(), {1, size});
      strides.insert(strides.end(), {0, i < extra ? 0 : own_strides[i - extra]});
      spread.insert(spread.end(), {repeats[i], size});
    }
  }
};

PyResult<void> repeat_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Dims repeats = call.dims(1);
  if (repeats.size() < self.ndim()) {
    return object::runtime_error(
        call.interpreter, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  }
  const std::size_t extra = repeats.size() - self.ndim();
  Dims joined(repeats.size(), 0);
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    joined[i] = tensor::wrapping_product(repeats[i], i < extra ? 1 : self.shape()[i - extra]);
    if (repeats[i] < 0) {
      return object::runtime_error(call.interpreter, "Trying to create tensor with negative dimension {}: [{}]",
                                   joined[i], fmt::join(repeats.span(), ", "));
    }
  }
  NNS_TRY(tensor::storage_bytes(call.interpreter, joined, self.dtype()));
  return call.give(joined, self.dtype());
}
PyResult<void> run_repeat(OpCall& call) {
  const Tensor& self = call.required(0);
  const Repeated repeated(self.shape(), self.strides(), call.dims(1));
  const Dims spread(repeated.spread);
  const Ref<Tensor> from = tensor::as_strided(self, spread, Dims(repeated.strides), self.offset());
  const Ref<Tensor> to =
      tensor::as_strided(call.output(), spread, tensor::contiguous_strides(spread), call.output().offset());
  return tensor::copy_items(*to, *from);
}
// Behaviour: torch/csrc/autograd/FunctionsManual.cpp, repeat_backward.
Term repeat_gradient(Backward& b) {
  const Dims repeats = dims_of(b.value(1));
  const TensorShape& input = b.input(0);
  const Repeated repeated(input.shape, input.strides, repeats);
  Interpreter& in = b.interpreter();
  std::vector<std::int64_t> summed;
  for (std::size_t i = 0; i < repeats.size(); ++i) summed.push_back(static_cast<std::int64_t>(2 * i));
  Term grad = b.grad();
  if (!summed.empty()) {
    grad = apply(OpId::sum_dim, {apply(OpId::reshape, {grad, dims_value(in, Dims(repeated.spread))}),
                                 TermArgument(dims_value(in, Dims(summed)))});
  }
  return apply(OpId::reshape, {grad, dims_value(in, input.shape)});
}

PyResult<void> triangle_shape(OpCall& call) {
  if (call.required(0).ndim() < 2) {
    return object::runtime_error(call.interpreter, "{}: input tensor must have at least 2 dimensions", call.op.name);
  }
  return same_shape(call);
}
template <bool lower>
PyResult<void> run_triangle(OpCall& call) {
  const Tensor& source = call.required(0);
  const Tensor& whole = call.output();
  NNS_TRY(tensor::copy_items(whole, source));
  const std::size_t ndim = whole.ndim();
  const std::int64_t rows = whole.shape()[ndim - 2];
  const std::int64_t columns = whole.shape()[ndim - 1];
  const std::int64_t diagonal = call.integer(1);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t edge = std::clamp<std::int64_t>(row + diagonal + (lower ? 1 : 0), 0, columns);
    const Ref<Tensor> line = part_of(whole, ndim - 2, row, 1);
    const Ref<Tensor> rest = lower ? part_of(*line, ndim - 1, edge, columns - edge) : part_of(*line, ndim - 1, 0, edge);
    tensor::fill_items(*rest, 0);
  }
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::cat>() {
  return {.shape = cat_shape, .cpu = run_cat, .joint = cat_gradient};
}
template <>
OpBodies bodies<OpId::stack>() {
  return {.shape = stack_shape, .cpu = run_stack, .joint = stack_gradient};
}
template <>
OpBodies bodies<OpId::flip>() {
  return {.shape = flip_shape,
          .cpu = run_flip,
          .gradients = {Gradient{0, 0, [](Backward& b) {
                                   return apply(OpId::flip, {b.grad(), TermArgument(b.value(1))});
                                 }}}};
}
template <>
OpBodies bodies<OpId::roll>() {
  return {.composite = roll};
}
template <>
OpBodies bodies<OpId::repeat>() {
  return {.shape = repeat_shape, .cpu = run_repeat, .gradients = {Gradient{0, 0, repeat_gradient}}};
}
template <>
OpBodies bodies<OpId::tril>() {
  return {.shape = triangle_shape,
          .cpu = run_triangle<true>,
          .gradients = {Gradient{0, 0, [](Backward& b) {
                                   return apply(OpId::tril, {b.grad(), TermArgument(b.value(1))});
                                 }}}};
}
template <>
OpBodies bodies<OpId::triu>() {
  return {.shape = triangle_shape,
          .cpu = run_triangle<false>,
          .gradients = {Gradient{0, 0, [](Backward& b) {
                                   return apply(OpId::triu, {b.grad(), TermArgument(b.value(1))});
                                 }}}};
}

}  // namespace nns::ops
