// Work that threads share: every part once, whoever else asks, however deep.
#include "core/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace nns::base {
namespace {

std::vector<std::int64_t> counts_of_parts(std::int64_t count) {
  std::vector<std::int64_t> done(static_cast<std::size_t>(count), 0);
  run_parts(count, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
  return done;
}

TEST(Parallel, EachPartRunsOnce) {
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    EXPECT_EQ(thread_count(), threads);
    for (const std::int64_t count : {0, 1, 2, 3, 64, 1000}) {
      for (int again = 0; again < 20; ++again) {
        EXPECT_EQ(counts_of_parts(count), std::vector<std::int64_t>(static_cast<std::size_t>(count), 1));
      }
    }
  }
}

TEST(Parallel, RangesCoverAllWithoutOverlap) {
  set_thread_count(3);
  for (const std::int64_t count : {0, 1, 7, 95, 96, 97, 500, 12345}) {
    for (const std::int64_t step : {1, 16}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      run_ranges(count, 32, step, [&](std::int64_t begin, std::int64_t end) {
        EXPECT_EQ(begin % step, 0);
        for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& one : seen) ASSERT_EQ(one.load(), 1);
    }
  }
}

TEST(Parallel, PartsInsidePartsRunWhereTheyAre) {
  set_thread_count(2);
  std::atomic<int> done{0};
  run_parts(4, [&](std::int64_t) {
    const auto here = std::this_thread::get_id();
    run_parts(5, [&](std::int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      ++done;
    });
  });
  EXPECT_EQ(done.load(), 20);
}

TEST(Parallel, SeveralCallersAtOnceAllFinish) {
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> sum{0};
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      set_thread_count(2);
      for (int again = 0; again < 200; ++again) run_parts(8, [&](std::int64_t i) { sum += i; });
    });
  }
  for (std::thread& one : callers) one.join();
  EXPECT_EQ(sum.load(), 3 * 200 * 28);
}

TEST(Parallel, TheCountBelongsToTheThread) {
  set_thread_count(3);
  int elsewhere = 0;
  std::thread([&] {
    set_thread_count(1);
    elsewhere = thread_count();
  }).join();
  EXPECT_EQ(elsewhere, 1);
  EXPECT_EQ(thread_count(), 3);
}

}  // namespace
}  // namespace nns::base
