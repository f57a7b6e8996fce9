// The allocator of GPU memory, over memory of the CPU.
#include "native/cuda/allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace nns::tests {
namespace {

using cuda::CachingAllocator;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

// Segments of a device that has `limit` bytes.
class Segments final : public cuda::SegmentSource {
 public:
  Segments(std::uint64_t limit, std::uint64_t& held) : limit_(limit), held_(held) {}
  std::byte* take(std::uint64_t bytes) override {
    if (held_ + bytes > limit_) return nullptr;
    held_ += bytes;
    auto* const made = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{512}));
    sizes_[made] = bytes;
    return made;
  }
  void give_back(std::byte* segment) override {
    held_ -= sizes_.at(segment);
    sizes_.erase(segment);
    ::operator delete (segment, std::align_val_t{512});
  }

 private:
  std::uint64_t limit_;
  std::uint64_t& held_;
  std::map<std::byte*, std::uint64_t> sizes_;
};

class Allocator : public testing::Test {
 protected:
  std::uint64_t held = 0;
  CachingAllocator memory{std::make_unique<Segments>(200 * kMiB, held)};
};

TEST_F(Allocator, GivesTheSameMemoryAgainWithoutAskingTheDevice) {
  std::byte* const first = memory.allocate(1000, "add");
  memory.release(first);
  EXPECT_EQ(memory.allocate(1000, "mul"), first);
  EXPECT_EQ(memory.statistics().segments_taken, 1U);
  EXPECT_EQ(memory.statistics().allocations, 2U);
  memory.release(first);
}

TEST_F(Allocator, CutsSmallBlocksFromOneSegmentAndJoinsThemAgain) {
  std::byte* const a = memory.allocate(700 * 1024, "a");
  std::byte* const b = memory.allocate(700 * 1024, "b");
  EXPECT_EQ(memory.statistics().reserved, 2 * kMiB);
  EXPECT_EQ(b - a, 700 * 1024);
  memory.release(b);
  memory.release(a);
  // The whole segment is one block again.
  std::byte* const whole = memory.allocate(kMiB, "c");
  EXPECT_EQ(whole, a);
  EXPECT_EQ(memory.statistics().segments_taken, 1U);
  memory.release(whole);
}

TEST_F(Allocator, GivesUnusedSegmentsBackBeforeItFails) {
  std::byte* const large = memory.allocate(120 * kMiB, "a");
  memory.release(large);
  EXPECT_EQ(held, 120 * kMiB);
  std::byte* const larger = memory.allocate(190 * kMiB, "b");
  ASSERT_NE(larger, nullptr);
  EXPECT_EQ(held, 190 * kMiB);
  EXPECT_EQ(memory.statistics().retries, 1U);
  EXPECT_EQ(memory.allocate(50 * kMiB, "c"), nullptr);
  EXPECT_EQ(memory.statistics().failures, 1U);
  // What is there goes on working.
  memory.release(larger);
  std::byte* const after = memory.allocate(50 * kMiB, "d");
  EXPECT_NE(after, nullptr);
  memory.release(after);
}

TEST_F(Allocator, RefusesSizesThatNoMemoryHas) {
  EXPECT_EQ(memory.allocate(~std::uint64_t{0} - 3, "a"), nullptr);
  EXPECT_EQ(memory.allocate(std::uint64_t{1} << 62U, "a"), nullptr);
}

TEST_F(Allocator, TellsWhoHoldsTheMemoryLargestFirst) {
  std::byte* const a = memory.allocate(kMiB, "addmm");
  std::byte* const b = memory.allocate(3 * kMiB, "softmax");
  std::byte* const c = memory.allocate(kMiB, "addmm");
  const auto holdings = memory.holdings();
  ASSERT_EQ(holdings.size(), 2U);
  EXPECT_EQ(holdings[0].holder, "softmax");
  EXPECT_EQ(holdings[1].holder, "addmm");
  EXPECT_EQ(holdings[1].bytes, 2 * kMiB);
  EXPECT_EQ(holdings[1].blocks, 2U);
  for (std::byte* const one : {a, b, c}) memory.release(one);
  EXPECT_TRUE(memory.holdings().empty());
}

TEST_F(Allocator, KeepsBlocksApartThroughManyRandomCalls) {
  std::mt19937 random(7);
  struct Taken {
    std::byte* at;
    std::size_t bytes;
    unsigned char mark;
  };
  std::vector<Taken> taken;
  for (int round = 0; round < 4000; ++round) {
    if (taken.size() < 40 && random() % 3 != 0) {
      const std::size_t bytes = 1 + random() % (random() % 4 == 0 ? 4 * kMiB : 5000);
      std::byte* const at = memory.allocate(bytes, "random");
      if (at == nullptr) continue;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % CachingAllocator::kAlignment, 0U);
      const auto mark = static_cast<unsigned char>(round);
      std::memset(at, mark, bytes);
      taken.push_back({at, bytes, mark});
    } else if (!taken.empty()) {
      const std::size_t which = random() % taken.size();
      const Taken one = taken[which];
      for (std::size_t i = 0; i < one.bytes; i += 997) ASSERT_EQ(one.at[i], std::byte{one.mark});
      ASSERT_EQ(one.at[one.bytes - 1], std::byte{one.mark});
      memory.release(one.at);
      taken[which] = taken.back();
      taken.pop_back();
    }
  }
  for (const Taken& one : taken) memory.release(one.at);
  EXPECT_EQ(memory.statistics().allocated, 0U);
  memory.release_cached();
  EXPECT_EQ(held, 0U);
  EXPECT_EQ(memory.statistics().reserved, 0U);
}

}  // namespace
}  // namespace nns::tests
