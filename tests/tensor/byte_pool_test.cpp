// Bytes of storages: aligned, as many as were asked for, and used again.
#include "core/tensor/byte_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <thread>
#include <vector>

namespace nns::tensor {
namespace {

TEST(BytePool, EverySizeIsAlignedAndWhole) {
  std::vector<std::pair<std::byte*, std::size_t>> taken;
  for (std::size_t bytes = 1; bytes < 200'000; bytes += bytes / 9 + 1) {
    std::byte* const data = take_bytes(bytes);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % kByteAlignment, 0U) << bytes;
    std::memset(data, static_cast<int>(bytes % 251), bytes);
    taken.emplace_back(data, bytes);
  }
  for (const auto& [data, bytes] : taken) {
    for (std::size_t i = 0; i < bytes; i += 61) ASSERT_EQ(data[i], static_cast<std::byte>(bytes % 251)) << bytes;
    give_bytes(data, bytes);
  }
}

TEST(BytePool, TwoThatAreInUseNeverOverlap) {
  for (int round = 0; round < 50; ++round) {
    const std::size_t bytes = 1000 + static_cast<std::size_t>(round) * 37;
    std::byte* const first = take_bytes(bytes);
    std::byte* const second = take_bytes(bytes);
    EXPECT_TRUE(first + bytes <= second || second + bytes <= first);
    give_bytes(first, bytes);
    give_bytes(second, bytes);
  }
}

TEST(BytePool, TooMuchIsNull) { EXPECT_EQ(take_bytes(std::numeric_limits<std::size_t>::max() / 4), nullptr); }

TEST(BytePool, AnotherThreadMayGiveBack) {
  std::byte* const data = take_bytes(4096);
  std::thread([data] { give_bytes(data, 4096); }).join();
  std::byte* const again = take_bytes(4096);
  std::memset(again, 1, 4096);
  give_bytes(again, 4096);
}

}  // namespace
}  // namespace nns::tensor
