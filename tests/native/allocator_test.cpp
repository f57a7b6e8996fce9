#include <gtest/gtest.h>
#include <mimalloc.h>

#include <cstdint>
#include <new>
#include <vector>

namespace {

constexpr std::size_t kMoreThanThereIs = SIZE_MAX / 4;

// What a compiler cannot know, so that it leaves no allocation out.
std::size_t told(std::size_t bytes) {
  volatile std::size_t kept = bytes;
  return kept;
}

TEST(Allocator, ObjectsOfOursComeFromMimalloc) {
  const std::vector<int> values(told(1'000));
  EXPECT_TRUE(mi_is_in_heap_region(values.data()));
}

TEST(Allocator, NoMemoryIsAnExceptionOrNull) {
  EXPECT_THROW(static_cast<void>(::operator new(told(kMoreThanThereIs))), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(::operator new[](told(kMoreThanThereIs), std::align_val_t(64))), std::bad_alloc);
  EXPECT_EQ(::operator new(told(kMoreThanThereIs), std::nothrow), nullptr);
  EXPECT_EQ(::operator new(told(kMoreThanThereIs), std::align_val_t(64), std::nothrow), nullptr);
}

int handler_calls = 0;

TEST(Allocator, AHandlerIsAskedForRoomUntilItGivesUp) {
  handler_calls = 0;
  const std::new_handler before = std::set_new_handler([] {
    if (++handler_calls == 3) std::set_new_handler(nullptr);
  });
  EXPECT_EQ(::operator new(told(kMoreThanThereIs), std::nothrow), nullptr);
  std::set_new_handler(before);
  EXPECT_EQ(handler_calls, 3);
}

TEST(Allocator, AlignmentIsKeptForEverySize) {
  for (std::size_t alignment = 16; alignment <= 4'096; alignment *= 2) {
    for (const std::size_t bytes : std::initializer_list<std::size_t>{0, 1, 63, 64, 65, 4'095, 70'000, 3'000'000}) {
      void* const memory = ::operator new(told(bytes), std::align_val_t(alignment));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U) << bytes;
      ::operator delete(memory, std::align_val_t(alignment));
    }
  }
}

}  // namespace
