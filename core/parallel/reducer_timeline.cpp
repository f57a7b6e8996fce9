// When the parts of a step began and ended, for who looks at it.
#include <chrono>

#include "core/base/hash.h"
#include "core/parallel/reducer.h"

namespace nns::parallel {

namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Of parameters without bytes that can be read here: 0.
std::uint64_t checksum_of(const Tensor& tensor) {
  if (!tensor::is_cpu(tensor.device()) || !tensor.is_contiguous()) return 0;
  const std::span<std::byte> bytes = bytes_of(tensor);
  return base::hash_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

void Reducer::prepare_for_forward() {
  ++iterations_;
  begin_timeline();
}

void Reducer::begin_timeline() {
  timeline_.reset();
  if (!ParallelLibrary::of(interpreter()).on_step) return;
  timeline_ = std::make_unique<StepTimeline>();
  timeline_->rank = group_->rank();
  timeline_->size = group_->size();
  timeline_->step = iterations_;
  timeline_->names = options_.names;
  for (const Ref<Tensor>& one : parameters_) timeline_->checksums.push_back(checksum_of(*one));
  timeline_->forward_ns = now_ns();
}

// Forward is over; buckets may have been made anew in it.
void Reducer::begin_backward_timeline() {
  if (!timeline_) return;
  timeline_->backward_ns = now_ns();
  timeline_->buckets.clear();
  for (const BucketFacts& one : bucket_facts()) {
    StepTimeline::Bucket& bucket = timeline_->buckets.emplace_back();
    bucket.bytes = one.bytes;
    bucket.parameters = one.parameters;
  }
}

void Reducer::note_launch(std::size_t index) {
  if (timeline_ && index < timeline_->buckets.size()) timeline_->buckets[index].launched_ns = now_ns();
}

void Reducer::note_done_buckets() {
  if (!timeline_) return;
  for (std::size_t i = 0; i < next_bucket_ && i < timeline_->buckets.size(); ++i) {
    StepTimeline::Bucket& noted = timeline_->buckets[i];
    if (noted.done_ns == 0 && buckets_[i].work && buckets_[i].work->was_completed()) noted.done_ns = now_ns();
  }
}

void Reducer::note_wait(std::size_t index, bool is_over) {
  if (!timeline_ || index >= timeline_->buckets.size()) return;
  StepTimeline::Bucket& noted = timeline_->buckets[index];
  (is_over ? noted.wait_end_ns : noted.wait_begin_ns) = now_ns();
  if (is_over && noted.done_ns == 0) noted.done_ns = noted.wait_end_ns;
}

void Reducer::tell_timeline() {
  if (!timeline_) return;
  timeline_->end_ns = now_ns();
  timeline_->ready_order = ready_order_;
  if (const auto& told = ParallelLibrary::of(interpreter()).on_step) told(std::move(*timeline_));
  timeline_.reset();
}

}  // namespace nns::parallel
