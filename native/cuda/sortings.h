#pragma once

#include "core/ops/sorting_work.h"
#include "native/cuda/ops.h"

// Not for callers of native/cuda.
namespace nns::cuda {

/// Pairs and what holds them.
struct Sorted {
  std::shared_ptr<std::byte> memory;
  ops::SortPairs pairs;
};
/// Sorts the pairs of `work`; they go to the outputs, or where `keeps_pairs` into memory.
PyResult<Sorted> sort(Ops& ops, object::Interpreter& in, ops::SortWork work, bool keeps_pairs);

}  // namespace nns::cuda
