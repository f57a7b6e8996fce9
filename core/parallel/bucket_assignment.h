#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace nns::parallel {

/// Which tensors are reduced together: indices into the list that was given.
struct BucketAssignment {
  std::vector<std::vector<std::size_t>> buckets;
  /// The limit that each bucket was filled up to; 0 of a sparse gradient, which has a bucket of its own. Units: bytes.
  std::vector<std::int64_t> limits;
};

/// Fills buckets in the order of `tensors`, one open at a time for each dtype and device; a bucket is closed as soon as
/// it reaches its limit, the tensor that reaches it inside. The first bucket of a dtype has the first limit, and so on;
/// the last one stays. Sorted by the first tensor.
/// Behaviour: torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size.
/// `indices`: the numbers to give the tensors; empty: their places. `expects_sparse`: empty, or one a tensor.
/// Must hold: there is a limit.
BucketAssignment assign_buckets(std::span<const object::Ref<tensor::Tensor>> tensors,
                                std::span<const std::int64_t> limits, const std::vector<bool>& expects_sparse = {},
                                std::span<const std::size_t> indices = {});

/// PyTorch's limits: the first bucket is small, so that communication begins early. Units: bytes.
inline constexpr std::int64_t kDefaultFirstBucketBytes = 1024 * 1024;
inline constexpr std::int64_t kDefaultBucketBytes = 25 * 1024 * 1024;

}  // namespace nns::parallel
