#include "core/live/broadcast.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/live/commands.h"
#include "tests/live/training_messages.h"

namespace nns::live {
namespace {

/// An event that says a number: an answer of a kind that viewers take.
Bytes number_message(std::uint64_t number) {
  flatbuffers::FlatBufferBuilder builder;
  const auto told = wire::CreateDocumentClosed(builder, static_cast<std::uint32_t>(number));
  return finish_message(builder, told);
}

/// Everything that waits for a viewer, verified.
std::vector<Message> take_all(Broadcast& stream, std::uint64_t viewer) {
  std::vector<Message> messages;
  while (const SharedBytes bytes = stream.take(viewer)) {
    auto message = Message::verify(*bytes);
    EXPECT_TRUE(message.ok());
    messages.push_back(std::move(message).value());
  }
  return messages;
}

std::vector<std::uint32_t> numbers(const std::vector<Message>& messages) {
  std::vector<std::uint32_t> found;
  for (const Message& message : messages) {
    if (const auto* told = message.as<wire::DocumentClosed>()) found.push_back(told->id());
  }
  return found;
}

TEST(BroadcastJoin, ALateViewerIsToldTheNewestValuesAndTheLastEvents) {
  Broadcast stream({.kept_events = 3});
  for (std::uint64_t i = 0; i < 10; ++i) stream.publish({1, i % 2}, number_message(100 + i));
  for (std::uint64_t i = 0; i < 10; ++i) stream.publish(number_message(i));
  const auto viewer = stream.join(false);
  ASSERT_TRUE(viewer);
  const auto messages = take_all(stream, *viewer);
  ASSERT_FALSE(messages.empty());
  ASSERT_NE(messages.front().as<wire::Rights>(), nullptr);
  EXPECT_FALSE(messages.front().as<wire::Rights>()->may_control());
  EXPECT_EQ(numbers(messages), (std::vector<std::uint32_t>{108, 109, 7, 8, 9}));
}

Bytes values_message(std::uint32_t of, std::uint64_t step) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<float> values(64, 1);
  const auto all = builder.CreateVector(values);
  const auto told = wire::CreateTrainingValues(builder, 1, 1, 3, step, of, 2, 8, 8, 8, 8, all);
  return finish_message(builder, told);
}

TEST(BroadcastAnswer, OfValuesASlowViewerHasTheNewestAndNoMoreThanThat) {
  Broadcast stream;
  const auto viewer = stream.join(false);
  take_all(stream, *viewer);
  for (std::uint64_t step = 0; step < 1000; ++step) {
    for (const std::uint32_t tensor : {0U, 1U}) stream.answer(*viewer, values_message(tensor, step));
  }
  EXPECT_EQ(stream.ready().size(), 1U);
  EXPECT_EQ(stream.waiting(*viewer), 2U);
  const auto messages = take_all(stream, *viewer);
  ASSERT_EQ(messages.size(), 2U);
  for (const Message& message : messages) EXPECT_EQ(message.as<wire::TrainingValues>()->step(), 999U);
}

TEST(BroadcastPublish, NumbersOfOtherModulesDoNotTakeEachOthersPlace) {
  Broadcast stream;
  const auto viewer = stream.join(false);
  take_all(stream, *viewer);
  for (std::uint64_t step = 0; step < 100; ++step) {
    for (const std::uint32_t module : {0U, 1U}) stream.publish(tests::numbers_message(1, 1, step, module, 0.5));
  }
  EXPECT_EQ(stream.ready().size(), 1U);
  EXPECT_EQ(stream.waiting(*viewer), 2U);
}

TEST(BroadcastJoin, WhatWasForgottenIsNotTold) {
  Broadcast stream;
  stream.publish({1, 1}, number_message(1));
  stream.publish({1, 2}, number_message(2));
  stream.forget({1, 1});
  const auto viewer = stream.join(false);
  EXPECT_EQ(numbers(take_all(stream, *viewer)), (std::vector<std::uint32_t>{2}));
}

TEST(BroadcastJoin, ThereAreNoMoreViewersThanTheLimit) {
  Broadcast stream({.most_viewers = 2});
  const auto first = stream.join(false);
  EXPECT_TRUE(stream.join(false));
  EXPECT_FALSE(stream.join(false));
  EXPECT_TRUE(stream.is_watched());
  stream.leave(*first);
  EXPECT_TRUE(stream.join(false));
}

TEST(BroadcastTake, ASlowViewerMissesEventsIsToldHowManyAndOthersMissNone) {
  Broadcast stream({.lane = {.most_events = 16, .most_event_bytes = 1U << 20U}});
  const auto slow = stream.join(false);
  const auto fast = stream.join(false);
  std::vector<std::uint32_t> seen;
  take_all(stream, *slow);
  take_all(stream, *fast);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    stream.publish(number_message(i));
    for (const std::uint32_t number : numbers(take_all(stream, *fast))) seen.push_back(number);
  }
  EXPECT_EQ(seen.size(), 1000U);
  const auto late = take_all(stream, *slow);
  std::uint64_t left_out = 0;
  for (const Message& message : late) {
    if (const auto* told = message.as<wire::EventsLeftOut>()) left_out += told->count();
  }
  EXPECT_EQ(numbers(late).size() + left_out, 1000U);
  EXPECT_LE(numbers(late).size(), 17U);
  EXPECT_EQ(numbers(late).back(), 999U);
}

TEST(BroadcastReceive, AViewerThatMayNotControlOnlyWatches) {
  Broadcast stream;
  const auto watcher = stream.join(false);
  const auto master = stream.join(true);
  take_all(stream, *watcher);
  EXPECT_TRUE(stream.receive(*watcher, run_text(5, 1, "x = 1")).ok());
  EXPECT_FALSE(stream.take_command());
  const auto answer = take_all(stream, *watcher);
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer.front().as<wire::Job>()->state(), wire::JobState::Failed);
  EXPECT_TRUE(stream.receive(*watcher, inspect(6, 1, 0)).ok());
  EXPECT_EQ(stream.take_command()->viewer, *watcher);
  EXPECT_TRUE(stream.receive(*master, run_text(7, 1, "x = 1")).ok());
  const auto command = stream.take_command();
  ASSERT_TRUE(command);
  EXPECT_EQ(command->viewer, *master);
  EXPECT_EQ(command->message.as<wire::RunText>()->request(), 7U);
}

TEST(BroadcastReceive, MessagesThatNoViewerSendsAreErrors) {
  Broadcast stream;
  const auto viewer = stream.join(true);
  EXPECT_FALSE(stream.receive(*viewer, number_message(1)).ok());
  EXPECT_FALSE(stream.receive(*viewer, Bytes(100, std::byte{7})).ok());
}

TEST(BroadcastReceive, MoreCommandsThanThereIsRoomForAreRefused) {
  Broadcast stream({.most_commands = 4});
  const auto viewer = stream.join(true);
  take_all(stream, *viewer);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_TRUE(stream.receive(*viewer, inspect(i + 1, 1, 0)).ok());
  EXPECT_EQ(take_all(stream, *viewer).size(), 6U);
  int taken = 0;
  while (stream.take_command()) ++taken;
  EXPECT_EQ(taken, 4);
}

TEST(BroadcastPublish, WhoMakesTheStreamAndViewersOnOtherThreadsMeetNoDamage) {
  Broadcast stream({.lane = {.most_events = 64, .most_event_bytes = 1U << 20U}});
  std::atomic<bool> is_over = false;
  std::vector<std::thread> viewers;
  viewers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    viewers.emplace_back([&] {
      while (!is_over) {
        const auto viewer = stream.join(false);
        for (int turn = 0; turn < 50; ++turn) {
          while (const SharedBytes bytes = stream.take(*viewer)) ASSERT_TRUE(Message::verify(*bytes).ok());
        }
        stream.leave(*viewer);
      }
    });
  }
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    stream.publish(number_message(i));
    stream.publish({1, i % 7}, number_message(i));
  }
  is_over = true;
  for (std::thread& thread : viewers) thread.join();
  EXPECT_EQ(stream.viewers(), 0U);
}

}  // namespace
}  // namespace nns::live
