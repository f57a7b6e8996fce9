#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/object/operations.h"
#include "core/ops/errors.h"
#include "core/ops/function_arguments.h"
#include "core/ops/memory_overlap.h"
#include "core/ops/node.h"
#include "core/ops/promotion.h"
#include "core/ops/python_function.h"
#include "core/ops/subscript.h"
#include "core/ops/term.h"
#include "core/tensor/order.h"

// Functions that choose items, made of index, gather, scatter and sort.
// Behaviour: aten/src/ATen/native/TensorAdvancedIndexing.cpp, aten/src/ATen/native/Repeat.cpp,
// aten/src/ATen/native/TensorCompare.cpp, torch/functional.py.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using Ints = std::vector<std::int64_t>;

// The places of the true items, one tensor a dimension.
PyResult<std::vector<Value>> places_of_mask(Interpreter& in, const Value& mask) {
  const GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const Value places, call_op(in, OpId::nonzero, {mask}));
  NNS_TRY_ASSIGN(const Value columns, call_op(in, OpId::unbind, {places, Value(1)}));
  const auto items = columns.as<object::Tuple>()->items();
  return std::vector<Value>(items.begin(), items.end());
}

Value all_dims(Interpreter& in, std::size_t count) {
  Ints dims(count);
  std::iota(dims.begin(), dims.end(), 0);
  return dims_value(in, Dims(dims));
}

PyResult<Value> masked_select(Interpreter& in, Args a) {
  if (a[1].as<Tensor>()->dtype() != DType::Bool) {
    return object::runtime_error(in, "masked_select: expected BoolTensor for mask");
  }
  NNS_TRY_ASSIGN(const Dims shape, broadcast_shapes(in, self_of(a).shape(), a[1].as<Tensor>()->shape()));
  NNS_TRY_ASSIGN(const Value self, call_op(in, OpId::expand, {a[0], dims_value(in, shape)}));
  NNS_TRY_ASSIGN(const Value mask, call_op(in, OpId::expand, {a[1], dims_value(in, shape)}));
  if (shape.size() == 0) {
    NNS_TRY_ASSIGN(const Value flat, call_op(in, OpId::unsqueeze, {self, Value(0)}));
    NNS_TRY_ASSIGN(const Value flat_mask, call_op(in, OpId::unsqueeze, {mask, Value(0)}));
    return masked_select(in, std::array{flat, flat_mask});
  }
  NNS_TRY_ASSIGN(std::vector<Value> places, places_of_mask(in, mask));
  return call_op(in, OpId::index, {self, Value(in.tuple(std::move(places))), all_dims(in, shape.size())});
}

PyResult<Value> nonzero(Interpreter& in, const Value& self, bool as_tuple) {
  if (!as_tuple) return call_op(in, OpId::nonzero, {self});
  if (self.as<Tensor>()->ndim() == 0) {
    NNS_TRY_ASSIGN(const Value flat, call_op(in, OpId::unsqueeze, {self, Value(0)}));
    return nonzero(in, flat, true);
  }
  NNS_TRY_ASSIGN(std::vector<Value> places, places_of_mask(in, self));
  return Value(in.tuple(std::move(places)));
}

PyResult<Value> take(Interpreter& in, Args a) {
  if (a[1].as<Tensor>()->dtype() != DType::Int64) {
    return object::runtime_error(in, "take(): Expected a long tensor for index, but got {}",
                                 tensor::info(a[1].as<Tensor>()->dtype()).scalar_name);
  }
  if (self_of(a).numel() == 0 && a[1].as<Tensor>()->numel() != 0) {
    return object::error<object::ErrorKind::IndexError>(in, "take(): tried to take from an empty tensor");
  }
  NNS_TRY_ASSIGN(const Value flat, call_op(in, OpId::reshape, {a[0], dims_value(in, Dims({-1}))}));
  return call_op(in, OpId::index, {flat, Value(in.tuple({a[1]})), dims_value(in, Dims({0}))});
}

PyResult<Value> take_along_dim(Interpreter& in, Args a) {
  const Tensor& indices = *a[1].as<Tensor>();
  if (indices.dtype() != DType::Int64) {
    return object::runtime_error(in, "torch.take_along_dim(): dtype of indices should be Long but got {}",
                                 tensor::info(indices.dtype()).scalar_name);
  }
  if (a[2].is_none()) {
    NNS_TRY_ASSIGN(const Value flat, call_op(in, OpId::reshape, {a[0], dims_value(in, Dims({-1}))}));
    NNS_TRY_ASSIGN(const Value places, call_op(in, OpId::reshape, {a[1], dims_value(in, Dims({-1}))}));
    return call_op(in, OpId::gather, {flat, Value(0), places});
  }
  if (indices.ndim() != self_of(a).ndim()) {
    return object::runtime_error(
        in,
        "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions "
        "for input, and {} dimensions for indices",
        self_of(a).ndim(), indices.ndim());
  }
  NNS_TRY_ASSIGN(const std::int64_t dim, dimension(in, a[2].as_int(), self_of(a).ndim()));
  const auto at = static_cast<std::size_t>(dim);
  // All sizes but that of the dimension broadcast.
  Dims own = self_of(a).shape(), named = indices.shape();
  own[at] = named[at] = 1;
  NNS_TRY_ASSIGN(Dims shape, broadcast_shapes(in, own, named));
  shape[at] = self_of(a).shape()[at];
  NNS_TRY_ASSIGN(const Value self, call_op(in, OpId::expand, {a[0], dims_value(in, shape)}));
  shape[at] = indices.shape()[at];
  NNS_TRY_ASSIGN(const Value places, call_op(in, OpId::expand, {a[1], dims_value(in, shape)}));
  return call_op(in, OpId::gather, {self, Value(dim), places});
}

PyResult<Value> argsort(Interpreter& in, const Value& self, const Value& dim, const Value& descending) {
  const GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const Value sorted, call_op(in, OpId::sort, {self, dim, descending}));
  return (*sorted.as<object::Tuple>())[1];
}

// Writes `source` along one dimension at the places of a vector.
PyResult<Value> put_along(Interpreter& in, Args a, const Value& source, bool in_place) {
  Tensor& self = self_of(a);
  if (self.ndim() == 0) {
    // One number is written to as a vector of one.
    NNS_TRY_ASSIGN(const Value line, call_op(in, OpId::unsqueeze, {a[0], Value(0)}));
    NNS_TRY_ASSIGN(const Value made, put_along(in, std::array{line, a[1], a[2]}, source, in_place));
    return in_place ? PyResult<Value>(a[0]) : call_op(in, OpId::squeeze, {made, Value(0)});
  }
  NNS_TRY_ASSIGN(const std::int64_t dim, dimension(in, a[1].as_int(), self.ndim()));
  Value places = a[2];
  if (places.as<Tensor>()->ndim() == 0) {
    NNS_TRY_ASSIGN(places, call_op(in, OpId::unsqueeze, {a[2], Value(0)}));
  }
  const Value indices(in.tuple({places}));
  const std::array args = {a[0], indices, dims_value(in, Dims({dim})), source, Value(false)};
  if (!in_place) return call_op(in, OpId::index_put, args);
  NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(in, OpId::index_put, args));
  return Value(std::move(target));
}

PyResult<Value> index_fill(Interpreter& in, Args a, bool in_place);

// index_fill_ of a tensor some of whose dimensions are one place: as if these had one item.
PyResult<Value> fill_once(Interpreter& in, Args a, const Tensor& self, std::size_t dim) {
  Dims shape = self.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (self.strides()[i] == 0) shape[i] = std::min<std::int64_t>(shape[i], 1);
  }
  const Ref<Tensor> places = tensor::as_strided(self, shape, self.strides(), self.offset());
  Value index = a[2];
  if (self.strides()[dim] == 0 && index.as<Tensor>()->numel() > 0) {
    NNS_TRY_ASSIGN(Ref<Tensor> first, full_of(in, Dims({1}), Value(0), DType::Int64, self.device()));
    index = Value(std::move(first));
  }
  const std::array args = {Value(places), a[1], index, a[3]};
  NNS_TRY(index_fill(in, args, true));
  return a[0];
}

PyResult<Value> index_fill(Interpreter& in, Args a, bool in_place) {
  Tensor& self = self_of(a);
  const Tensor& index = *a[2].as<Tensor>();
  Value source = a[3];
  if (const Tensor* const given = source.as<Tensor>(); given != nullptr && given->ndim() != 0) {
    return object::runtime_error(
        in, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
        given->ndim());
  }
  if (index.dtype() != DType::Int64) {
    return object::error<object::ErrorKind::IndexError>(in, "index_fill_(): Expected dtype int64 for index.");
  }
  if (in_place && has_places_twice(self)) {
    in.warn(object::ErrorKind::UserWarning,
            "Use of index_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar");
    NNS_TRY_ASSIGN(const std::int64_t dim, dimension(in, a[1].as_int(), self.ndim()));
    return fill_once(in, a, self, static_cast<std::size_t>(dim));
  }
  if (source.as<Tensor>() == nullptr) {
    if (Number::of(source).is_complex() && !tensor::is_complex(self.dtype())) {
      return object::runtime_error(in, "index_fill_(): Converting complex Scalar to non-complex type is not supported");
    }
    NNS_TRY_ASSIGN(Ref<Tensor> made, full_of(in, Dims(), source, self.dtype(), self.device()));
    source = Value(std::move(made));
  }
  NNS_TRY(dimension(in, a[1].as_int(), self.ndim()));
  if (index.ndim() > 1) return object::runtime_error(in, "Index has to be a vector/scalar");
  return put_along(in, a, source, in_place);
}

// Behaviour: TensorAdvancedIndexing.cpp, the checks of index_copy in their order.
PyResult<Value> index_copy(Interpreter& in, Args a, bool in_place) {
  using Kind = object::ErrorKind;
  const Tensor &self = self_of(a), &index = *a[2].as<Tensor>(), &source = *a[3].as<Tensor>();
  NNS_TRY_ASSIGN(const std::int64_t wrapped, dimension(in, a[1].as_int(), self.ndim()));
  const auto dim = static_cast<std::size_t>(wrapped);
  const auto scalar = [](const Tensor& one) { return tensor::info(one.dtype()).scalar_name; };
  if (in_place) NNS_TRY(check_disjoint(in, self, a.subspan(2, 2)));
  if (index.ndim() > 1) {
    return object::error<Kind::IndexError>(in, "index_copy_(): Index should have dimension 1 or 0 (got {})",
                                           index.ndim());
  }
  if (source.ndim() == 0 && index.numel() != 1) {
    return object::error<Kind::IndexError>(
        in, "index_copy_(): When source is scalar, index should have one element (got {})", index.numel());
  }
  if (source.ndim() != self.ndim() && source.ndim() != 0 && self.ndim() != 0) {
    return object::error<Kind::IndexError>(
        in,
        "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
        "dimensionality ({}), destination dimensionality ({})",
        source.ndim(), self.ndim());
  }
  if (index.dtype() != DType::Int64) {
    return object::runtime_error(in, "index_copy_(): Expected a long tensor for index, but got {}", scalar(index));
  }
  if (self.dtype() != source.dtype()) {
    return object::runtime_error(
        in, "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
        scalar(self), scalar(source));
  }
  const auto beside = [dim](const Tensor& one) {
    Ints sizes(one.shape().begin(), one.shape().end());
    if (!sizes.empty()) sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
    return sizes;
  };
  if (const Ints own = beside(self), given = beside(source); own != given) {
    return object::runtime_error(in,
                                 "index_copy_(): Source/destination tensor must have same slice shapes. Destination "
                                 "slice shape: [{}] at dimension {} and source slice shape: [{}] at dimension 0.",
                                 fmt::join(own, ", "), dim, fmt::join(given, ", "));
  }
  if (source.ndim() != 0 && index.numel() != source.shape()[dim]) {
    return object::error<Kind::IndexError>(
        in, "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})", index.numel(),
        source.shape()[dim]);
  }
  return put_along(in, a, a[3], in_place);
}

// x.index_put(indices, values): indices by dimension from the first; None takes all of one, a mask those of several.
PyResult<Value> put_at(Interpreter& in, Args a, bool in_place) {
  std::vector<Value> given;
  if (const auto* tuple = a[1].as<object::Tuple>()) given.assign(tuple->items().begin(), tuple->items().end());
  if (const auto* list = a[1].as<object::List>()) given = list->items();
  std::vector<Value> indices;
  Ints dims;
  std::int64_t dim = 0;
  for (const Value& one : given) {
    const Tensor* const index = one.as<Tensor>();
    if (index == nullptr) {
      ++dim;
      continue;
    }
    std::vector<Value> places = {one};
    if (index->dtype() == DType::Bool || index->dtype() == DType::UInt8) {
      if (index->dtype() == DType::UInt8) warn_of_byte_mask(in);
      NNS_TRY_ASSIGN(places, places_of_mask(in, one));
    }
    for (Value& place : places) {
      indices.push_back(std::move(place));
      dims.push_back(dim++);
    }
  }
  if (dim > static_cast<std::int64_t>(self_of(a).ndim())) {
    return object::error<object::ErrorKind::IndexError>(in, "too many indices for tensor of dimension {} (got {})",
                                                        self_of(a).ndim(), dim);
  }
  const std::array args = {a[0], Value(in.tuple(std::move(indices))), dims_value(in, Dims(dims)), a[2], a[3]};
  if (!in_place) return call_op(in, OpId::index_put, args);
  NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(in, OpId::index_put, args));
  return Value(std::move(target));
}

PyResult<Value> masked_scatter(Interpreter& in, Args a, bool in_place) {
  const Tensor &marked = *a[1].as<Tensor>(), &given = *a[2].as<Tensor>();
  if (in_place) NNS_TRY(check_disjoint(in, self_of(a), a.subspan(1, 2)));
  if (self_of(a).dtype() != given.dtype()) {
    return object::runtime_error(in, "masked_scatter: expected self and source to have same dtypes but got{} and {}",
                                 tensor::info(self_of(a).dtype()).scalar_name, tensor::info(given.dtype()).scalar_name);
  }
  if (marked.dtype() != DType::Bool) {
    return object::runtime_error(in, "masked_scatter_ only supports boolean masks, but got mask with dtype {}",
                                 cpp_type_name(marked.dtype()));
  }
  // A result of its own has the shape that the mask and the items have together.
  NNS_TRY_ASSIGN(const Dims shape, broadcast_shapes(in, self_of(a).shape(), a[1].as<Tensor>()->shape()));
  if (!in_place && !(shape == self_of(a).shape())) {
    NNS_TRY_ASSIGN(const Value wide, call_op(in, OpId::expand, {a[0], dims_value(in, shape)}));
    return masked_scatter(in, std::array{wide, a[1], a[2]}, false);
  }
  NNS_TRY_ASSIGN(const Value mask, call_op(in, OpId::expand, {a[1], dims_value(in, self_of(a).shape())}));
  NNS_TRY_ASSIGN(std::vector<Value> places, places_of_mask(in, mask));
  const std::int64_t count = places.empty() ? 0 : places[0].as<Tensor>()->numel();
  NNS_TRY_ASSIGN(const Value flat, call_op(in, OpId::reshape, {a[2], dims_value(in, Dims({-1}))}));
  if (flat.as<Tensor>()->numel() < count) {
    return object::runtime_error(in, "Number of elements of source < number of ones in mask");
  }
  NNS_TRY_ASSIGN(const Value source, call_op(in, OpId::narrow, {flat, Value(0), Value(0), Value(count)}));
  const std::array args = {a[0], Value(in.tuple(std::move(places))), all_dims(in, self_of(a).ndim()), source,
                           Value(false)};
  if (!in_place) return call_op(in, OpId::index_put, args);
  NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(in, OpId::index_put, args));
  return Value(std::move(target));
}

// x.repeat_interleave(repeats, dim): each item as often as it says.
PyResult<Value> repeat_interleave(Interpreter& in, const Value& given, const Value& repeats, const Value& given_dim) {
  Value self = given;
  std::int64_t dim = 0;
  if (given_dim.is_none()) {
    NNS_TRY_ASSIGN(self, call_op(in, OpId::reshape, {given, dims_value(in, Dims({-1}))}));
  } else {
    NNS_TRY_ASSIGN(dim, dimension(in, given_dim.as_int(), given.as<Tensor>()->ndim()));
  }
  const std::int64_t size = self.as<Tensor>()->shape()[static_cast<std::size_t>(dim)];
  Ints counts;
  if (const Tensor* many = repeats.as<Tensor>()) {
    if (many->is_meta()) return object::runtime_error(in, "repeat_interleave needs the values of repeats");
    tensor::for_each_place(*many, [&](std::int64_t place) { counts.push_back(tensor::read_int64(*many, place)); });
  } else {
    counts.push_back(repeats.as_int());
  }
  if (counts.size() == 1) {
    const std::int64_t each = counts[0];
    counts.assign(static_cast<std::size_t>(size), each);
  }
  if (static_cast<std::int64_t>(counts.size()) != size) {
    return object::runtime_error(
        in, "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({}) = {}",
        counts.size(), dim, size);
  }
  std::vector<double> places;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) return object::runtime_error(in, "repeats can not be negative");
    places.insert(places.end(), static_cast<std::size_t>(counts[i]), static_cast<double>(i));
  }
  const Ref<Tensor> index =
      tensor::from_values(in, Dims({static_cast<std::int64_t>(places.size())}), places, DType::Int64);
  NNS_TRY_ASSIGN(Ref<Tensor> there, tensor::to(*index, DType::Int64, self.as<Tensor>()->device()));
  return call_op(in, OpId::index_select, {self, Value(dim), Value(std::move(there))});
}

// |a - b| <= atol + rtol * |b|, item by item; equal infinities are close.
PyResult<Value> is_close(Interpreter& in, Args a) {
  const GradModeGuard no_grad(in, false);
  const double relative = Number::of(a[2]).as_double(), absolute = Number::of(a[3]).as_double();
  const Term x(Ref<Tensor>(a[0].as<Tensor>())), y(Ref<Tensor>(a[1].as<Tensor>()));
  if (x.tensor().dtype() != y.tensor().dtype()) {
    return object::runtime_error(in, "{} did not match {}", tensor::info(x.tensor().dtype()).scalar_name,
                                 tensor::info(y.tensor().dtype()).scalar_name);
  }
  if (!(relative >= 0)) {
    return object::runtime_error(in, "rtol must be greater than or equal to zero, but got {}", relative);
  }
  if (!(absolute >= 0)) {
    return object::runtime_error(in, "atol must be greater than or equal to zero, but got {}", absolute);
  }
  Term close = eq(x, y);
  if (a[4].as_bool()) {
    close = apply(OpId::logical_or, {close, logical_and(apply(OpId::isnan, {x}), apply(OpId::isnan, {y}))});
  }
  if (tensor::is_integral(x.tensor().dtype()) && relative == 0 && absolute == 0) return value_of(close);
  // Integers are compared as numbers of the default dtype.
  const DType wide = tensor::TensorLibrary::of(in).default_dtype;
  const Term left = x.tensor().dtype() == DType::Bool ? as_dtype(x, wide) : x;
  const Term right = tensor::is_integral(y.tensor().dtype()) ? as_dtype(y, wide) : y;
  const Term distance = apply(OpId::abs, {left - right});
  const Term allowed = apply(OpId::abs, {right}) * relative + absolute;
  const Term near = logical_and(le(distance, allowed), apply(OpId::isfinite, {distance}));
  return value_of(apply(OpId::logical_or, {close, near}));
}

PyResult<Value> all_close(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value items, is_close(in, a));
  NNS_TRY_ASSIGN(const Value all, call_op(in, OpId::all, {items}));
  if (all.as<Tensor>()->is_meta()) return no_item_of_meta(in);
  return tensor::read_value(*all.as<Tensor>(), all.as<Tensor>()->offset());
}

PyResult<Value> difference(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t dim, dimension(in, a[2].as_int(), self_of(a).ndim()));
  if (self_of(a).ndim() == 0) return object::runtime_error(in, "diff expects input to be at least one-dimensional");
  if (a[1].as_int() < 0) {
    return object::runtime_error(in, "order must be non-negative but got {}", a[1].as_int());
  }
  for (const Value& part : {a[3], a[4]}) {
    const Tensor* const beside = part.as<Tensor>();
    if (beside == nullptr) continue;
    const Dims &own = self_of(a).shape(), &given = beside->shape();
    if (given.size() != own.size()) {
      return object::runtime_error(in, "diff expects prepend or append to be the same dimension as input");
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (given[i] == own[i] || i == static_cast<std::size_t>(dim)) continue;
      return object::runtime_error(
          in,
          "diff expects the shape of tensor to prepend or append to match that of input except "
          "along the differencing dimension; input.size({}) = {}, but got tensor.size({}) = {}",
          i, own[i], i, given[i]);
    }
  }
  // prepend and append stand before and behind the items.
  std::vector<Value> parts;
  for (const Value& part : {a[3], a[0], a[4]}) {
    if (!part.is_none()) parts.push_back(part);
  }
  Value made = a[0];
  if (parts.size() > 1 && a[1].as_int() > 0) {
    NNS_TRY_ASSIGN(made, call_op(in, OpId::cat, {Value(in.tuple(std::move(parts))), Value(dim)}));
  }
  for (std::int64_t i = 0; i < a[1].as_int(); ++i) {
    const std::int64_t size = made.as<Tensor>()->shape()[static_cast<std::size_t>(dim)];
    const Value count(std::max<std::int64_t>(size - 1, 0));
    const Value skipped(std::min<std::int64_t>(size, 1));
    NNS_TRY_ASSIGN(const Value behind, call_op(in, OpId::narrow, {made, Value(dim), skipped, count}));
    NNS_TRY_ASSIGN(const Value before, call_op(in, OpId::narrow, {made, Value(dim), Value(0), count}));
    const bool is_bool = made.as<Tensor>()->dtype() == DType::Bool;
    NNS_TRY_ASSIGN(made, call_op(in, is_bool ? OpId::logical_xor : OpId::sub, {behind, before}));
  }
  return made;
}

PyResult<Value> scatter_value(Interpreter& in, Args a, bool in_place) {
  NNS_TRY_ASSIGN(const Ref<Tensor> made,
                 full_of(in, a[2].as<Tensor>()->shape(), a[3], self_of(a).dtype(), self_of(a).device()));
  const Value source(made);
  const std::array args = {a[0], a[1], a[2], source};
  if (!in_place) return call_op(in, OpId::scatter, args);
  NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(in, OpId::scatter, args));
  return Value(std::move(target));
}

// x.scatter(dim, index, source, reduce="add"): as scatter_reduce, under older names.
PyResult<Value> scatter_reduced(Interpreter& in, Args a, bool in_place) {
  const std::string_view name = a[4].as<object::Str>()->view();
  if (name != "add" && name != "multiply") {
    return object::runtime_error(in, "reduce argument must be either add or multiply.");
  }
  Value source = a[3];
  if (source.as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(const Ref<Tensor> made,
                   full_of(in, a[2].as<Tensor>()->shape(), a[3], self_of(a).dtype(), self_of(a).device()));
    source = Value(made);
  }
  const std::array args = {a[0], a[1], a[2], source, Value(in.text(name == "add" ? "sum" : "prod")), Value(true)};
  if (!in_place) return call_op(in, OpId::scatter_reduce, args);
  NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(in, OpId::scatter_reduce, args));
  return Value(std::move(target));
}

}  // namespace

void add_selection_functions(Interpreter& interpreter) {
  const auto both = [&interpreter](std::string_view signature, const OverloadBody& body) {
    add_method(interpreter, signature, body);
    add_function(interpreter, "torch", signature, body);
  };
  // The same written in place, as a method.
  const auto with_in_place = [&](std::string_view name, std::string_view parameters, auto body) {
    both(fmt::format("{}({})", name, parameters), [body](Interpreter& in, Args a) { return body(in, a, false); });
    add_method(interpreter, fmt::format("{}_({})", name, parameters),
               [body](Interpreter& in, Args a) { return body(in, a, true); });
  };
  // Behaviour: aten/src/ATen/MemoryOverlap.cpp, has_internal_overlap: no, yes, too hard to tell.
  add_function(interpreter, "torch", "_debug_has_internal_overlap(Tensor input)",
               [](Interpreter&, Args a) -> PyResult<Value> {
                 const Tensor& self = self_of(a);
                 if (tensor::is_non_overlapping_and_dense(self)) return Value(0);
                 return Value(has_places_twice(self) ? 1 : 2);
               });
  both("masked_select(Tensor input, Tensor mask)", masked_select);
  both("nonzero(Tensor input, *, bool as_tuple=False)",
       [](Interpreter& in, Args a) { return nonzero(in, a[0], a[1].as_bool()); });
  both("argwhere(Tensor input)", [](Interpreter& in, Args a) { return nonzero(in, a[0], false); });
  add_function(interpreter, "torch", "where(Tensor condition)",
               [](Interpreter& in, Args a) { return nonzero(in, a[0], true); });
  both("take(Tensor input, Tensor index)", take);
  both("take_along_dim(Tensor input, Tensor indices, int? dim=None)", take_along_dim);
  both("argsort(Tensor input, int dim=-1, bool descending=False)",
       [](Interpreter& in, Args a) { return argsort(in, a[0], a[1], a[2]); });
  both("argsort(Tensor input, *, bool stable, int dim=-1, bool descending=False)",
       [](Interpreter& in, Args a) { return argsort(in, a[0], a[2], a[3]); });
  both("sort(Tensor input, *, bool? stable, int dim=-1, bool descending=False)", [](Interpreter& in, Args a) {
    return call_op(in, OpId::sort, {a[0], a[2], a[3]});
  });
  both("msort(Tensor input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value sorted, call_op(in, OpId::sort, {a[0], Value(0)}));
    return (*sorted.as<object::Tuple>())[0];
  });
  with_in_place("index_fill", "Tensor input, int dim, Tensor index, Tensor value", index_fill);
  with_in_place("index_fill", "Tensor input, int dim, Tensor index, Number value", index_fill);
  // The source has the dimension in its place; the result of the index has it there, too.
  with_in_place("index_copy", "Tensor input, int dim, Tensor index, Tensor source", index_copy);
  with_in_place("index_put", "Tensor input, any indices, Tensor values, bool accumulate=False", put_at);
  with_in_place("masked_scatter", "Tensor input, Tensor mask, Tensor source", masked_scatter);
  with_in_place("scatter", "Tensor input, int dim, Tensor index, Number value", scatter_value);
  with_in_place("scatter", "Tensor input, int dim, Tensor index, Tensor src, *, str reduce", scatter_reduced);
  with_in_place("scatter", "Tensor input, int dim, Tensor index, Number value, *, str reduce", scatter_reduced);
  both("repeat_interleave(Tensor input, Tensor repeats, int? dim=None, *, int? output_size=None)",
       [](Interpreter& in, Args a) { return repeat_interleave(in, a[0], a[1], a[2]); });
  both("repeat_interleave(Tensor input, int repeats, int? dim=None, *, int? output_size=None)",
       [](Interpreter& in, Args a) { return repeat_interleave(in, a[0], a[1], a[2]); });
  // How often each place comes.
  add_function(interpreter, "torch", "repeat_interleave(Tensor repeats, *, int? output_size=None)",
               [](Interpreter& in, Args a) -> PyResult<Value> {
                 const Tensor& repeats = *a[0].as<Tensor>();
                 std::vector<double> places(repeats.ndim() == 1 ? static_cast<std::size_t>(repeats.numel()) : 0);
                 if (repeats.ndim() != 1 || !tensor::is_integral(repeats.dtype())) {
                   return object::runtime_error(in, "repeat_interleave only accept 1D vector as repeat");
                 }
                 std::iota(places.begin(), places.end(), 0.0);
                 const Dims shape({static_cast<std::int64_t>(places.size())});
                 NNS_TRY_ASSIGN(Ref<Tensor> counted, tensor::to(*tensor::from_values(in, shape, places, DType::Int64),
                                                                DType::Int64, repeats.device()));
                 return repeat_interleave(in, Value(std::move(counted)), a[0], Value(std::int64_t{0}));
               });
  both("isclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False)", is_close);
  both("allclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False)", all_close);
  both("equal(Tensor input, Tensor other)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<Tensor>()->is_meta() || a[1].as<Tensor>()->is_meta()) return no_meta_kernel(in, "equal");
    Tensor &x = *a[0].as<Tensor>(), &y = *a[1].as<Tensor>();
    if (x.dtype() == y.dtype() || !(x.shape() == y.shape())) return Value(tensor::equal(x, y));
    // Of two dtypes: as numbers of the one that both are promoted to.
    NNS_TRY_ASSIGN(const DType both_dtype, promote_types(in, x.dtype(), y.dtype()));
    NNS_TRY_ASSIGN(const Ref<Tensor> left, tensor::to(x, both_dtype, x.device()));
    NNS_TRY_ASSIGN(const Ref<Tensor> right, tensor::to(y, both_dtype, y.device()));
    return Value(tensor::equal(*left, *right));
  });
  both("diff(Tensor input, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None)", difference);
}

}  // namespace nns::ops
