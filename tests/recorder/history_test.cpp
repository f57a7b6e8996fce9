#include "core/trace/history.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace nns::tests {
namespace {

using trace::Head;
using trace::Histories;

/// Things that change at random, beside a plain list of what each was since when.
struct Things {
  Histories<int> histories;
  std::vector<Head> heads;
  std::vector<std::vector<std::pair<std::uint32_t, int>>> lists;

  explicit Things(std::size_t count) : heads(count), lists(count) {}

  void add(std::size_t thing, std::uint32_t event, int value) {
    histories.add(heads[thing], event, value);
    lists[thing].emplace_back(event, value);
  }
  int expected(std::size_t thing, std::uint32_t event) const {
    int value = 0;
    for (const auto& [since, one] : lists[thing]) {
      if (since <= event) value = one;
    }
    return value;
  }
};

// Moments are asked for while the histories grow, as a program that is paused is looked at.
TEST(Histories, FindWhatHeldAtAnyMomentWhileTheyGrow) {
  Things things(7);
  std::mt19937 random(3);
  for (std::uint32_t event = 1; event < 3000; ++event) {
    // The first changes most often, the last hardly ever.
    for (std::size_t i = 0; i < 7; ++i) {
      if (random() % (1U << i) == 0) things.add(i, event, static_cast<int>(event * 10 + i));
    }
    if (event % 100 != 0) continue;
    for (int i = 0; i < 50; ++i) {
      const std::size_t thing = random() % 7;
      const auto at = static_cast<std::uint32_t>(random() % (event + 1));
      const Head found = things.histories.at(things.heads[thing], at);
      EXPECT_EQ(things.histories.content(found), things.expected(thing, at)) << thing << " at " << at;
    }
  }
}

TEST(Histories, OfTwoVersionsOfOneEventTheSecondHolds) {
  Histories<int> histories;
  Head head = 0;
  histories.add(head, 5, 1);
  histories.add(head, 7, 2);
  histories.add(head, 7, 3);
  histories.add(head, 9, 4);
  EXPECT_EQ(histories.at(head, 4), 0U);
  EXPECT_EQ(histories.content(histories.at(head, 6)), 1);
  EXPECT_EQ(histories.content(histories.at(head, 7)), 3);
  EXPECT_EQ(histories.since(histories.at(head, 8)), 7U);
  EXPECT_EQ(histories.content(histories.at(head, 9)), 4);
}

TEST(Histories, TellWhatAskingWillTake) {
  Histories<int> histories;
  Head head = 0;
  for (std::uint32_t event = 0; event < 1000; ++event) histories.add(head, event, 0);
  EXPECT_GT(histories.bytes_to_come(), 0U);
  EXPECT_EQ(histories.since(histories.at(head, 500)), 500U);
  EXPECT_EQ(histories.since(histories.at(head, 998)), 998U);
  EXPECT_EQ(histories.bytes_to_come(), 0U);
}

}  // namespace
}  // namespace nns::tests
