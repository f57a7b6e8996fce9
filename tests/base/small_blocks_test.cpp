// operator new and delete, whoever made and whoever gives back.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace nns::base {
namespace {

struct Block {
  void* data;
  std::size_t bytes;
};

// Blocks of all small sizes and some larger ones, each full of its number.
std::vector<Block> make_blocks() {
  std::vector<Block> made;
  for (std::size_t bytes = 0; bytes < 600; ++bytes) {
    void* const data = ::operator new(bytes);
    std::memset(data, static_cast<int>(made.size() % 251), bytes);
    made.push_back({data, bytes});
  }
  return made;
}
void check_blocks(const std::vector<Block>& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks[i].data) % alignof(std::max_align_t), 0U);
    const auto* const bytes = static_cast<const unsigned char*>(blocks[i].data);
    for (std::size_t k = 0; k < blocks[i].bytes; ++k) ASSERT_EQ(bytes[k], i % 251) << "of " << blocks[i].bytes;
  }
}
void give_back(const std::vector<Block>& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % 5 == 0) {
      ::operator delete(blocks[i].data);
    } else {
      ::operator delete(blocks[i].data, blocks[i].bytes);
    }
  }
}

TEST(SmallBlocks, NoTwoAreTheSameHoweverOftenTheyAreGivenBack) {
  for (int round = 0; round < 20; ++round) {
    const std::vector<Block> first = make_blocks(), second = make_blocks();
    check_blocks(first);
    check_blocks(second);
    give_back(first);
    const std::vector<Block> third = make_blocks();
    check_blocks(second);
    check_blocks(third);
    give_back(second);
    give_back(third);
  }
}

TEST(SmallBlocks, MayBeGivenBackOnAnotherThread) {
  for (int round = 0; round < 5; ++round) {
    std::vector<Block> made;
    std::thread([&made] { made = make_blocks(); }).join();
    check_blocks(made);
    std::thread([&made] {
      give_back(made);
      const std::vector<Block> again = make_blocks();
      check_blocks(again);
      give_back(again);
    }).join();
  }
}

TEST(SmallBlocks, MoreThanAreKeptGoBackToTheSystem) {
  std::vector<void*> many(20'000);
  for (void*& one : many) one = ::operator new(64);
  for (void* const one : many) ::operator delete(one, 64);
  ::operator delete (nullptr, std::size_t{64});
}

}  // namespace
}  // namespace nns::base
