#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/live/bytes.h"

namespace nns::live {

/// A message that many viewers share.
using SharedBytes = std::shared_ptr<const Bytes>;

/// What a message says the newest of: the first number is the kind of message, the second whose (a run, a module).
using LatestKey = std::pair<std::uint64_t, std::uint64_t>;

/// A message on its way to viewers.
struct Told {
  SharedBytes bytes;
  /// With a key it is the newest value of something: it takes the place of an older one that still waits, and who comes
  /// later is told it. Without, it is an event: each counts, and of too many that wait some are left out.
  std::optional<LatestKey> key;
};

/// How much may wait in a lane.
struct LaneLimits {
  std::size_t most_events = 4096;
  std::size_t most_event_bytes = std::size_t{4} << 20U;
};

/// What waits for one viewer: never more than its limits of events, and one value for each key.
/// When there are too many events every second of them is left out, the oldest first thinned, so that what remains
/// still spans the whole time. Threads: one.
class Lane {
 public:
  explicit Lane(LaneLimits limits = {}) : limits_(limits) {}

  void put(Told told);
  std::optional<Told> take();
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  /// Events left out since the last call.
  std::uint64_t take_left_out() { return std::exchange(left_out_, 0); }
  void clear();

 private:
  void thin();
  LaneLimits limits_;
  std::deque<Told> waiting_;
  // By key: the number of the one that waits; numbers_ counts what was taken, so a number minus it is a place.
  std::map<LatestKey, std::uint64_t> places_;
  std::uint64_t taken_ = 0;
  std::size_t events_ = 0;
  std::size_t event_bytes_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace nns::live
