#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace nns::server {

/// Wakes a loop when something came. Threads: ring() any; wait() one.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      has_rung_ = true;
    }
    changed_.notify_one();
  }
  /// Returns once it has rung since the last call, or after `most`.
  void wait(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, most, [this] { return has_rung_; });
    has_rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_rung_ = false;
};

}  // namespace nns::server
