#include "core/live/lane.h"

#include <gtest/gtest.h>

#include <string>

namespace nns::live {
namespace {

SharedBytes bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return std::make_shared<const Bytes>(begin, begin + text.size());
}

Told event(std::string_view text) { return {bytes_of(text), std::nullopt}; }
Told newest(std::uint64_t of, std::string_view text) { return {bytes_of(text), LatestKey{1, of}}; }

std::vector<std::string> take_all(Lane& lane) {
  std::vector<std::string> texts;
  while (const auto told = lane.take()) {
    texts.emplace_back(reinterpret_cast<const char*>(told->bytes->data()), told->bytes->size());
  }
  return texts;
}

TEST(LanePut, EventsComeOutInTheirOrder) {
  Lane lane;
  lane.put(event("a"));
  lane.put(event("b"));
  EXPECT_EQ(take_all(lane), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(lane.take_left_out(), 0U);
}

TEST(LanePut, ANewerValueTakesThePlaceOfOneThatWaits) {
  Lane lane;
  lane.put(newest(1, "old"));
  lane.put(event("e"));
  lane.put(newest(2, "other"));
  lane.put(newest(1, "new"));
  EXPECT_EQ(take_all(lane), (std::vector<std::string>{"new", "e", "other"}));
}

TEST(LanePut, AValueThatWasTakenWaitsAnew) {
  Lane lane;
  lane.put(newest(1, "first"));
  EXPECT_TRUE(lane.take().has_value());
  lane.put(newest(1, "second"));
  EXPECT_EQ(take_all(lane), (std::vector<std::string>{"second"}));
}

TEST(LanePut, OfTooManyEventsSomeAreLeftOutCountedAndTheRestSpansAll) {
  Lane lane({.most_events = 8, .most_event_bytes = 1U << 20U});
  for (int i = 0; i < 100; ++i) lane.put(event(std::to_string(i)));
  const std::uint64_t left_out = lane.take_left_out();
  const auto texts = take_all(lane);
  EXPECT_EQ(texts.size() + left_out, 100U);
  EXPECT_LE(texts.size(), 8U);
  EXPECT_GE(texts.size(), 4U);
  EXPECT_EQ(texts.front(), "0");
  EXPECT_EQ(texts.back(), "99");
}

TEST(LanePut, ValuesAreNeverLeftOut) {
  Lane lane({.most_events = 4, .most_event_bytes = 1U << 20U});
  for (std::uint64_t i = 0; i < 50; ++i) {
    lane.put(newest(i, "value " + std::to_string(i)));
    lane.put(event("event"));
  }
  lane.put(newest(7, "value seven"));
  std::size_t values = 0;
  bool saw_seven = false;
  for (const std::string& text : take_all(lane)) {
    if (text.starts_with("value")) ++values;
    saw_seven |= text == "value seven";
  }
  EXPECT_EQ(values, 50U);
  EXPECT_TRUE(saw_seven);
}

TEST(LanePut, BytesAreBoundedToo) {
  Lane lane({.most_events = 1000, .most_event_bytes = 1000});
  const std::string large(std::size_t{600}, 'x');
  for (int turn = 0; turn < 20; ++turn) lane.put(event(large));
  EXPECT_EQ(take_all(lane).size(), 1U);
  EXPECT_EQ(lane.take_left_out(), 19U);
}

}  // namespace
}  // namespace nns::live
