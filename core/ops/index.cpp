#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "core/ops/index_places.h"
#include "core/ops/node.h"
#include "core/ops/promotion.h"
#include "core/ops/term.h"

// Items at places that tensors of integers name: x[i, :, j].
// Behaviour: aten/src/ATen/native/TensorAdvancedIndexing.cpp, aten/src/ATen/native/IndexingUtils.h.
namespace nns::ops {

PyResult<IndexedPlaces> indexed_places(OpCall& call) {
  const Tensor& self = call.required(0);
  const std::vector<Tensor*> indices = call.tensors(1);
  const Dims dims = call.dims(2);
  IndexedPlaces made;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k]->dtype() != DType::Int64 && indices[k]->dtype() != DType::Int32) {
      return object::error<object::ErrorKind::IndexError>(
          call.interpreter, "tensors used as indices must be long, int, byte or bool tensors");
    }
    PyResult<Dims> joined =
        k == 0 ? indices[k]->shape() : broadcast_shapes(call.interpreter, made.common, indices[k]->shape());
    if (!joined.ok()) {
      std::string shapes;
      for (const Tensor* one : indices) {
        shapes += fmt::format("{}[{}]", shapes.empty() ? "" : ", ", fmt::join(one->shape().span(), ", "));
      }
      return object::error<object::ErrorKind::IndexError>(
          call.interpreter, "shape mismatch: indexing tensors could not be broadcast together with shapes {}", shapes);
    }
    made.common = joined.value();
  }
  std::vector<std::int64_t> rest, shape;
  bool are_neighbours = true;
  for (std::size_t k = 1; k < dims.size(); ++k) are_neighbours = are_neighbours && dims[k] == dims[k - 1] + 1;
  made.position = are_neighbours && dims.size() > 0 ? static_cast<std::size_t>(dims[0]) : 0;
  for (std::size_t dim = 0; dim < self.ndim(); ++dim) {
    if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(dim)) == dims.end()) {
      rest.push_back(self.shape()[dim]);
    }
  }
  shape = rest;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(made.position), made.common.begin(), made.common.end());
  made.rest_shape = Dims(rest);
  made.shape = Dims(shape);
  // No item may be asked of an empty dimension.
  for (const std::int64_t dim : dims) {
    if (self.shape()[static_cast<std::size_t>(dim)] == 0 && tensor::element_count(made.common) != 0) {
      return object::error<object::ErrorKind::IndexError>(call.interpreter,
                                                          "index is out of bounds for dimension with size 0");
    }
  }
  return made;
}

namespace {

using Ints = std::vector<std::int64_t>;

// Calls use(place in `indexed`, place in `beside`) for all items; `beside` has the shape of the result.
template <class Use>
PyResult<void> for_each_item(OpCall& call, const IndexedPlaces& places, const Tensor& indexed, const Tensor& beside,
                             Use use) {
  const std::vector<Tensor*> indices = call.tensors(1);
  const Dims dims = call.dims(2);
  const std::int64_t count = tensor::element_count(places.common);
  Ints firsts(static_cast<std::size_t>(count), indexed.offset());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    Dims strides(places.common.size(), 0);
    const std::size_t extra = places.common.size() - indices[k]->ndim();
    for (std::size_t d = 0; d < indices[k]->ndim(); ++d) {
      if (indices[k]->shape()[d] != 1) strides[extra + d] = indices[k]->strides()[d];
    }
    const Ref<Tensor> spread = tensor::as_strided(*indices[k], places.common, strides, indices[k]->offset());
    const auto dim = static_cast<std::size_t>(dims[k]);
    const std::int64_t size = indexed.shape()[dim], stride = indexed.strides()[dim];
    std::size_t at = 0;
    std::optional<std::int64_t> wrong;
    tensor::for_each_place(*spread, [&](std::int64_t place) {
      std::int64_t named = tensor::read_int64(*spread, place);
      if ((named < -size || named >= size) && !wrong) wrong = named;
      if (named < 0) named += size;
      firsts[at++] += named * stride;
    });
    if (wrong) {
      return object::error<object::ErrorKind::IndexError>(
          call.interpreter, "index {} is out of bounds for dimension {} with size {}", *wrong, dim, size);
    }
  }
  // The items behind one place, and the places themselves, as `beside` has them.
  Ints rest_strides, beside_rest, beside_common;
  for (std::size_t dim = 0; dim < indexed.ndim(); ++dim) {
    if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(dim)) == dims.end()) {
      rest_strides.push_back(indexed.strides()[dim]);
    }
  }
  for (std::size_t d = 0; d < beside.ndim(); ++d) {
    const bool is_common = d >= places.position && d < places.position + places.common.size();
    (is_common ? beside_common : beside_rest).push_back(beside.strides()[d]);
  }
  Ints inner, beside_inner;
  const auto collect = [](const Tensor& tensor, const Dims& shape, const Ints& strides, Ints& to) {
    tensor::for_each_place(*tensor::as_strided(tensor, shape, Dims(strides), 0),
                           [&to](std::int64_t place) { to.push_back(place); });
  };
  collect(indexed, places.rest_shape, rest_strides, inner);
  collect(beside, places.rest_shape, beside_rest, beside_inner);
  std::size_t at = 0;
  tensor::for_each_place(*tensor::as_strided(beside, places.common, Dims(beside_common), beside.offset()),
                         [&](std::int64_t place) {
                           const std::int64_t first = firsts[at++];
                           for (std::size_t i = 0; i < inner.size(); ++i)
                             use(first + inner[i], place + beside_inner[i]);
                         });
  return {};
}

void copy_item(const Tensor& to, std::int64_t to_place, const Tensor& from, std::int64_t from_place) {
  const std::size_t bytes = tensor::item_bytes(to.dtype());
  std::memcpy(to.storage()->data() + static_cast<std::size_t>(to_place) * bytes,
              from.storage()->data() + static_cast<std::size_t>(from_place) * bytes, bytes);
}

PyResult<void> index_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const IndexedPlaces places, indexed_places(call));
  return call.give(places.shape, call.required(0).dtype());
}
PyResult<void> run_index(OpCall& call) {
  NNS_TRY_ASSIGN(const IndexedPlaces places, indexed_places(call));
  const Tensor& self = call.required(0);
  const Tensor& out = call.output();
  return for_each_item(call, places, self, out,
                       [&](std::int64_t there, std::int64_t here) { copy_item(out, here, self, there); });
}

PyResult<void> index_put_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& values = call.required(3);
  NNS_TRY_ASSIGN(const IndexedPlaces places, indexed_places(call));
  const PyResult<Dims> spread = broadcast_shapes(call.interpreter, values.shape(), places.shape);
  if (!spread.ok() || !(spread.value() == places.shape)) {
    return object::runtime_error(
        call.interpreter,
        "shape mismatch: value tensor of shape [{}] cannot be broadcast to indexing result of shape [{}]",
        fmt::join(values.shape().span(), ", "), fmt::join(places.shape.span(), ", "));
  }
  if (values.dtype() != self.dtype()) {
    return object::runtime_error(
        call.interpreter,
        "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
        tensor::info(self.dtype()).scalar_name, tensor::info(values.dtype()).scalar_name);
  }
  return call.give(self.shape(), self.dtype());
}
PyResult<void> run_index_put(OpCall& call) {
  NNS_TRY_ASSIGN(const IndexedPlaces places, indexed_places(call));
  const Tensor& values = call.required(3);
  Tensor& out = call.output();
  if (&out != &call.required(0)) NNS_TRY(tensor::copy_items(out, call.required(0)));
  Dims strides(places.shape.size(), 0);
  const std::size_t extra = places.shape.size() - values.ndim();
  for (std::size_t d = 0; d < values.ndim(); ++d) {
    if (values.shape()[d] != 1) strides[extra + d] = values.strides()[d];
  }
  const Ref<Tensor> source = tensor::as_strided(values, places.shape, strides, values.offset());
  const bool adds = call.flag(4);
  return for_each_item(call, places, out, *source, [&](std::int64_t there, std::int64_t here) {
    if (adds)
      tensor::add_at(out, there, *source, here);
    else
      copy_item(out, there, *source, here);
  });
}

// The indices of the recorded call as a tuple.
Value kept_indices(Backward& b) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < b.item_count(1); ++i) items.emplace_back(b.arg(1, i).ref());
  return Value(b.interpreter().tuple(std::move(items)));
}

PyResult<void> index_gradient(Backward& b) {
  if (!b.needs(0)) return {};
  return b.give(
      0, apply(OpId::index_put, {zeros_like(b.grad(), b.input(0).shape), kept_indices(b), b.value(2), b.grad(), true}));
}

PyResult<void> index_put_gradient(Backward& b) {
  const Value indices = kept_indices(b);
  if (b.needs(0)) {
    Term gradient = b.grad();
    if (!b.flag(4)) {
      gradient = apply(OpId::index_put, {b.grad(), indices, b.value(2), zeros_like(b.grad(), Dims()), false});
    }
    NNS_TRY(b.give(0, std::move(gradient)));
  }
  if (!b.needs(3)) return {};
  return b.give(3, apply(OpId::index, {b.grad(), indices, b.value(2)}));
}

std::int64_t nonzero_items(const Tensor& self) {
  std::int64_t count = 0;
  tensor::for_each_place(self, [&](std::int64_t place) {
    if (tensor::read_complex(self, place) != std::complex<double>()) ++count;
  });
  return count;
}

// How many dimensions, and how many items that are not zero, a tensor has.
PyResult<void> nonzero_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  if (self.is_meta()) {
    return object::error<object::ErrorKind::NotImplementedError>(
        call.interpreter,
        "aten::nonzero: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
        "registered for it: how many items there are depends on the values");
  }
  // What the GPU counts makes an output of its own.
  return call.give(Dims({self.is_cuda() ? 0 : nonzero_items(self), static_cast<std::int64_t>(self.ndim())}),
                   DType::Int64);
}
PyResult<void> run_nonzero(OpCall& call) {
  const Tensor& self = call.required(0);
  if (const std::int64_t count = nonzero_items(self); call.output().shape()[0] != count) {
    call.outputs.clear();
    NNS_TRY(call.give(Dims({count, static_cast<std::int64_t>(self.ndim())}), DType::Int64));
  }
  auto* out = reinterpret_cast<std::int64_t*>(call.output().data());
  Ints at(self.ndim(), 0);
  tensor::for_each_place(self, [&](std::int64_t place) {
    if (tensor::read_complex(self, place) != std::complex<double>()) out = std::copy(at.begin(), at.end(), out);
    for (std::size_t d = self.ndim(); d-- > 0;) {
      if (++at[d] < self.shape()[d]) break;
      at[d] = 0;
    }
  });
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::index>() {
  return {.shape = index_shape, .cpu = run_index, .joint = index_gradient, .joint_reads = argument(1)};
}
template <>
OpBodies bodies<OpId::index_put>() {
  return {.shape = index_put_shape,
          .cpu = run_index_put,
          .joint = index_put_gradient,
          .joint_reads = argument(1),
          .node_name = "IndexPutBackward0"};
}
template <>
OpBodies bodies<OpId::nonzero>() {
  return {.shape = nonzero_shape, .cpu = run_nonzero};
}

}  // namespace nns::ops
