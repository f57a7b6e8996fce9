// Tasks that threads do beside whoever added them; where there are no threads, there is nothing of it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/work_ahead.h"

namespace nns::base {
namespace {

constexpr std::chrono::seconds kLong{60};

TEST(WorkAhead, TasksAreDoneWhileTheCallerHoldsStill) {
  WorkAhead work(1);
  std::vector<std::promise<void>> done(3);
  std::atomic<bool> is_elsewhere = true;
  for (std::promise<void>& one : done) {
    work.add([&one, &is_elsewhere, caller = std::this_thread::get_id()]() -> Result<void> {
      if (std::this_thread::get_id() == caller) is_elsewhere = false;
      one.set_value();
      return {};
    });
  }
  // Nobody takes anything: who does them has to be another thread.
  for (std::promise<void>& one : done) ASSERT_EQ(one.get_future().wait_for(kLong), std::future_status::ready);
  EXPECT_TRUE(is_elsewhere);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(work.take().ok());
  EXPECT_EQ(work.waiting(), 0U);
}

TEST(WorkAhead, AnEndWaitsForWhatHasBegunAndDropsTheRest) {
  std::promise<void> begun;
  std::atomic<int> done = 0;
  bool are_others_gone = false;
  {
    WorkAhead work(1);
    auto others = std::make_shared<int>(0);
    // It ends once the other tasks are gone: only an end of the whole makes them go.
    work.add([&, last = std::weak_ptr<int>(others)]() -> Result<void> {
      begun.set_value();
      for (const auto end = std::chrono::steady_clock::now() + kLong;
           !last.expired() && std::chrono::steady_clock::now() < end;)
        std::this_thread::yield();
      are_others_gone = last.expired();
      ++done;
      return {};
    });
    ASSERT_EQ(begun.get_future().wait_for(kLong), std::future_status::ready);
    for (int i = 0; i < 50; ++i) {
      work.add([&done, others]() -> Result<void> {
        ++done;
        return {};
      });
    }
    others.reset();
    EXPECT_EQ(work.done(), 0U);
  }
  EXPECT_TRUE(are_others_gone);
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace nns::base
