#include "core/session/rank_messages.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace nns::session {

namespace {

namespace wire = live::wire;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using parallel::StepTimeline;

// Steps that some ranks have made and others not: more are kept by no program whose ranks wait for each other.
constexpr std::size_t kMostWaiting = 16;

std::string name_of(const StepTimeline& step, std::size_t parameter) {
  return parameter < step.names.size() && !step.names[parameter].empty() ? step.names[parameter]
                                                                         : std::to_string(parameter);
}

std::string first_difference(const StepTimeline& step, const StepTimeline& first) {
  const std::size_t count = std::min(step.checksums.size(), first.checksums.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (step.checksums[i] != first.checksums[i]) return name_of(step, i);
  }
  return {};
}

// Times from the beginning of the first of them.
Offset<flatbuffers::Vector<Offset<wire::RankLane>>> lanes_of(FlatBufferBuilder& builder,
                                                             const std::map<int, StepTimeline>& ranks) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const auto& [rank, step] : ranks) begin = std::min(begin, step.forward_ns);
  const auto since = [begin](std::int64_t at) { return at == 0 ? 0 : static_cast<std::uint64_t>(at - begin); };
  std::vector<Offset<wire::RankLane>> lanes;
  for (const auto& [rank, step] : ranks) {
    const StepTimeline& first = ranks.begin()->second;
    std::vector<Offset<wire::RankBucket>> buckets;
    for (const StepTimeline::Bucket& one : step.buckets) {
      std::vector<Offset<flatbuffers::String>> names;
      for (const std::size_t parameter : one.parameters) {
        names.push_back(builder.CreateSharedString(name_of(step, parameter)));
      }
      const auto told = builder.CreateVector(names);
      buckets.push_back(wire::CreateRankBucket(builder, one.bytes, told, since(one.launched_ns), since(one.done_ns),
                                               since(one.wait_begin_ns), since(one.wait_end_ns)));
    }
    std::vector<Offset<flatbuffers::String>> ready;
    for (const std::size_t parameter : step.ready_order) {
      ready.push_back(builder.CreateSharedString(name_of(step, parameter)));
    }
    const auto told_buckets = builder.CreateVector(buckets);
    const auto told_ready = builder.CreateVector(ready);
    const auto differs = builder.CreateString(first_difference(step, first));
    lanes.push_back(wire::CreateRankLane(
        builder, static_cast<std::uint32_t>(rank), static_cast<std::uint64_t>(step.step), since(step.forward_ns),
        since(step.backward_ns), since(step.end_ns), told_buckets, told_ready, differs));
  }
  return builder.CreateVector(lanes);
}

}  // namespace

void RankSteps::add(StepTimeline step) {
  const auto size = static_cast<std::size_t>(step.size);
  const std::int64_t number = step.step;
  Lanes& lanes = waiting_[number];
  lanes.insert_or_assign(step.rank, std::move(step));
  if (lanes.size() == size) {
    whole_ = std::move(lanes);
    is_new_ = true;
    waiting_.erase(waiting_.begin(), waiting_.upper_bound(number));
  }
  if (waiting_.size() > kMostWaiting) waiting_.erase(waiting_.begin());
}

void RankSteps::clear() {
  waiting_.clear();
  whole_.clear();
  is_new_ = false;
}

std::optional<live::Bytes> RankSteps::take(std::uint32_t document) {
  if (!is_new_) return std::nullopt;
  is_new_ = false;
  const StepTimeline& first = whole_.begin()->second;
  FlatBufferBuilder builder;
  const auto lanes = lanes_of(builder, whole_);
  // Here all ranks share a thread.
  return live::finish_message(
      builder, wire::CreateRanks(builder, document, static_cast<std::uint32_t>(first.size), first.size > 1, lanes,
                                 static_cast<std::uint64_t>(first.step)));
}

live::Bytes ranks_message(std::uint32_t document, const train::RankReport& ranks) {
  FlatBufferBuilder builder;
  const auto lanes = lanes_of(builder, ranks.lanes);
  const auto spread = [&](const train::RankSpread& one) {
    return wire::CreateRankSpread(builder, one.least, one.most, one.mean, one.least_rank, one.most_rank);
  };
  const auto step_ns = spread(ranks.step_ns), waited_ns = spread(ranks.waited_ns), loss = spread(ranks.loss);
  return live::finish_message(
      builder, wire::CreateRanks(builder, document, ranks.size, false, lanes, ranks.step, step_ns, waited_ns, loss));
}

}  // namespace nns::session
