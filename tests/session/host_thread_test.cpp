#include "core/session/host_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "tests/session/link.h"
#include "tests/support/make_safetensors.h"

namespace nns::session {
namespace {

// Receives until `is_reached` says so; false if that takes ten seconds.
class Viewer {
 public:
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }
  template <class IsReached>
  bool receive_until(live::Endpoint& endpoint, const IsReached& is_reached) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!is_reached()) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_until(lock, end, [this] { return woken_; })) return false;
      woken_ = false;
      lock.unlock();
      while (auto bytes = endpoint.receive()) EXPECT_TRUE(mirror.apply(std::move(*bytes)).ok());
    }
    return true;
  }
  live::Mirror mirror;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

TEST(HostThread, OpensWhileTheViewerSleepsAndWakesIt) {
  Viewer viewer;
  auto sources = std::make_shared<tests::TestSources>();
  sources->delay(2);
  const std::uint64_t source =
      sources->add("a.safetensors", tests::plan_safetensors({{"weight", "F32", {2, 3}}}).whole());
  HostThread thread(sources, [&] { viewer.wake(); });
  thread.endpoint().send(live::open_source(1, source, "a.safetensors", ""));
  EXPECT_TRUE(viewer.receive_until(thread.endpoint(), [&] { return !viewer.mirror.documents().empty(); }));
  EXPECT_NE(viewer.mirror.hello(), nullptr);
}

TEST(HostThread, StopsAtOnceInMidWork) {
  Viewer viewer;
  auto sources = std::make_shared<tests::TestSources>();
  const std::uint64_t source =
      sources->add("a.safetensors", tests::plan_safetensors({{"weight", "F32", {4096, 4096}}}).whole());
  {
    HostThread thread(sources, [&] { viewer.wake(); });
    thread.endpoint().send(live::open_source(1, source, "a.safetensors", ""));
    ASSERT_TRUE(viewer.receive_until(thread.endpoint(), [&] { return !viewer.mirror.documents().empty(); }));
    for (std::uint64_t request = 2; request < 30; ++request) {
      thread.endpoint().send(live::inspect_tensor(request, viewer.mirror.documents()[0]->id(), 0, true));
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace nns::session
