#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/live/message.h"
#include "core/parallel/step_timeline.h"
#include "core/train/rank_exchange.h"

namespace nns::session {

/// Steps of the ranks of a program as they are told, until all ranks have made the same one.
class RankSteps {
 public:
  void add(parallel::StepTimeline step);
  void clear();
  /// The newest step that every rank has made, as a viewer is told of it; none: nothing new.
  std::optional<live::Bytes> take(std::uint32_t document);

 private:
  using Lanes = std::map<int, parallel::StepTimeline>;
  std::map<std::int64_t, Lanes> waiting_;  // by step
  Lanes whole_;
  bool is_new_ = false;
};

/// What the ranks of a training did, as a viewer is told of it.
live::Bytes ranks_message(std::uint32_t document, const train::RankReport& ranks);

}  // namespace nns::session
