#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/ops/element_kernels.h"
#include "core/ops/gather_scatter.h"
#include "core/ops/lines.h"
#include "core/ops/node.h"
#include "core/ops/sparse_items.h"
#include "core/ops/term.h"

// Ops that move items to and from places that another tensor names.
// Behaviour: aten/src/ATen/native/{TensorAdvancedIndexing,ScatterGatherChecks}.h.
namespace nns::ops {
namespace {

PyResult<void> check_index(OpCall& call, const Tensor& index) {
  // What names no place may have any dtype.
  if (index.numel() == 0) return {};
  if (index.dtype() == DType::Int64 || index.dtype() == DType::Int32) return {};
  return object::runtime_error(call.interpreter, "{}(): Expected dtype int32/int64 for index", call.op.name);
}

std::size_t ndim_or_1(const Tensor& tensor) { return std::max<std::size_t>(tensor.ndim(), 1); }

// No dimension of the index may be larger, except the one that is indexed.
PyResult<void> check_sizes(OpCall& call, const Tensor& index, const Tensor& other, std::optional<std::size_t> except,
                           std::string_view what) {
  if (ndim_or_1(index) != ndim_or_1(other)) {
    return object::runtime_error(call.interpreter, "Index tensor must have the same number of dimensions as {} tensor",
                                 what);
  }
  for (std::size_t dim = 0; dim < index.ndim() && dim < other.ndim(); ++dim) {
    if (dim != except && index.shape()[dim] > other.shape()[dim]) {
      return object::runtime_error(call.interpreter,
                                   "Size does not match at dimension {} expected index [{}] to be no larger than {} "
                                   "[{}] apart from dimension {}",
                                   dim, fmt::join(index.shape().span(), ", "), what,
                                   fmt::join(other.shape().span(), ", "), except.value_or(0));
    }
  }
  return {};
}

// The gradient of what scatter() and scatter_add() take from.
Term source_gradient(Backward& b) {
  const Term part = apply(OpId::gather, {b.grad(), TermArgument(b.value(1)), b.arg(2)});
  return within(b, part, b.input(3).shape);
}

PyResult<void> gather_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& index = call.required(2);
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  NNS_TRY(check_index(call, index));
  NNS_TRY(check_sizes(call, index, self, dim, "input"));
  return call.give(index.shape(), self.dtype());
}
PyResult<void> run_gather(OpCall& call) {
  const Tensor& self = call.required(0);
  const std::size_t dim = call.dimension(call.integer(1), self.ndim()).value();
  const Tensor& out = call.output();
  return for_each_indexed(call, call.required(2), self, out, dim,
                          [&](std::int64_t there, std::int64_t here) { copy_item(out, here, self, there); });
}

}  // namespace

Term within(Backward& b, const Term& part, const Dims& shape) {
  if (!part.ok() || part.tensor().shape() == shape) return part;
  Term whole = part;
  for (std::size_t dim = 0; dim < shape.size() && whole.ok(); ++dim) {
    const Tensor& known = whole.tensor();
    if (known.shape()[dim] == shape[dim]) continue;
    Dims missing = known.shape();
    missing[dim] = shape[dim] - known.shape()[dim];
    Term zeros = zeros_like(whole, missing);
    if (!zeros.ok()) return zeros;
    whole = call_tensor_op(b.interpreter(), OpId::cat,
                           std::array{Value(b.interpreter().tuple({Value(whole.ref()), Value(zeros.ref())})),
                                      Value(static_cast<std::int64_t>(dim))});
  }
  return whole;
}

PyResult<std::size_t> check_slices(OpCall& call, std::string_view name) {
  Interpreter& in = call.interpreter;
  const Tensor &self = call.required(0), &index = call.required(2), &source = call.required(3);
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  const auto scalar = [](const Tensor& one) { return tensor::info(one.dtype()).scalar_name; };
  if (index.ndim() > 1) {
    return object::error<object::ErrorKind::IndexError>(
        in, "{}_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: [{}]", name, index.ndim(),
        scalar(index), fmt::join(index.shape().span(), ", "));
  }
  if (index.dtype() != DType::Int64 && index.dtype() != DType::Int32) {
    return object::runtime_error(in, "{}_(): Expected dtype int32/int64 for index but got: {}", name, scalar(index));
  }
  if (source.dtype() != self.dtype()) {
    return object::runtime_error(in, "{}_(): self ({}) and source ({}) must have the same scalar type", name,
                                 scalar(self), scalar(source));
  }
  if (dim != 0 && dim >= source.ndim()) {
    return object::runtime_error(in, "{}_(): Indexing dim {} is out of bounds of the source tensor with dim {}", name,
                                 dim, source.ndim());
  }
  if (const std::int64_t size = source.ndim() == 0 ? 1 : source.shape()[dim]; index.numel() != size) {
    return object::runtime_error(in,
                                 "{}_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}",
                                 name, index.numel(), size, dim);
  }
  const auto beside = [&](const Tensor& one) {
    std::vector<std::int64_t> sizes(one.shape().begin(), one.shape().end());
    if (self.ndim() != 0 && source.ndim() != 0) sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
    return sizes;
  };
  if (beside(self) != beside(source)) {
    return object::runtime_error(in,
                                 "source tensor shape must match self tensor shape, excluding the specified dimension. "
                                 "Got self.shape = [{}] source.shape = [{}]",
                                 fmt::join(self.shape().span(), ", "), fmt::join(source.shape().span(), ", "));
  }
  return dim;
}

PyResult<void> scatter_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& index = call.required(2);
  const Tensor& source = call.required(3);
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  NNS_TRY(check_index(call, index));
  if (source.dtype() != self.dtype()) {
    return object::runtime_error(call.interpreter, "{}(): Expected self.dtype to be equal to src.dtype", call.op.name);
  }
  if (index.numel() > 0) {
    NNS_TRY(check_sizes(call, index, self, dim, "self"));
    NNS_TRY(check_sizes(call, index, source, std::nullopt, "src"));
  }
  return call.give(self.shape(), self.dtype());
}
namespace {

template <bool adds>
PyResult<void> run_scatter(OpCall& call) {
  const Tensor& self = call.required(0);
  const std::size_t dim = call.dimension(call.integer(1), self.ndim()).value();
  Tensor& out = call.output();
  const Tensor& source = call.required(3);
  if (&out == &self) {
    // Nothing is written if one place is none.
    NNS_TRY(for_each_indexed(call, call.required(2), out, source, dim, [](std::int64_t, std::int64_t) {}));
  } else {
    NNS_TRY(tensor::copy_items(out, self));
  }
  return for_each_indexed(call, call.required(2), out, source, dim, [&](std::int64_t there, std::int64_t here) {
    if (adds)
      tensor::add_at(out, there, source, here);
    else
      copy_item(out, there, source, here);
  });
}

PyResult<void> index_select_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& index = call.required(2);
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  if (index.ndim() > 1) {
    return object::error<object::ErrorKind::IndexError>(call.interpreter,
                                                        "index_select(): Index is supposed to be a vector");
  }
  if (index.dtype() != DType::Int64 && index.dtype() != DType::Int32) {
    return object::runtime_error(call.interpreter, "index_select(): Expected dtype int32 or int64 for index");
  }
  Dims shape = self.shape();
  if (self.ndim() > 0) shape[dim] = index.numel();
  return call.give(shape, self.dtype());
}
PyResult<void> run_index_select(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& index = call.required(2);
  const Tensor& out = call.output();
  const std::size_t dim = call.dimension(call.integer(1), self.ndim()).value();
  const std::int64_t size = self.ndim() == 0 ? 1 : self.shape()[dim];
  if (size == 0 && index.numel() > 0) {
    return object::runtime_error(call.interpreter, "index_select(): self indexing axis dim should be positive");
  }
  std::vector<std::int64_t> named;
  tensor::for_each_place(index, [&](std::int64_t place) { named.push_back(tensor::read_int64(index, place)); });
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i] < 0 || named[i] >= size) {
      return object::error<object::ErrorKind::IndexError>(call.interpreter, "index out of range in self");
    }
    if (self.ndim() == 0) return tensor::copy_items(out, self);
    NNS_TRY(tensor::copy_items(*tensor::select(out, dim, static_cast<std::int64_t>(i)),
                               *tensor::select(self, dim, named[i])));
  }
  return {};
}
PyResult<void> index_add_shape(OpCall& call) {
  NNS_TRY(check_slices(call, "index_add"));
  return call.give(call.required(0).shape(), call.required(0).dtype());
}
PyResult<void> run_index_add(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& index = call.required(2);
  const Tensor& source = call.required(3);
  Tensor& out = call.output();
  const std::size_t dim = call.dimension(call.integer(1), self.ndim()).value();
  if (&out != &self) NNS_TRY(tensor::copy_items(out, self));
  std::vector<std::int64_t> named;
  tensor::for_each_place(index, [&](std::int64_t place) { named.push_back(tensor::read_int64(index, place)); });
  for (const std::int64_t one : named) {
    if (one < 0 || one >= (self.ndim() == 0 ? 1 : self.shape()[dim])) {
      return object::runtime_error(call.interpreter, "index out of range in self");
    }
  }
  GradModeGuard no_grad(call.interpreter, false);
  for (std::size_t i = 0; i < named.size(); ++i) {
    const Ref<Tensor> to = self.ndim() == 0 ? Ref<Tensor>(&out) : tensor::select(out, dim, named[i]);
    const Ref<Tensor> from =
        source.ndim() == 0 ? tensor::detach(source) : tensor::select(source, dim, static_cast<std::int64_t>(i));
    NNS_TRY_ASSIGN(const Ref<Tensor> sum,
                   call_in_place(call.interpreter, OpId::add, std::array{Value(to), Value(from), call.args[4]}));
  }
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::gather>() {
  return {.shape = gather_shape,
          .cpu = run_gather,
          .gradients = {Gradient{0, argument(2), [](Backward& b) {
                                   if (b.flag(3)) {
                                     return gather_sparse_gradient(b.grad(), b.integer(1), b.arg(2), b.input(0).shape);
                                   }
                                   return apply(OpId::scatter_add, {zeros_like(b.grad(), b.input(0).shape),
                                                                    TermArgument(b.value(1)), b.arg(2), b.grad()});
                                 }}}};
}
template <>
OpBodies bodies<OpId::scatter>() {
  return {.shape = scatter_shape,
          .cpu = run_scatter<false>,
          .gradients = {Gradient{0, argument(2),
                                 [](Backward& b) {
                                   const Term zeros = zeros_like(b.grad(), b.input(2).shape);
                                   return apply(OpId::scatter, {b.grad(), TermArgument(b.value(1)), b.arg(2), zeros});
                                 }},
                        Gradient{3, argument(2), source_gradient}}};
}
template <>
OpBodies bodies<OpId::scatter_add>() {
  return {
      .shape = scatter_shape,
      .cpu = run_scatter<true>,
      .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }}, Gradient{3, argument(2), source_gradient}}};
}
template <>
OpBodies bodies<OpId::index_select>() {
  return {.shape = index_select_shape,
          .cpu = run_index_select,
          .gradients = {Gradient{0, argument(2), [](Backward& b) {
                                   return apply(OpId::index_add, {zeros_like(b.grad(), b.input(0).shape),
                                                                  TermArgument(b.value(1)), b.arg(2), b.grad()});
                                 }}}};
}
template <>
OpBodies bodies<OpId::index_add>() {
  return {.shape = index_add_shape,
          .cpu = run_index_add,
          .gradients = {
              Gradient{0, 0, [](Backward& b) { return b.grad(); }},
              Gradient{3, argument(2), [](Backward& b) {
                         return apply(OpId::index_select, {b.grad(), TermArgument(b.value(1)), b.arg(2)}) * b.real(4);
                       }}}};
}

}  // namespace nns::ops
