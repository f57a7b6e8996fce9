#include "core/live/recording.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace nns::live {
namespace {

std::vector<std::byte> stored_bytes(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string message_text(const RecordedMessage& message) {
  return {reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size()};
}

/// Events "0", "1", ..., with keyframes that say "key N", where the writer wants them.
std::vector<std::byte> record(std::uint64_t events, bool finishes, std::size_t padding = 0) {
  base::MemorySink sink;
  RecordingWriter writer(sink);
  for (std::uint64_t i = 0; i < events; ++i) {
    if (writer.wants_keyframe()) {
      const auto key = stored_bytes("key " + std::to_string(i));
      const std::span<const std::byte> messages[] = {key};
      EXPECT_TRUE(writer.add_keyframe(i * 1000, messages).ok());
    }
    std::string text = std::to_string(i);
    text.resize(std::max(text.size(), padding), ' ');
    EXPECT_TRUE(writer.add(i * 1000, stored_bytes(text)).ok());
  }
  if (finishes) {
    EXPECT_TRUE(writer.finish().ok());
  } else {
    EXPECT_TRUE(writer.flush().ok());
  }
  return sink.bytes();
}

std::unique_ptr<Recording> open(std::vector<std::byte> bytes) {
  auto opened = Recording::open(base::make_memory_source("run.nnscope", std::move(bytes)));
  EXPECT_TRUE(opened.ok()) << opened.error().message();
  return opened.ok() ? std::move(opened).value() : nullptr;
}

TEST(RecordingOpen, WhatWasRecordedIsReadAgain) {
  const auto recording = open(record(100, true));
  ASSERT_NE(recording, nullptr);
  EXPECT_EQ(recording->events(), 100U);
  EXPECT_FALSE(recording->damage());
  const auto some = recording->read(17, 20);
  ASSERT_TRUE(some.ok());
  ASSERT_EQ(some->size(), 3U);
  EXPECT_EQ(message_text((*some)[0]), "17");
  EXPECT_EQ((*some)[2].at_us, 19'000U);
}

TEST(RecordingOpen, AnEmptyRecordingIsOne) {
  base::MemorySink sink;
  RecordingWriter writer(sink);
  ASSERT_TRUE(writer.finish().ok());
  const auto recording = open(sink.bytes());
  ASSERT_NE(recording, nullptr);
  EXPECT_EQ(recording->events(), 0U);
  EXPECT_TRUE(recording->seek(0).ok());
}

TEST(RecordingSeek, BeginsWithTheLastKeyframeBefore) {
  const auto recording = open(record(20'000, true, 400));
  ASSERT_NE(recording, nullptr);
  std::size_t keyframes = 0;
  for (const RecordedChunk& chunk : recording->chunks()) keyframes += chunk.kind == ChunkKind::Keyframe ? 1 : 0;
  EXPECT_GE(keyframes, 4U);
  for (const std::uint64_t event : {0U, 1U, 9'999U, 12'345U, 20'000U}) {
    const auto messages = recording->seek(event);
    ASSERT_TRUE(messages.ok());
    ASSERT_FALSE(messages->empty());
    const std::string key = message_text(messages->front());
    ASSERT_EQ(key.substr(0, 4), "key ");
    const std::uint64_t from = std::stoull(key.substr(4));
    EXPECT_LE(from, event);
    EXPECT_EQ(messages->size(), 1 + event - from);
    if (event == from) continue;
    EXPECT_EQ(std::stoull(message_text(messages->back())), event - 1);
  }
}

TEST(RecordingSeek, WithoutKeyframesDoesNotReadEverythingIntoMemory) {
  base::MemorySink sink;
  RecordingWriter writer(sink);
  const std::vector<std::byte> large(std::size_t{60} << 20U);
  for (std::uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(writer.add(i, large).ok());
  ASSERT_TRUE(writer.finish().ok());
  const auto recording = open(sink.bytes());
  ASSERT_NE(recording, nullptr);
  EXPECT_TRUE(recording->seek(1).ok());
  const auto all = recording->seek(8);
  ASSERT_FALSE(all.ok());
  EXPECT_NE(all.error().message().find("keyframe"), std::string::npos) << all.error().message();
}

TEST(RecordingEventAt, FindsHowManyEventsHadBeenTold) {
  const auto recording = open(record(5'000, true, 200));
  ASSERT_NE(recording, nullptr);
  EXPECT_EQ(recording->event_at(0).value(), 1U);
  EXPECT_EQ(recording->event_at(2'500'500).value(), 2'501U);
  EXPECT_EQ(recording->event_at(UINT64_MAX).value(), 5'000U);
}

TEST(RecordingOpen, WithoutItsEndAllWholeChunksAreRead) {
  const auto whole = record(20'000, false, 100);
  const auto recording = open(whole);
  ASSERT_NE(recording, nullptr);
  EXPECT_EQ(recording->events(), 20'000U);
  EXPECT_TRUE(recording->damage());
}

TEST(RecordingOpen, AFileThatWasCutAnywhereIsReadUpToItsLastWholeChunk) {
  const auto whole = record(8'000, true, 100);
  std::uint64_t last = 0;
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    auto opened = Recording::open(
        base::make_memory_source("cut", {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
    if (!opened.ok()) continue;
    EXPECT_TRUE((*opened)->damage());
    EXPECT_GE((*opened)->events(), last);
    last = (*opened)->events();
    const auto all = (*opened)->read(0, last);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->size(), last);
  }
  EXPECT_GT(last, 4'000U);
}

TEST(RecordingOpen, ADamagedByteIsFoundAndWhatComesBeforeItIsRead) {
  const auto whole = record(8'000, true, 100);
  for (std::size_t at = 20; at < whole.size(); at += 1301) {
    auto bytes = whole;
    bytes[at] ^= std::byte{0x20};
    auto opened = Recording::open(base::make_memory_source("damaged", std::move(bytes)));
    if (!opened.ok()) continue;
    const auto all = (*opened)->read(0, (*opened)->events());
    // Either the damage was met while opening, or it is while reading; nothing wrong is ever given.
    if (!all.ok()) continue;
    for (std::size_t i = 0; i < all->size(); ++i) ASSERT_EQ(std::stoull(message_text((*all)[i])), i);
  }
}

TEST(RecordingOpen, OtherFilesAreRefused) {
  EXPECT_FALSE(Recording::open(base::make_memory_source("empty", {})).ok());
  EXPECT_FALSE(Recording::open(base::make_memory_source("text", std::vector<std::byte>(5000, std::byte{'x'}))).ok());
  auto newer = record(3, true);
  newer[8] = std::byte{99};
  const auto opened = Recording::open(base::make_memory_source("newer", std::move(newer)));
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message().find("version 99"), std::string::npos);
}

/// A disk with room for so many bytes.
class SmallDisk final : public base::ByteSink {
 public:
  explicit SmallDisk(std::size_t room) : room_(room) {}
  base::Result<void> write(std::span<const std::byte> bytes) override {
    const std::size_t fits = std::min(bytes.size(), room_ - kept.size());
    kept.insert(kept.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(fits));
    if (fits == bytes.size()) return {};
    return base::Error{.found = "no space left", .expected = {}, .where = {}, .offset = {}};
  }
  std::vector<std::byte> kept;

 private:
  std::size_t room_;
};

TEST(RecordingWriterAdd, AFullDiskEndsTheRecordingWhichStaysReadable) {
  SmallDisk disk(60'000);
  RecordingWriter writer(disk);
  bool failed = false;
  std::string noise(500, ' ');
  std::uint32_t state = 1;
  for (int i = 0; i < 5'000 && !failed; ++i) {
    for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24U);
    failed =
        !writer.add(static_cast<std::uint64_t>(i), stored_bytes(noise)).ok() || (i % 20 == 19 && !writer.flush().ok());
  }
  EXPECT_TRUE(failed);
  EXPECT_TRUE(writer.add(0, stored_bytes("more")).ok());
  EXPECT_TRUE(writer.finish().ok());
  const auto recording = open(disk.kept);
  ASSERT_NE(recording, nullptr);
  EXPECT_GE(recording->events(), 60U);
  EXPECT_TRUE(recording->damage());
}

}  // namespace
}  // namespace nns::live
