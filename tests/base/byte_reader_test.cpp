#include "core/base/byte_reader.h"

#include <gtest/gtest.h>

#include <array>

namespace nns::base {
namespace {

TEST(ByteReaderTake, ReadsLittleEndianNumbersInOrder) {
  const std::array bytes{std::byte{0x34}, std::byte{0x12}, std::byte{0x07}};
  ByteReader in(bytes);
  EXPECT_EQ(in.number<std::uint16_t>(), 0x1234);
  EXPECT_EQ(in.number<std::uint8_t>(), 7);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.remaining(), 0U);
}

TEST(ByteReaderTake, ACountLargerThanTheRestFailsAndStaysFailed) {
  const std::array bytes{std::byte{1}, std::byte{2}};
  ByteReader in(bytes);
  EXPECT_TRUE(in.take(UINT64_MAX).empty());
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.number<std::uint8_t>(), 0) << "nothing is read after a failure";
  EXPECT_EQ(in.position(), 0U);
}

}  // namespace
}  // namespace nns::base
