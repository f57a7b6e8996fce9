#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/parallel/process_group.h"

namespace nns::collectives {

/// Work that another thread settles.
class SettledWork : public parallel::Work {
 public:
  bool is_completed() override {
    const std::lock_guard lock(mutex_);
    return is_done_;
  }
  bool wait_for(std::chrono::milliseconds time) override {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return is_done_; });
  }
  base::Result<void> result() override {
    const std::lock_guard lock(mutex_);
    return result_;
  }
  /// It is over, with that result.
  void complete(base::Result<void> result) {
    {
      const std::lock_guard lock(mutex_);
      result_ = std::move(result);
      is_done_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_done_ = false;
  base::Result<void> result_;
};

}  // namespace nns::collectives
