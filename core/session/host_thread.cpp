#include "core/session/host_thread.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace nns::session {

namespace {

constexpr auto kSlice = std::chrono::milliseconds(8);
constexpr auto kPollWhileWaiting = std::chrono::milliseconds(5);

}  // namespace

struct HostThread::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool has_message = false;
  bool is_stopping = false;
  std::unique_ptr<live::Endpoint> viewer_end;
  std::thread thread;

  void wake() {
    {
      const std::lock_guard lock(mutex);
      has_message = true;
    }
    changed.notify_one();
  }

  void loop(Host& host) {
    while (true) {
      {
        const std::lock_guard lock(mutex);
        if (is_stopping) return;
        has_message = false;
      }
      if (host.run(base::Budget(kSlice))) continue;
      std::unique_lock lock(mutex);
      const auto has_news = [this] { return has_message || is_stopping; };
      if (host.waiting()) {
        changed.wait_for(lock, kPollWhileWaiting, has_news);
      } else {
        changed.wait(lock, has_news);
      }
    }
  }
};

HostThread::HostThread(std::shared_ptr<SourceProvider> sources, std::function<void()> wake_viewer, Abilities abilities)
    : state_(std::make_unique<State>()) {
  State* state = state_.get();
  auto [viewer_end, host_end] = live::make_queue(std::move(wake_viewer), [state] { state->wake(); });
  state->viewer_end = std::move(viewer_end);
  state->thread = std::thread(
      [state, end = std::move(host_end), sources = std::move(sources), abilities = std::move(abilities)]() mutable {
        Host host(std::move(end), std::move(sources), std::move(abilities));
        state->loop(host);
      });
}

HostThread::~HostThread() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_stopping = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
}

live::Endpoint& HostThread::endpoint() { return *state_->viewer_end; }

}  // namespace nns::session
