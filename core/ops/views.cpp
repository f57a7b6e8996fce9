#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/ops/layouts.h"
#include "core/ops/node.h"
#include "core/ops/node_names.h"
#include "core/ops/op.h"
#include "core/ops/term.h"

// Ops that look at the bytes of their input in another way.
// Behaviour: aten/src/ATen/native/TensorShape.cpp, ATen/TensorUtils.cpp (computeStride).
namespace nns::ops {
namespace {

using Ints = std::vector<std::int64_t>;

Ints ints_of(const Dims& dims) { return {dims.begin(), dims.end()}; }

// One dimension of a new shape may be -1.
PyResult<Dims> inferred_shape(OpCall& call, Dims wanted, std::int64_t numel) {
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t dim = 0; dim < wanted.size(); ++dim) {
    if (wanted[dim] == -1) {
      if (open) return object::runtime_error(call.interpreter, "only one dimension can be inferred");
      open = dim;
    } else if (wanted[dim] < 0) {
      return object::runtime_error(call.interpreter, "invalid shape dimension {}", wanted[dim]);
    } else {
      known *= wanted[dim];
    }
  }
  if (open && known != 0 && numel % known == 0) {
    wanted[*open] = numel / known;
    return wanted;
  }
  if (open && known == 0 && numel == 0) {
    return object::runtime_error(call.interpreter,
                                 "cannot reshape tensor of 0 elements into shape [{}] because the unspecified "
                                 "dimension size -1 can be any value "
                                 "and is ambiguous",
                                 fmt::join(wanted.span(), ", "));
  }
  if (open || known != numel) {
    return object::runtime_error(call.interpreter, "shape '[{}]' is invalid for input of size {}",
                                 fmt::join(wanted.span(), ", "), numel);
  }
  return wanted;
}

// The strides that let `shape` look at the items of `tensor` in their order, if there are any.
std::optional<Dims> strides_for(const Tensor& tensor, const Dims& shape) {
  if (tensor.numel() == 0) return tensor::contiguous_strides(shape);
  Dims strides(shape.size(), 1);
  auto view_dim = static_cast<std::int64_t>(shape.size()) - 1;
  std::int64_t base_stride = tensor.ndim() == 0 ? 1 : tensor.strides()[tensor.ndim() - 1];
  std::int64_t items = 1;
  std::int64_t view_items = 1;
  for (std::size_t dim = tensor.ndim(); dim-- > 0;) {
    items *= tensor.shape()[dim];
    const bool ends_run =
        dim == 0 || (tensor.shape()[dim - 1] != 1 && tensor.strides()[dim - 1] != items * base_stride);
    if (!ends_run) continue;
    while (view_dim >= 0 && (view_items < items || shape[static_cast<std::size_t>(view_dim)] == 1)) {
      strides[static_cast<std::size_t>(view_dim)] = view_items * base_stride;
      view_items *= shape[static_cast<std::size_t>(view_dim)];
      --view_dim;
    }
    if (view_items != items) return std::nullopt;
    if (dim > 0) {
      base_stride = tensor.strides()[dim - 1];
      items = 1;
      view_items = 1;
    }
  }
  if (tensor.ndim() == 0) return tensor::contiguous_strides(shape);
  return view_dim == -1 ? std::optional(strides) : std::nullopt;
}

PyResult<void> view_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY_ASSIGN(const Dims shape, inferred_shape(call, call.dims(1), self.numel()));
  const std::optional<Dims> strides = strides_for(self, shape);
  if (!strides) {
    return object::runtime_error(
        call.interpreter,
        "view size is not compatible with input tensor's size and stride (at least one dimension "
        "spans across two contiguous subspaces). Use .reshape(...) instead.");
  }
  return call.give_view(self, shape, *strides, self.offset());
}

Term reshape_back(Backward& b) {
  return apply(OpId::reshape, {b.grad(), dims_value(b.interpreter(), b.input(0).shape)});
}

PyResult<void> transpose_shape(OpCall& call, std::int64_t a, std::int64_t b) {
  const Tensor& self = call.required(0);
  NNS_TRY_ASSIGN(const std::size_t first, call.dimension(a, self.ndim()));
  NNS_TRY_ASSIGN(const std::size_t second, call.dimension(b, self.ndim()));
  Dims shape = self.shape();
  Dims strides = self.strides();
  if (self.ndim() > 0) {
    std::swap(shape[first], shape[second]);
    std::swap(strides[first], strides[second]);
  }
  return call.give_view(self, shape, strides, self.offset());
}

PyResult<void> permute_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Dims order = call.dims(1);
  if (order.size() != self.ndim()) {
    return object::runtime_error(
        call.interpreter,
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
        "of the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
        self.ndim(), order.size());
  }
  Dims shape(self.ndim(), 0);
  Dims strides(self.ndim(), 0);
  std::vector<bool> seen(self.ndim(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(order[i], self.ndim()));
    if (seen[dim]) return object::runtime_error(call.interpreter, "permute(): duplicate dims are not allowed.");
    seen[dim] = true;
    shape[i] = self.shape()[dim];
    strides[i] = self.strides()[dim];
  }
  return call.give_view(self, shape, strides, self.offset());
}

PyResult<void> squeeze_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY_ASSIGN(const std::vector<bool> chosen, call.dimensions(call.args[1], self.ndim()));
  Ints shape;
  Ints strides;
  for (std::size_t dim = 0; dim < self.ndim(); ++dim) {
    if (chosen[dim] && self.shape()[dim] == 1) continue;
    shape.push_back(self.shape()[dim]);
    strides.push_back(self.strides()[dim]);
  }
  return call.give_view(self, Dims(shape), Dims(strides), self.offset());
}

PyResult<void> unsqueeze_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim() + 1));
  Ints shape = ints_of(self.shape());
  Ints strides = ints_of(self.strides());
  const std::int64_t stride = dim < self.ndim() ? shape[dim] * strides[dim] : 1;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(dim), stride);
  return call.give_view(self, Dims(shape), Dims(strides), self.offset());
}

PyResult<void> expand_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Dims wanted = call.dims(1);
  if (wanted.size() < self.ndim()) {
    return object::runtime_error(
        call.interpreter,
        "expand({}{{[{}]}}, size=[{}]): the number of sizes provided ({}) must be greater or equal "
        "to the number of dimensions in the tensor ({})",
        self.type_string(), fmt::join(self.shape().span(), ", "), fmt::join(wanted.span(), ", "), wanted.size(),
        self.ndim());
  }
  Dims shape(wanted.size(), 0);
  Dims strides(wanted.size(), 0);
  const std::size_t extra = wanted.size() - self.ndim();
  for (std::size_t i = wanted.size(); i-- > 0;) {
    const std::int64_t own = i < extra ? 1 : self.shape()[i - extra];
    if (wanted[i] == -1 && i < extra) {
      return object::runtime_error(
          call.interpreter,
          "expand({}{{[{}]}}, size=[{}]): the expanded size of the tensor ({}) isn't allowed in a "
          "leading, non-existing dimension {}",
          self.type_string(), fmt::join(self.shape().span(), ", "), fmt::join(wanted.span(), ", "), wanted[i], i);
    }
    shape[i] = wanted[i] == -1 ? own : wanted[i];
    if (own == shape[i]) {
      // A new dimension of one item lies as unsqueeze() would have it.
      const std::int64_t whole = i + 1 < wanted.size() ? shape[i + 1] * strides[i + 1] : 1;
      strides[i] = i < extra ? whole : self.strides()[i - extra];
    } else if (own != 1) {
      return object::runtime_error(
          call.interpreter,
          "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton "
          "dimension {}.  Target sizes: [{}].  Tensor sizes: [{}]",
          shape[i], own, i, fmt::join(wanted.span(), ", "), fmt::join(self.shape().span(), ", "));
    }
  }
  return call.give_view(self, shape, strides, self.offset());
}

PyResult<void> unfold_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  const std::int64_t size = call.integer(2);
  const std::int64_t step = call.integer(3);
  const std::int64_t extent = self.ndim() == 0 ? 1 : self.shape()[dim];
  if (size < 0) return object::runtime_error(call.interpreter, "size is {} but must be >= 0", size);
  if (size > extent) {
    return object::runtime_error(call.interpreter, "maximum size for tensor at dimension {} is {} but size is {}", dim,
                                 extent, size);
  }
  if (step <= 0) return object::runtime_error(call.interpreter, "step is {} but must be > 0", step);
  Ints shape = ints_of(self.shape());
  Ints strides = ints_of(self.strides());
  const std::int64_t stride = self.ndim() == 0 ? 1 : strides[dim];
  if (self.ndim() > 0) {
    shape[dim] = (extent - size) / step + 1;
    strides[dim] = stride * step;
  }
  shape.push_back(size);
  strides.push_back(stride);
  return call.give_view(self, Dims(shape), Dims(strides), self.offset());
}

PyResult<void> as_strided_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Dims shape = call.dims(1);
  const Dims strides = call.dims(2);
  if (shape.size() != strides.size()) {
    return object::runtime_error(call.interpreter, "mismatch in length of strides and shape");
  }
  const std::int64_t offset = call.is_none(3) ? self.offset() : call.integer(3);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0 && strides[i] >= 0) continue;
    return object::runtime_error(call.interpreter,
                                 "as_strided: Negative strides are not supported at the moment, got strides: [{}]",
                                 fmt::join(strides.span(), ", "));
  }
  NNS_TRY(tensor::check_in_bounds(call.interpreter, {self.storage(), shape, strides, offset, self.dtype()}));
  return call.give_view(self, shape, strides, offset);
}

}  // namespace

Ref<Tensor> zeros_laid_out(Interpreter& interpreter, const Dims& shape, const Dims& strides, DType dtype,
                           Device device) {
  std::int64_t extent = 1;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == 0) return tensor::zeros(interpreter, shape, dtype, device);
    extent += (shape[dim] - 1) * strides[dim];
  }
  const Ref<Tensor> flat = tensor::zeros(interpreter, Dims({extent}), dtype, device);
  return tensor::make_tensor(interpreter, {flat->storage(), shape, strides, 0, dtype});
}

Term laid_out(const Term& x, const Dims& shape, const Dims& strides) {
  if (!x.ok() || x.is_none()) return x;
  const Tensor& source = x.tensor();
  const Ref<Tensor> whole = zeros_laid_out(source.interpreter(), shape, strides, source.dtype(), source.device());
  return call_in_place(source.interpreter(), OpId::copy, std::array{Value(whole), Value(x.ref())});
}

Term as_strided_gradient(const Term& grad, const Dims& base_shape, const Dims& base_strides, const Value& size,
                         const Value& stride, std::int64_t offset) {
  if (!grad.ok() || grad.is_none()) return grad;
  Interpreter& in = grad.tensor().interpreter();
  const Term whole = apply(OpId::as_strided_backward, {grad, dims_value(in, base_shape), dims_value(in, base_strides),
                                                       TermArgument(size), TermArgument(stride), offset});
  // Where several items of the base are one in memory, each has its share. Behaviour: FunctionsManual.cpp,
  // as_strided_backward.
  std::int64_t shares = 1;
  for (std::size_t dim = 0; dim < base_shape.size(); ++dim) {
    if (base_strides[dim] == 0) shares *= std::max<std::int64_t>(base_shape[dim], 1);
  }
  return shares == 1 ? whole : whole / static_cast<double>(shares);
}

Term put_into(const Term& zeros, OpId part, std::span<const Value> args, const Term& value) {
  Interpreter& interpreter = zeros.tensor().interpreter();
  PyResult<Ref<Tensor>> place = call_tensor_op(interpreter, part, args);
  if (!place.ok()) return std::move(place).error();
  PyResult<Ref<Tensor>> written =
      call_in_place(interpreter, OpId::copy, std::array{Value(place.value()), Value(value.ref())});
  if (!written.ok()) return std::move(written).error();
  return zeros;
}

template <>
OpBodies bodies<OpId::alias>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const Tensor& self = call.required(0);
            return call.give_view(self, self.shape(), self.strides(), self.offset());
          },
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }}},
          .is_view = true};
}
template <>
OpBodies bodies<OpId::view>() {
  return {.shape = view_shape, .gradients = {Gradient{0, 0, reshape_back}}, .is_view = true};
}
template <>
OpBodies bodies<OpId::reshape>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const Tensor& self = call.required(0);
    NNS_TRY_ASSIGN(const Dims shape, inferred_shape(call, call.dims(1), self.numel()));
    const Value size = dims_value(call.interpreter, shape);
    if (strides_for(self, shape)) return call_op(call.interpreter, OpId::view, {call.args[0], size});
    const Value format = format_value(call.interpreter, MemoryFormat::Contiguous);
    NNS_TRY_ASSIGN(const Value copy, call_op(call.interpreter, OpId::clone, {call.args[0], format}));
    return as_no_view(call_op(call.interpreter, OpId::view, {copy, size}));
  }};
}
template <>
OpBodies bodies<OpId::flatten>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const Tensor& self = call.required(0);
    NNS_TRY_ASSIGN(const std::size_t first, call.dimension(call.integer(1), self.ndim()));
    NNS_TRY_ASSIGN(const std::size_t last, call.dimension(call.integer(2), self.ndim()));
    if (first > last)
      return object::runtime_error(call.interpreter, "flatten() has invalid args: start_dim cannot come after end_dim");
    if (self.ndim() == 0)
      return call_op(call.interpreter, OpId::reshape, {call.args[0], dims_value(call.interpreter, Dims({1}))});
    if (first == last) return call.args[0];
    Ints shape;
    for (std::size_t dim = 0; dim < self.ndim(); ++dim) {
      if (dim > first && dim <= last) {
        shape.back() *= self.shape()[dim];
      } else {
        shape.push_back(self.shape()[dim]);
      }
    }
    return call_op(call.interpreter, OpId::reshape, {call.args[0], dims_value(call.interpreter, Dims(shape))});
  }};
}
template <>
OpBodies bodies<OpId::unflatten>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const Tensor& self = call.required(0);
    NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
    if (self.ndim() == 0)
      return object::runtime_error(call.interpreter, "unflatten: a tensor without dimensions has none to unflatten");
    const Dims sizes = call.dims(2);
    if (sizes.size() == 0) return object::runtime_error(call.interpreter, "unflatten: sizes must be non-empty");
    const PyResult<Dims> parts = inferred_shape(call, sizes, self.shape()[dim]);
    if (!parts.ok()) {
      return object::runtime_error(
          call.interpreter,
          "unflatten: Provided sizes [{}] don't multiply up to the size of dim {} ({}) in the input tensor",
          fmt::join(sizes.span(), ", "), call.integer(1), self.shape()[dim]);
    }
    Ints shape(self.shape().begin(), self.shape().begin() + static_cast<std::ptrdiff_t>(dim));
    shape.insert(shape.end(), parts.value().begin(), parts.value().end());
    shape.insert(shape.end(), self.shape().begin() + static_cast<std::ptrdiff_t>(dim) + 1, self.shape().end());
    return call_op(call.interpreter, OpId::view, {call.args[0], dims_value(call.interpreter, Dims(shape))});
  }};
}
template <>
OpBodies bodies<OpId::transpose>() {
  return {.shape = [](OpCall& call) { return transpose_shape(call, call.integer(1), call.integer(2)); },
          .gradients = {Gradient{
              0, 0,
              [](Backward& b) {
                return apply(OpId::transpose, {b.grad(), TermArgument(b.value(1)), TermArgument(b.value(2))});
              }}},
          .is_view = true};
}
template <>
OpBodies bodies<OpId::t>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const std::size_t ndim = call.required(0).ndim();
            if (ndim > 2)
              return object::runtime_error(call.interpreter,
                                           "t() expects a tensor with <= 2 dimensions, but self is {}D", ndim);
            return transpose_shape(call, 0, ndim < 2 ? 0 : 1);
          },
          .gradients = {Gradient{0, 0, [](Backward& b) { return apply(OpId::t, {b.grad()}); }}},
          .is_view = true};
}
template <>
OpBodies bodies<OpId::permute>() {
  return {.shape = permute_shape,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   const Dims order = dims_of(b.value(1));
                                   Dims back(order.size(), 0);
                                   for (std::size_t i = 0; i < order.size(); ++i) {
                                     back[wrapped(order[i], order.size())] = static_cast<std::int64_t>(i);
                                   }
                                   return apply(OpId::permute, {b.grad(), dims_value(b.interpreter(), back)});
                                 }}},
          .is_view = true};
}
template <>
OpBodies bodies<OpId::squeeze>() {
  return {.shape = squeeze_shape, .gradients = {Gradient{0, 0, reshape_back}}, .is_view = true};
}
template <>
OpBodies bodies<OpId::unsqueeze>() {
  return {.shape = unsqueeze_shape, .gradients = {Gradient{0, 0, reshape_back}}, .is_view = true};
}
template <>
OpBodies bodies<OpId::expand>() {
  // The sum over what was spread is taken where the gradient is given.
  return {.shape = expand_shape, .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }}}, .is_view = true};
}
template <>
OpBodies bodies<OpId::unfold>() {
  return {.shape = unfold_shape,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   return apply(
                                       OpId::unfold_backward,
                                       {b.grad(), dims_value(b.interpreter(), b.input(0).shape),
                                        TermArgument(b.value(1)), TermArgument(b.value(2)), TermArgument(b.value(3))});
                                 }}},
          .is_view = true};
}
// Windows overlap: each item of the gradient is added where it came from.
template <>
OpBodies bodies<OpId::unfold_backward>() {
  return {.shape = [](OpCall& call) { return call.give(call.dims(1), call.required(0).dtype()); },
          .cpu = [](OpCall& call) -> PyResult<void> {
            tensor::fill_items(call.output(), 0);
            GradModeGuard no_grad(call.interpreter, false);
            NNS_TRY_ASSIGN(const Ref<Tensor> windows, call_tensor_op(call.interpreter, OpId::unfold,
                                                                     std::array{Value(call.outputs[0]), call.args[2],
                                                                                call.args[3], call.args[4]}));
            tensor::add_items(*windows, call.required(0));
            return {};
          },
          .gradients = {Gradient{0, 0, [](Backward& b) {
                                   return apply(OpId::unfold, {b.grad(), TermArgument(b.value(2)),
                                                               TermArgument(b.value(3)), TermArgument(b.value(4))});
                                 }}}};
}
template <>
OpBodies bodies<OpId::as_strided>() {
  return {.shape = as_strided_shape,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   const TensorShape& base = b.input(0);
                                   const std::int64_t offset = b.value(3).is_none() ? base.offset : b.integer(3);
                                   return as_strided_gradient(b.grad(), base.shape, base.strides, b.value(1),
                                                              b.value(2), offset - base.offset);
                                 }}},
          .is_view = true};
}
template <>
OpBodies bodies<OpId::as_strided_backward>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            call.give(
                zeros_laid_out(call.interpreter, call.dims(1), call.dims(2), call.required(0).dtype(), call.device()));
            return {};
          },
          .cpu = [](OpCall& call) -> PyResult<void> {
            const Ref<Tensor> part = tensor::as_strided(call.output(), call.dims(3), call.dims(4), call.integer(5));
            tensor::add_items(*part, call.required(0));
            return {};
          },
          .gradients = {Gradient{0, 0, [](Backward& b) -> Term {
                                   const Term whole = laid_out(b.grad(), dims_of(b.value(1)), dims_of(b.value(2)));
                                   return apply(OpId::as_strided, {whole, TermArgument(b.value(3)),
                                                                   TermArgument(b.value(4)), TermArgument(b.value(5))});
                                 }}}};
}
}  // namespace nns::ops
