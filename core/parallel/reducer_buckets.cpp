#include <fmt/format.h>

#include <algorithm>

#include "core/parallel/module_sync.h"
#include "core/parallel/reducer.h"

namespace nns::parallel {

using tensor::Dims;

std::span<std::byte> bytes_of(const Tensor& tensor) {
  return {tensor.data(), static_cast<std::size_t>(tensor.nbytes())};
}

// Where gradients are views of buckets, new buckets take over what is in .grad with the next backward.
void Reducer::make_buckets(std::vector<std::vector<std::size_t>> assignment) {
  Interpreter& in = interpreter();
  buckets_.clear();
  places_.assign(parameters_.size(), {});
  for (std::vector<std::size_t>& indices : assignment) {
    Bucket bucket;
    std::int64_t items = 0;
    for (const std::size_t index : indices) items += parameters_[index]->numel();
    const Tensor& first = *parameters_[indices.front()];
    bucket.flat = tensor::zeros(in, Dims({items}), first.dtype(), first.device());
    std::int64_t offset = 0;
    for (const std::size_t index : indices) {
      const Dims& shape = parameters_[index]->shape();
      bucket.views.push_back(tensor::as_strided(*bucket.flat, shape, tensor::contiguous_strides(shape), offset));
      offset += parameters_[index]->numel();
      places_[index] = {buckets_.size(), bucket.views.size() - 1};
    }
    bucket.parameters = std::move(indices);
    buckets_.push_back(std::move(bucket));
  }
}

void Reducer::reset_buckets() {
  next_bucket_ = 0;
  for (Bucket& bucket : buckets_) bucket.waiting_for = bucket.parameters.size();
  if (static_graph_) hooks_left_ = hook_counts_;
}

std::string Reducer::bucket_text(const Bucket& bucket, std::size_t index) const {
  constexpr std::size_t kShown = 4;
  std::string text = fmt::format("bucket {}", index);
  for (std::size_t i = 0; i < bucket.parameters.size() && i < kShown; ++i) {
    const std::size_t parameter = bucket.parameters[i];
    const std::string name =
        parameter < options_.names.size() ? options_.names[parameter] : fmt::format("parameter {}", parameter);
    text += (i == 0 ? ": " : ", ") + name;
  }
  if (bucket.parameters.size() > kShown) text += fmt::format(" and {} more", bucket.parameters.size() - kShown);
  return text;
}

std::vector<Reducer::BucketFacts> Reducer::bucket_facts() const {
  std::vector<BucketFacts> facts;
  facts.reserve(buckets_.size());
  for (const Bucket& bucket : buckets_) facts.push_back({bucket.parameters, bucket.flat->nbytes()});
  return facts;
}

void Reducer::push_all_parameters() {
  if (!should_rebuild_buckets() || !rebuilt_order_.empty()) return;
  for (std::size_t i = 0; i < parameters_.size(); ++i) rebuilt_order_.push_back(i);
}

// 1. Every rank proposes the order that it saw; 2. that of rank 0 holds for all.
PyResult<bool> Reducer::rebuild_buckets() {
  NNS_TRY(ensure_prior_reduction_finished());
  if (!should_rebuild_buckets() || rebuilt_order_.empty()) return false;
  std::vector<Ref<Tensor>> tensors;
  for (const std::size_t index : rebuilt_order_) tensors.push_back(parameters_[index]);
  const BucketAssignment proposed =
      assign_buckets(tensors, options_.bucket_limits, options_.expects_sparse, rebuilt_order_);
  // [how many buckets, (how many parameters, which), ...], as long as the longest proposal can be.
  std::vector<std::int64_t> wire(2 * parameters_.size() + 1, 0);
  std::size_t at = 0;
  wire[at++] = static_cast<std::int64_t>(proposed.buckets.size());
  for (const auto& bucket : proposed.buckets) {
    wire[at++] = static_cast<std::int64_t>(bucket.size());
    for (const std::size_t index : bucket) wire[at++] = static_cast<std::int64_t>(index);
  }
  NNS_TRY_ASSIGN(wire, broadcast_numbers(interpreter(), *group_, std::move(wire),
                                         "the order of the buckets of DistributedDataParallel", options_.timeout));
  std::vector<std::vector<std::size_t>> assignment;
  std::vector<bool> seen(parameters_.size(), false);
  std::size_t placed = 0;
  at = 1;
  for (std::int64_t i = 0; i < wire[0]; ++i) {
    std::vector<std::size_t> bucket;
    for (std::int64_t count = at < wire.size() ? wire[at++] : 0; count > 0 && at < wire.size(); --count) {
      const auto index = static_cast<std::size_t>(wire[at++]);
      if (index >= seen.size() || seen[index]) break;
      seen[index] = true;
      ++placed;
      bucket.push_back(index);
    }
    if (!bucket.empty()) assignment.push_back(std::move(bucket));
  }
  if (placed != rebuilt_order_.size() || placed != parameters_.size()) {
    return object::runtime_error(interpreter(),
                                 "the ranks disagree about the parameters of DistributedDataParallel: rank 0 put {} of "
                                 "them into buckets, rank {} has {}",
                                 placed, group_->rank(), parameters_.size());
  }
  make_buckets(std::move(assignment));
  has_rebuilt_ = true;
  rebuilt_order_.clear();
  return true;
}

}  // namespace nns::parallel
