// Tasks that are taken in the order in which they were added, with threads and without.
#include "core/base/work_ahead.h"

#include <gtest/gtest.h>

#include <string>

namespace nns::base {
namespace {

Error trouble(int number) {
  return {.found = "trouble " + std::to_string(number), .expected = "none", .where = "here", .offset = std::nullopt};
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
