#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "core/base/result.h"

namespace nns::base {

/// Tasks that threads of its own do beside the caller, who takes what they came to in the order in which they were
/// added. In the browser there are no threads: each task is done when it is taken.
/// Threads: one calls; tasks run on any, several at once, and must not depend on each other.
class WorkAhead {
 public:
  using Task = std::function<Result<void>()>;

  /// `threads`: 0 does each task when it is taken; more than kMostThreads are as many as that.
  explicit WorkAhead(int threads);
  /// Drops the tasks that nobody has begun, and waits for those that somebody has.
  ~WorkAhead();
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

  void add(Task task);
  /// What the oldest came to; waits for it, or does it if no thread has begun it. Must hold: waiting() > 0.
  Result<void> take();
  /// How many were added and not taken.
  std::size_t waiting() const;
  /// How many of these are done, whatever their order.
  std::size_t done() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::base
