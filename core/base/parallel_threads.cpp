#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/parallel.h"

namespace nns::base {
namespace {

// How long a thread without work looks for more before it sleeps, and between two looks lets others run.
constexpr auto kAwake = std::chrono::microseconds(50);

// Whether this thread is in a part: then it does what comes itself.
thread_local bool is_in_part = false;
thread_local int wanted_threads = 0;

// What the threads work at. Lifetime: on the stack of the caller, who waits for all that took it.
struct Job {
  const std::function<void(std::int64_t)>& part;
  std::int64_t count;
  std::atomic<std::int64_t> next{0};

  void work() {
    is_in_part = true;
    for (std::int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) part(i);
    is_in_part = false;
  }
};

class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& one : threads_) one.join();
  }

  // Whether the threads were free; if so all parts are done.
  bool run(Job& job, int threads) {
    const std::unique_lock caller(callers_, std::try_to_lock);
    if (!caller.owns_lock()) return false;
    while (static_cast<int>(threads_.size()) < threads - 1) {
      threads_.emplace_back([this, number = static_cast<int>(threads_.size())] { loop(number); });
    }
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      helpers_ = threads - 1;
      generation_.fetch_add(1);
    }
    changed_.notify_all();
    job.work();
    // No thread may begin any more; those that did, finish their part.
    {
      const std::lock_guard lock(mutex_);
      job_ = nullptr;
    }
    while (working_.load() > 0) std::this_thread::yield();
    return true;
  }

 private:
  void loop(int number) {
    std::uint64_t seen = 0;
    while (true) {
      wait_for_news(seen);
      Job* job = nullptr;
      {
        const std::lock_guard lock(mutex_);
        if (is_stopping_) return;
        seen = generation_.load();
        if (number < helpers_) job = job_;
        if (job != nullptr) working_.fetch_add(1);
      }
      if (job == nullptr) continue;
      job->work();
      working_.fetch_sub(1);
    }
  }

  void wait_for_news(std::uint64_t seen) {
    const auto end = std::chrono::steady_clock::now() + kAwake;
    while (generation_.load() == seen && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stopping_ || generation_.load() != seen; });
  }

  std::mutex callers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  Job* job_ = nullptr;
  int helpers_ = 0;
  bool is_stopping_ = false;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<int> working_{0};
};

Pool& pool() {
  static Pool made;
  return made;
}

}  // namespace

int thread_count() {
  if (wanted_threads == 0) {
    wanted_threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
  }
  return wanted_threads;
}

void set_thread_count(int count) { wanted_threads = std::min(count, kMostThreads); }

void run_parts(std::int64_t count, const std::function<void(std::int64_t)>& part) {
  const auto threads = static_cast<int>(std::min<std::int64_t>(thread_count(), count));
  if (threads > 1 && !is_in_part) {
    Job job{part, count};
    if (pool().run(job, threads)) return;
  }
  for (std::int64_t i = 0; i < count; ++i) part(i);
}

}  // namespace nns::base
