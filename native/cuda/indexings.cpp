#include <algorithm>

#include "core/object/str.h"
#include "core/ops/index_places.h"
#include "core/ops/indexing_work.h"
#include "core/ops/place_work.h"
#include "core/ops/pooling_work.h"
#include "native/cuda/sortings.h"

// Items at places that tensors of integers name: arguments of the kernels from those of the call. The rules are those
// of core/ops/gather_scatter.cpp and index.cpp.
namespace nns::cuda {
namespace {

using ops::IndexWork;
using tensor::Dims;

// A tensor without dimensions as one with one.
Ref<Tensor> with_a_dim(const Tensor& tensor) {
  if (tensor.ndim() > 0) return tensor::detach(tensor);
  return tensor::as_strided(tensor, {1}, {1}, tensor.offset());
}

IndexWork work_of(Ops& ops, const Tensor& indexed, const Tensor& beside) {
  IndexWork work;
  work.indexed = indexed.data();
  work.beside = beside.data();
  work.item_bytes = tensor::item_bytes(indexed.dtype());
  work.complaint = ops.device().complaint();
  return work;
}
void add_index(IndexWork& work, const Tensor& index, const Tensor& indexed, std::size_t dim) {
  work.index[work.indices++] = {index.data(), index.dtype() == DType::Int64, indexed.shape()[dim],
                                indexed.strides()[dim] * work.item_bytes};
}

// The walk over an index of the same number of dimensions as what it indexes along `dim`; false: no kernel takes it.
bool set_walk(IndexWork& work, const Tensor& index, const Tensor& indexed, const Tensor& beside, std::size_t dim) {
  const std::int64_t index_bytes = tensor::item_bytes(index.dtype());
  bool fits = true;
  for (std::size_t d = index.ndim(); d-- > 0;) {
    const std::int64_t strides[ops::kMostIndices + 2] = {d == dim ? 0 : indexed.strides()[d] * work.item_bytes,
                                                         beside.strides()[d] * work.item_bytes,
                                                         index.strides()[d] * index_bytes};
    fits = fits && work.plan.add(index.shape()[d], strides);
  }
  add_index(work, index, indexed, dim);
  return fits;
}

// The dimension that argument 1 names.
std::size_t dim_of(const OpCall& call) { return call.dimension(call.integer(1), call.required(0).ndim()).value(); }

// The result begins as the input, unless it is that.
PyResult<void> begin_as_input(const OpCall& call) {
  if (&call.output() == call.tensor(0)) return {};
  return tensor::copy_items(call.output(), call.required(0));
}

// The view with these dimensions last, the others in front in their order.
Ref<Tensor> with_last(const Tensor& tensor, const std::vector<std::size_t>& last) {
  std::vector<std::int64_t> shape, strides;
  const auto take = [&](std::size_t dim) {
    shape.push_back(tensor.shape()[dim]);
    strides.push_back(tensor.strides()[dim]);
  };
  for (std::size_t dim = 0; dim < tensor.ndim(); ++dim) {
    if (std::find(last.begin(), last.end(), dim) == last.end()) take(dim);
  }
  for (const std::size_t dim : last) take(dim);
  return tensor::as_strided(tensor, Dims(shape), Dims(strides), tensor.offset());
}

PyResult<Ref<Tensor>> copied(const Tensor& tensor, DType dtype) {
  NNS_TRY_ASSIGN(Ref<Tensor> made,
                 tensor::try_empty(tensor.interpreter(), tensor.shape(), dtype, tensor::Device::Cuda));
  NNS_TRY(tensor::copy_items(*made, tensor));
  return made;
}

// What sums of items of a dtype are made in: 16-bit floats are rounded once.
DType sum_dtype(DType dtype) {
  if (!tensor::is_floating(dtype)) return DType::Int64;
  return dtype == DType::Float64 ? DType::Float64 : DType::Float32;
}

// Adds up in `target`, whose last `count` items of each line the places number: in the order of the places.
struct Sums {
  Ref<Tensor> target;
  std::int64_t count = 0;
  /// As many lines as the target has, of `length` items each.
  Ref<Tensor> values;
  std::int64_t length = 0;
  /// Dense, int64: of one line for all, or of each.
  Ref<Tensor> places;
  bool has_places_a_line = false;
  ops::PlaceReduction reduction = ops::PlaceReduction::Sum;
  /// Whether what stands in the target counts.
  bool includes_self = true;
};
// Whether the places are sorted first: lines that are long, as far as there is room for the pairs.
bool sorts_places(const Sums& sums) {
  constexpr std::int64_t kShort = 256, kMostPairs = std::int64_t{1} << 29U;
  return sums.length > kShort && sums.length < ops::kLongestSortedLine && sums.places->numel() <= kMostPairs;
}
PyResult<Sorted> sorted_places(Ops& ops, OpCall& call, const Sums& sums) {
  ops::SortWork work;
  work.lines.keys = ops::SortKeys::of(DType::Int64, false);
  work.lines.item_bytes = 8;
  work.lines.in_stride = work.lines.item_bytes;
  work.lines.in = sums.places->data();
  work.lines.length = work.count = sums.length;
  work.lines.line_count = sums.places->numel() / sums.length;
  work.lines.lines.add(work.lines.line_count, {sums.length * work.lines.item_bytes, 0, 0});
  return sort(ops, call.interpreter, work, true);
}

PyResult<void> reduce_at_places(Ops& ops, OpCall& call, const Sums& sums, const Tensor& dense, const Tensor& values) {
  ops::PlaceReductionWork work;
  work.reduction = sums.reduction;
  work.compute = ops::compute_of(dense.dtype());
  work.planes = sums.target->numel() / sums.count;
  work.length = sums.length;
  work.dense_plane = sums.count;
  work.places = reinterpret_cast<const std::int64_t*>(sums.places->data());
  work.places_stride = sums.has_places_a_line ? sums.length : 0;
  work.items = numbers(values);
  work.dense = dense.data();
  work.includes_self = sums.includes_self;
  const bool adds_whole_numbers =
      dense.dtype() == DType::Int64 && sums.reduction == ops::PlaceReduction::Sum && sums.includes_self;
  Sorted sorted;
  Ref<Tensor> counts;
  if (!adds_whole_numbers && sorts_places(sums)) {
    NNS_TRY_ASSIGN(sorted, sorted_places(ops, call, sums));
    work.sorted = sorted.pairs;
  } else if (!adds_whole_numbers) {
    NNS_TRY_ASSIGN(counts, tensor::try_empty(call.interpreter, dense.shape(), DType::Int64, tensor::Device::Cuda));
    tensor::fill_items(*counts, 0);
    work.counts = reinterpret_cast<std::int64_t*>(counts->data());
  }
  work.complaint = ops.device().complaint();
  ops::launch_place_reduction(work, ops.stream());
  return ops.launched(call.interpreter);
}
PyResult<void> add_up(Ops& ops, OpCall& call, const Sums& sums) {
  if (sums.values->numel() == 0 || sums.target->numel() == 0) return {};
  const DType dtype = sum_dtype(sums.target->dtype());
  NNS_TRY_ASSIGN(const Ref<Tensor> dense, copied(*sums.target, dtype));
  NNS_TRY_ASSIGN(const Ref<Tensor> values, ops.dense(*sums.values));
  if (dtype == DType::Int64 || sums.reduction != ops::PlaceReduction::Sum || !sums.includes_self ||
      sorts_places(sums)) {
    NNS_TRY(reduce_at_places(ops, call, sums, *dense, *values));
    return tensor::copy_items(*sums.target, *dense);
  }
  ops::PoolPlacesWork work;
  work.planes = sums.target->numel() / sums.count;
  work.sparse_plane = sums.length;
  work.dense_plane = sums.count;
  work.places = reinterpret_cast<const std::int64_t*>(sums.places->data());
  work.places_stride = sums.has_places_a_line ? sums.length : 0;
  work.complaint = ops.device().complaint();
  work.sparse = numbers(values);
  work.dense = numbers(dense);
  work.in_double = dtype == DType::Float64;
  ops::launch_pool_scatter(work, ops.stream());
  NNS_TRY(ops.launched(call.interpreter));
  return tensor::copy_items(*sums.target, *dense);
}

}  // namespace

// input 0, dim 1, index 2.
PyResult<void> run_gather(Ops& ops, OpCall& call) {
  const Ref<Tensor> in = with_a_dim(call.required(0)), index = with_a_dim(call.required(2));
  const Ref<Tensor> out = with_a_dim(call.output());
  IndexWork work = work_of(ops, *in, *out);
  if (!set_walk(work, *index, *in, *out, dim_of(call))) return ops.run_on_host(call);
  ops::launch_take(work, ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, dim 1, index 2, src 3.
PyResult<void> run_scatter(Ops& ops, OpCall& call) {
  const Ref<Tensor> out = with_a_dim(call.output()), index = with_a_dim(call.required(2));
  const Ref<Tensor> source = with_a_dim(call.required(3));
  IndexWork work = work_of(ops, *out, *source);
  if (index->numel() == 0) return begin_as_input(call);
  if (!set_walk(work, *index, *out, *source, dim_of(call))) return ops.run_on_host(call);
  NNS_TRY(begin_as_input(call));
  ops::launch_put(work, ops.stream());
  return ops.launched(call.interpreter);
}

namespace {

// input 0, dim 1, index 2, source 3; `sums` says how.
PyResult<void> scatter_sums(Ops& ops, OpCall& call, Sums sums) {
  NNS_TRY(begin_as_input(call));
  const Ref<Tensor> out = with_a_dim(call.output()), index = with_a_dim(call.required(2));
  const Ref<Tensor> source = with_a_dim(call.required(3));
  if (index->numel() == 0) return {};
  const std::size_t dim = dim_of(call);
  // The index may be smaller than both.
  Dims of_target = index->shape();
  of_target[dim] = out->shape()[dim];
  sums.target = with_last(*tensor::as_strided(*out, of_target, out->strides(), out->offset()), {dim});
  sums.count = out->shape()[dim];
  sums.values = with_last(*tensor::as_strided(*source, index->shape(), source->strides(), source->offset()), {dim});
  sums.length = index->shape()[dim];
  NNS_TRY_ASSIGN(sums.places, copied(*with_last(*index, {dim}), DType::Int64));
  sums.has_places_a_line = true;
  return add_up(ops, call, sums);
}

}  // namespace

PyResult<void> run_scatter_add(Ops& ops, OpCall& call) { return scatter_sums(ops, call, {}); }

// reduce 4, include_self 5.
PyResult<void> run_scatter_reduce(Ops& ops, OpCall& call) {
  using ops::PlaceReduction;
  const std::string_view name = call.args[4].as<object::Str>()->view();
  Sums sums;
  sums.reduction = name == "prod"   ? PlaceReduction::Product
                   : name == "mean" ? PlaceReduction::Mean
                   : name == "amax" ? PlaceReduction::Most
                   : name == "amin" ? PlaceReduction::Least
                                    : PlaceReduction::Sum;
  sums.includes_self = call.flag(5);
  return scatter_sums(ops, call, std::move(sums));
}

// input 0, dim 1, index 2.
PyResult<void> run_index_select(Ops& ops, OpCall& call) {
  if (call.output().numel() == 0) return {};
  const Ref<Tensor> in = with_a_dim(call.required(0)), index = with_a_dim(call.required(2));
  const Ref<Tensor> out = with_a_dim(call.output());
  const std::size_t dim = dim_of(call);
  Dims strides(out->ndim(), 0);
  strides[dim] = index->strides()[0];
  Dims shape = out->shape();
  IndexWork work = work_of(ops, *in, *out);
  if (!set_walk(work, *tensor::as_strided(*index, shape, strides, index->offset()), *in, *out, dim)) {
    return ops.run_on_host(call);
  }
  ops::launch_take(work, ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, dim 1, index 2, source 3, alpha 4.
PyResult<void> run_index_add(Ops& ops, OpCall& call) {
  NNS_TRY(begin_as_input(call));
  const Ref<Tensor> out = with_a_dim(call.output()), index = with_a_dim(call.required(2));
  const Ref<Tensor> source = with_a_dim(call.required(3));
  const std::size_t dim = dim_of(call);
  Sums sums;
  sums.target = with_last(*out, {dim});
  sums.count = out->shape()[dim];
  sums.values = with_last(*source, {dim});
  sums.length = source->shape()[dim];
  if (call.real(4) != 1) {
    NNS_TRY_ASSIGN(sums.values, copied(*sums.values, sum_dtype(out->dtype())));
    const ops::GradModeGuard no_grad(call.interpreter, false);
    NNS_TRY(ops::call_in_place(call.interpreter, OpId::mul, std::array{object::Value(sums.values), call.args[4]}));
  }
  NNS_TRY_ASSIGN(sums.places, copied(*index, DType::Int64));
  return add_up(ops, call, sums);
}

namespace {

// The walk over the result of x[i, :, j]; false: no kernel takes it. `beside` has its shape.
bool set_places(IndexWork& work, OpCall& call, const ops::IndexedPlaces& places, const Tensor& indexed,
                const Tensor& beside, bool with_rest) {
  const std::vector<Tensor*> indices = call.tensors(1);
  const Dims dims = call.dims(2);
  if (indices.size() > ops::kMostIndices) return false;
  std::vector<std::int64_t> rest;
  for (std::size_t dim = 0; dim < indexed.ndim(); ++dim) {
    if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(dim)) == dims.end())
      rest.push_back(indexed.strides()[dim]);
  }
  const std::size_t common = places.common.size();
  bool fits = true;
  for (std::size_t d = beside.ndim(); d-- > 0;) {
    std::int64_t strides[ops::kMostIndices + 2] = {};
    strides[1] = beside.strides()[d] * work.item_bytes;
    if (d >= places.position && d < places.position + common) {
      for (std::size_t k = 0; k < indices.size(); ++k) {
        const Tensor& index = *indices[k];
        const std::size_t missing = common - index.ndim(), at = d - places.position;
        if (at < missing || index.shape()[at - missing] == 1) continue;
        strides[k + 2] = index.strides()[at - missing] * tensor::item_bytes(index.dtype());
      }
    } else if (with_rest) {
      strides[0] = rest[d < places.position ? d : d - common] * work.item_bytes;
    } else {
      continue;
    }
    fits = fits && work.plan.add(beside.shape()[d], strides);
  }
  for (std::size_t k = 0; k < indices.size(); ++k) {
    add_index(work, *indices[k], indexed, static_cast<std::size_t>(dims[k]));
  }
  work.takes_negative = true;
  return fits;
}

}  // namespace

// input 0, indices 1, dims 2.
PyResult<void> run_index(Ops& ops, OpCall& call) {
  NNS_TRY_ASSIGN(const ops::IndexedPlaces places, ops::indexed_places(call));
  IndexWork work = work_of(ops, call.required(0), call.output());
  if (!set_places(work, call, places, call.required(0), call.output(), true)) return ops.run_on_host(call);
  ops::launch_take(work, ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, indices 1, dims 2, values 3, accumulate 4.
PyResult<void> run_index_put(Ops& ops, OpCall& call) {
  NNS_TRY_ASSIGN(const ops::IndexedPlaces places, ops::indexed_places(call));
  const Tensor& values = call.required(3);
  const Tensor& out = call.output();
  Dims strides(places.shape.size(), 0);
  const std::size_t missing = places.shape.size() - values.ndim();
  for (std::size_t d = 0; d < values.ndim(); ++d) {
    if (values.shape()[d] != 1) strides[missing + d] = values.strides()[d];
  }
  const Ref<Tensor> source = tensor::as_strided(values, places.shape, strides, values.offset());
  const bool adds = call.flag(4);
  IndexWork work = work_of(ops, out, *source);
  if (!set_places(work, call, places, out, *source, !adds)) return ops.run_on_host(call);
  NNS_TRY(begin_as_input(call));
  if (!adds) {
    ops::launch_put(work, ops.stream());
    return ops.launched(call.interpreter);
  }
  Sums sums;
  NNS_TRY_ASSIGN(sums.places, tensor::try_empty(call.interpreter, places.common, DType::Int64, tensor::Device::Cuda));
  ops::launch_place_numbers(work, reinterpret_cast<std::int64_t*>(sums.places->data()), ops.stream());
  std::vector<std::size_t> of_target, of_values;
  for (const std::int64_t dim : call.dims(2)) of_target.push_back(static_cast<std::size_t>(dim));
  for (std::size_t d = 0; d < places.common.size(); ++d) of_values.push_back(places.position + d);
  sums.target = with_last(out, of_target);
  sums.count = 1;
  for (const std::size_t dim : of_target) sums.count *= out.shape()[dim];
  sums.values = with_last(*source, of_values);
  sums.length = tensor::element_count(places.common);
  return add_up(ops, call, sums);
}

}  // namespace nns::cuda
