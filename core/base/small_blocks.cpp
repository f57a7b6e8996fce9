// operator new and delete of a native program: small blocks that were given back are kept by size for what the thread
// asks for next, so that the nodes, tensors and lists of one training step become those of the next one.
//
// Every block comes from malloc: what is deleted without its size, or on another thread, needs no care.
// Memory: kept are at most kMostBytes of each size, on each thread.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kStep = 16, kClasses = 32;
constexpr std::size_t kMostBytes = std::size_t{256} << 10U;

struct FreeBlock {
  FreeBlock* next;
};
struct FreeList {
  FreeBlock* first;
  std::uint32_t count;
};
// Plain numbers, so that a thread needs no code to begin with them.
thread_local constinit std::array<FreeList, kClasses> lists{};
// Whether what this thread keeps is given to the system when it ends, and whether that was done.
thread_local constinit bool is_cleaned_up_after = false, is_over = false;

struct CleanUp {
  CleanUp() = default;
  CleanUp(const CleanUp&) = delete;
  CleanUp& operator=(const CleanUp&) = delete;
  ~CleanUp() {
    is_over = true;
    for (FreeList& list : lists) {
      while (list.first != nullptr) {
        FreeBlock* const block = list.first;
        list.first = block->next;
        std::free(block);
      }
      list.count = 0;
    }
  }
};
// Registers the end of the thread.
[[gnu::noinline]] void clean_up_after_thread() {
  is_cleaned_up_after = true;
  static thread_local CleanUp at_end;
  static_cast<void>(at_end);
}

[[gnu::noinline]] void* from_system(std::size_t bytes) {
  while (true) {
    if (void* const made = std::malloc(bytes)) return made;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t bytes) {
  // No bytes are as many as one.
  const std::size_t number = (bytes + (bytes == 0 ? 1 : 0) - 1) / kStep;
  if (number >= kClasses) return from_system(bytes);
  FreeList& list = lists[number];
  FreeBlock* const block = list.first;
  if (block == nullptr) return from_system((number + 1) * kStep);
  list.first = block->next;
  --list.count;
  return block;
}

void operator delete(void* data) noexcept { std::free(data); }

void operator delete(void* data, std::size_t bytes) noexcept {
  const std::size_t number = (bytes + (bytes == 0 ? 1 : 0) - 1) / kStep;
  if (data == nullptr) return;
  if (number >= kClasses) return std::free(data);
  FreeList& list = lists[number];
  if (is_over || list.count * (number + 1) * kStep >= kMostBytes) return std::free(data);
  if (!is_cleaned_up_after) [[unlikely]]
    clean_up_after_thread();
  list.first = new (data) FreeBlock{list.first};
  ++list.count;
}
