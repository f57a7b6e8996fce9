#pragma once

#include <chrono>

namespace nns::base {

/// How long one slice of a resumable job may work before it returns to its host's loop.
/// Ask spent() every few thousand cheap steps, or once a step that reads bytes.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Budget(Clock::duration slice) : end_(Clock::now() + slice) {}
  /// No limit: command line and tests, which have nobody to stay responsive for.
  static Budget unlimited() { return Budget(); }

  bool spent() const { return limited_ && Clock::now() >= end_; }

 private:
  Budget() : limited_(false) {}
  Clock::time_point end_{};
  bool limited_ = true;
};

}  // namespace nns::base
