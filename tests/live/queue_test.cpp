#include <gtest/gtest.h>

#include <thread>

#include "core/live/endpoint.h"

namespace nns::live {
namespace {

live::Bytes bytes_of(unsigned value) { return live::Bytes(1, static_cast<std::byte>(value)); }

TEST(QueueSend, MessagesArriveInOrderAtTheOtherEnd) {
  auto [first, second] = make_queue({}, {});
  first->send(bytes_of(1));
  first->send(bytes_of(2));
  second->send(bytes_of(3));
  EXPECT_EQ(second->receive(), bytes_of(1));
  EXPECT_EQ(second->receive(), bytes_of(2));
  EXPECT_EQ(second->receive(), std::nullopt);
  EXPECT_EQ(first->receive(), bytes_of(3));
}

TEST(QueueSend, WakesTheEndThatReceives) {
  int woken_first = 0;
  int woken_second = 0;
  auto [first, second] = make_queue([&] { ++woken_first; }, [&] { ++woken_second; });
  first->send(bytes_of(1));
  EXPECT_EQ(woken_first, 0);
  EXPECT_EQ(woken_second, 1);
  second->send(bytes_of(2));
  EXPECT_EQ(woken_first, 1);
}

TEST(QueueClose, TheOtherEndLearnsOfItAndStillReceivesWhatWasSent) {
  int woken = 0;
  auto [first, second] = make_queue([&] { ++woken; }, {});
  second->send(bytes_of(1));
  EXPECT_TRUE(first->is_connected());
  second.reset();
  EXPECT_EQ(woken, 2);
  EXPECT_FALSE(first->is_connected());
  first->send(bytes_of(2));
  EXPECT_EQ(first->receive(), bytes_of(1));
  EXPECT_EQ(first->receive(), std::nullopt);
}

TEST(QueueSend, TwoThreadsLoseNothing) {
  auto [first, second] = make_queue({}, {});
  constexpr unsigned kCount = 10'000;
  std::thread sender([&end = *first] {
    for (unsigned i = 0; i < kCount; ++i) end.send(bytes_of(i & 0xFFU));
  });
  unsigned received = 0;
  while (received < kCount) {
    if (const auto message = second->receive()) {
      ASSERT_EQ(*message, bytes_of(received & 0xFFU));
      ++received;
    }
  }
  sender.join();
}

}  // namespace
}  // namespace nns::live
