// Tasks that are done beside whoever added them.
#include "core/base/work_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace nns::base {
namespace {

constexpr std::chrono::seconds kLong{60};

Error trouble(int number) {
  return {.found = "trouble " + std::to_string(number), .expected = "none", .where = "here", .offset = std::nullopt};
}

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

TEST(WorkAhead, OutcomesComeInTheOrderOfTheTasksHoweverManyThreadsThereAre) {
  for (const int threads : {0, 1, 3, 8}) {
    WorkAhead work(threads);
    for (int i = 0; i < 200; ++i) {
      work.add([i]() -> Result<void> {
        if (i % 3 == 0) return trouble(i);
        return {};
      });
    }
    for (int i = 0; i < 200; ++i) {
      const Result<void> outcome = work.take();
      ASSERT_EQ(outcome.ok(), i % 3 != 0) << i;
      EXPECT_EQ(outcome.ok() ? "" : outcome.error().found, outcome.ok() ? "" : "trouble " + std::to_string(i));
    }
  }
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

TEST(WorkAhead, WithoutThreadsATaskIsDoneWhenItIsTaken) {
  WorkAhead work(0);
  int done = 0;
  for (int i = 0; i < 2; ++i) {
    work.add([&done]() -> Result<void> {
      ++done;
      return {};
    });
  }
  EXPECT_EQ(done, 0);
  EXPECT_TRUE(work.take().ok());
  EXPECT_EQ(done, 1);
  EXPECT_EQ(work.waiting(), 1U);
}

}  // namespace
}  // namespace nns::base
