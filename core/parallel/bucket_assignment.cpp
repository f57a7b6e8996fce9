#include "core/parallel/bucket_assignment.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace nns::parallel {
namespace {

struct Open {
  std::vector<std::size_t> tensors;
  std::int64_t bytes = 0;
  /// Which limit it is filled up to.
  std::size_t limit = 0;
};

}  // namespace

BucketAssignment assign_buckets(std::span<const object::Ref<tensor::Tensor>> tensors,
                                std::span<const std::int64_t> limits, const std::vector<bool>& expects_sparse,
                                std::span<const std::size_t> indices) {
  BucketAssignment made;
  const auto close = [&made](std::vector<std::size_t> bucket, std::int64_t limit) {
    made.buckets.push_back(std::move(bucket));
    made.limits.push_back(limit);
  };
  std::map<std::pair<tensor::DType, tensor::Device>, Open> open;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::size_t index = indices.empty() ? i : indices[i];
    const bool is_sparse = index < expects_sparse.size() && expects_sparse[index];
    if (is_sparse) {
      close({index}, 0);
      continue;
    }
    Open& bucket = open[{tensors[i]->dtype(), tensors[i]->device()}];
    bucket.tensors.push_back(index);
    bucket.bytes += static_cast<std::int64_t>(tensors[i]->nbytes());
    if (bucket.bytes < limits[bucket.limit]) continue;
    close(std::exchange(bucket.tensors, {}), limits[bucket.limit]);
    bucket.bytes = 0;
    if (bucket.limit + 1 < limits.size()) ++bucket.limit;
  }
  for (auto& [kind, bucket] : open) {
    if (!bucket.tensors.empty()) close(std::move(bucket.tensors), limits[bucket.limit]);
  }
  // In the order in which gradients arrive there is nothing to sort.
  if (!indices.empty()) return made;
  std::vector<std::size_t> order(made.buckets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&made](std::size_t a, std::size_t b) {
    return *std::min_element(made.buckets[a].begin(), made.buckets[a].end()) <
           *std::min_element(made.buckets[b].begin(), made.buckets[b].end());
  });
  BucketAssignment sorted;
  for (const std::size_t i : order) {
    sorted.buckets.push_back(std::move(made.buckets[i]));
    sorted.limits.push_back(made.limits[i]);
  }
  return sorted;
}

}  // namespace nns::parallel
