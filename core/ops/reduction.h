#pragma once

#include <algorithm>

#include "core/ops/element_kernels.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// What the ops that reduce dimensions share. Not for callers of ops.
namespace nns::ops {

// The shape with the chosen dimensions left out, or 1 where they are kept.
inline Dims reduced(const Dims& shape, const std::vector<bool>& chosen, bool keep) {
  std::vector<std::int64_t> rest;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (!chosen[dim])
      rest.push_back(shape[dim]);
    else if (keep)
      rest.push_back(1);
  }
  return Dims(rest);
}

// One item of the result, and the items of the input that it is made of.
struct Walk {
  Dims kept_shape, kept_strides;
  Dims gone_shape, gone_strides;
};
inline Walk walk_of(const Tensor& tensor, const std::vector<bool>& chosen) {
  std::vector<std::int64_t> kept_shape, kept_strides, gone_shape, gone_strides;
  for (std::size_t dim = 0; dim < tensor.ndim(); ++dim) {
    (chosen[dim] ? gone_shape : kept_shape).push_back(tensor.shape()[dim]);
    (chosen[dim] ? gone_strides : kept_strides).push_back(tensor.strides()[dim]);
  }
  return {Dims(kept_shape), Dims(kept_strides), Dims(gone_shape), Dims(gone_strides)};
}

// Items that are handed over at once.
constexpr std::int64_t kRun = 512;

// For each result k: make() gives a reduction; its add(values, count, number of the first) gets all items of the result
// in their order, in runs; then comes store(k).
template <class T, class Reduction>
void reduce(const Tensor& input, const std::vector<bool>& chosen, Compute compute, Reduction make) {
  const Walk walk = walk_of(input, chosen);
  const Ref<Tensor> results = tensor::as_strided(input, walk.kept_shape, walk.kept_strides, input.offset());
  alignas(64) T buffer[kRun];
  const std::int64_t bytes = tensor::item_bytes(input.dtype());
  ElementLoop items(walk.gone_shape);
  items.add(input.data(), walk.gone_shape, walk.gone_strides, bytes);
  items.prepare_in_order();
  std::int64_t result = 0;
  tensor::for_each_place(*results, [&](std::int64_t place) {
    auto reduction = make();
    items.move(0, input.storage()->data() + place * bytes);
    std::int64_t index = 0;
    items.for_each_row([&](std::span<std::byte* const> at) {
      for (std::int64_t done = 0; done < items.row_length(); done += kRun) {
        const std::int64_t count = std::min(kRun, items.row_length() - done);
        load_items(input.dtype(), at[0] + done * items.row_stride(0), items.row_stride(0), count, compute, buffer);
        reduction.add(buffer, count, index);
        index += count;
      }
    });
    reduction.store(result++);
  });
}

// Writes one number of type T as item `k` of a contiguous tensor.
template <class T>
void put(const Tensor& out, std::int64_t k, T value) {
  store_items(out.dtype(), out.data() + k * static_cast<std::int64_t>(tensor::item_bytes(out.dtype())), 0, 1,
              compute_for<T>(), &value);
}

// The chosen dimensions of a call that was checked.
inline std::vector<bool> chosen_of(const OpCall& call, std::size_t parameter) {
  return call.dimensions(call.args[parameter], call.required(0).ndim()).value();
}
inline std::vector<bool> all_of(const OpCall& call) { return std::vector<bool>(call.required(0).ndim(), true); }

inline PyResult<void> shape_over(OpCall& call, std::size_t dims, std::size_t keep, DType dtype) {
  NNS_TRY_ASSIGN(const std::vector<bool> chosen, call.dimensions(call.args[dims], call.required(0).ndim()));
  return call.give(reduced(call.required(0).shape(), chosen, call.flag(keep)), dtype);
}

// The gradient with the dimensions that went as 1 again, so that it broadcasts over the input.
inline Term unreduced(Backward& b, const Term& term, std::size_t dims, std::size_t keep) {
  if (!term.ok() || b.flag(keep)) return term;
  const Dims& shape = b.input(0).shape;
  std::vector<bool> chosen(shape.size(), false);
  const Dims given = b.value(dims).is_none() ? Dims() : dims_of(b.value(dims));
  if (given.size() == 0) chosen.assign(shape.size(), true);
  for (const std::int64_t dim : given) {
    if (shape.size() > 0) chosen[wrapped(dim, shape.size())] = true;
  }
  return apply(OpId::view, {term, dims_value(b.interpreter(), reduced(shape, chosen, true))});
}
// The gradient of an op that chose one item, shared among all items that equal the result.
inline Term evenly_shared(Backward& b, const Term& grad, const Term& result) {
  const Term mask = as_dtype(eq(b.arg(0), result), b.input(0).dtype);
  return mask * grad / sum_to(mask, result.ok() ? result.tensor().shape() : Dims());
}
// The gradient of an op that chose one item a line: it goes to the places in output 1.
inline Term to_chosen(Backward& b, std::size_t dim, std::size_t keep) {
  const Term grad = unreduced(b, b.grad(), dim, keep);
  const Term index = unreduced(b, b.out(1), dim, keep);
  return apply(OpId::scatter, {zeros_like(grad, b.input(0).shape), TermArgument(b.value(dim)), index, grad});
}
inline Term spread(Backward& b, const Term& term) {
  return apply(OpId::expand, {term, dims_value(b.interpreter(), b.input(0).shape)});
}
}  // namespace nns::ops
