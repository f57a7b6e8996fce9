#pragma once

#include <vector>

#include "core/ops/node.h"

// What the ops with an index of the shape of their source share. Not for callers of ops.
namespace nns::ops {

/// Arguments: input, dim, index, source. An output like the input, once index and source were found to fit.
PyResult<void> scatter_shape(OpCall& call);

/// Arguments: input, dim, index, source; a slice of the source goes to each place that the vector `index` names. The
/// dimension. Errors: IndexError, RuntimeError  they do not fit. Behaviour: TensorAdvancedIndexing.cpp,
/// index_func_meta_impl.
PyResult<std::size_t> check_slices(OpCall& call, std::string_view name);

/// `part` in the first corner of zeros of `shape`: the index may be smaller than the source.
Term within(Backward& b, const Term& part, const Dims& shape);

/// Calls use(place in `indexed`, place in `index`, place in `beside`) for all items of `index`; `indexed` at the place
/// that the index names, `beside` at the same place as the index.
template <class Use>
PyResult<void> for_each_indexed(OpCall& call, const Tensor& index, const Tensor& indexed, const Tensor& beside,
                                std::size_t dim, Use use) {
  std::vector<std::int64_t> at(index.ndim(), 0);
  const std::int64_t size = indexed.ndim() == 0 ? 1 : indexed.shape()[dim];
  bool is_inside = true;
  std::int64_t wrong = 0;
  tensor::for_each_place(index, [&](std::int64_t place) {
    const std::int64_t named = tensor::read_int64(index, place);
    if (named < 0 || named >= size) {
      if (is_inside) wrong = named;
      is_inside = false;
    }
    if (is_inside) {
      std::int64_t there = indexed.offset();
      std::int64_t here = beside.offset();
      for (std::size_t d = 0; d < index.ndim(); ++d) {
        if (d < indexed.ndim()) there += (d == dim ? named : at[d]) * indexed.strides()[d];
        if (d < beside.ndim()) here += at[d] * beside.strides()[d];
      }
      use(there, here);
    }
    for (std::size_t d = index.ndim(); d-- > 0;) {
      if (++at[d] < index.shape()[d]) break;
      at[d] = 0;
    }
  });
  if (is_inside) return {};
  return object::error<object::ErrorKind::RuntimeError>(
      call.interpreter, "index {} is out of bounds for dimension {} with size {}", wrong, dim, size);
}

}  // namespace nns::ops
