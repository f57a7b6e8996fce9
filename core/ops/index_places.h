#pragma once

#include "core/ops/op.h"

// Not for callers of ops.
namespace nns::ops {

/// Where the items lie that x[i, :, j] names: for each place of the indices' common shape the first item, and the items
/// behind it in the dimensions that are not indexed.
struct IndexedPlaces {
  Dims common, rest_shape;
  /// Of the result: the indexed dimensions stand where the first of them stood if they were neighbours, else in front.
  std::size_t position = 0;
  Dims shape;
};
/// Of a call with the arguments: input, indices, dims. Errors: IndexError  in PyTorch's words.
PyResult<IndexedPlaces> indexed_places(OpCall& call);

}  // namespace nns::ops
