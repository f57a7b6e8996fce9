#include "core/base/byte_source.h"

#include <gmock/gmock.h>

#include <array>

namespace nns::base {
namespace {

std::vector<std::byte> bytes_upto(int count) {
  std::vector<std::byte> bytes;
  for (int value = 0; value < count; ++value) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(ByteSourceRead, PastTheEndSaysFileOffsetAndSize) {
  const auto source = make_memory_source("model.bin", bytes_upto(8));
  std::array<std::byte, 4> into{};
  const Result<void> read = source->read(6, into);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message(), "model.bin: byte 6: 4 bytes were wanted here, but the file ends at byte 8");
}

TEST(ByteSourceRead, AnOffsetNearTheLimitOf64BitsDoesNotWrapAround) {
  const auto source = make_memory_source("model.bin", bytes_upto(8));
  std::array<std::byte, 4> into{};
  EXPECT_FALSE(source->read(UINT64_MAX - 1, into).ok());
  EXPECT_FALSE(source->view(UINT64_MAX - 1, 4).has_value());
  EXPECT_FALSE(source->view(4, UINT64_MAX - 1).has_value());
}

TEST(ByteSourceRead, CountsWhatWasAsked) {
  const auto source = make_memory_source("model.bin", bytes_upto(8));
  std::array<std::byte, 3> into{};
  ASSERT_TRUE(source->read(1, into).ok());
  ASSERT_TRUE(source->view(0, 2).has_value());
  EXPECT_EQ(source->bytes_read(), 5U);
}

TEST(PartSource, ReadsTheBytesOfItsPart) {
  const auto whole = make_memory_source("a.zip", bytes_upto(16));
  auto part = make_part_source("a.zip!data", whole, 4, 8);
  ASSERT_TRUE(part.ok());
  std::array<std::byte, 2> into{};
  ASSERT_TRUE((*part)->read(6, into).ok());
  EXPECT_THAT(into, testing::ElementsAre(std::byte{10}, std::byte{11}));
  EXPECT_FALSE((*part)->read(7, into).ok()) << "the part ends before the whole does";
}

TEST(PartSource, OutsideTheWholeIsRefused) {
  const auto whole = make_memory_source("a.zip", bytes_upto(16));
  const auto part = make_part_source("a.zip!data", whole, 12, 5);
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().offset, 12U);
}

}  // namespace
}  // namespace nns::base
