#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>
#include <vector>

#include "core/tensor/byte_pool.h"

namespace nns::tensor {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20U;
constexpr std::size_t kMostIdle = sizeof(void*) == 8 ? 1024 * kMebibyte : 32 * kMebibyte;

// Blocks come in sizes of eight steps between powers of two: at most an eighth is left empty.
constexpr unsigned kStepBits = 3;
constexpr unsigned kLeastBits = 6;  // 64 bytes
constexpr std::size_t kClasses = ((std::numeric_limits<std::size_t>::digits - kLeastBits) << kStepBits) + 1;

struct SizeClass {
  std::size_t number;
  std::size_t bytes;
};
SizeClass class_of(std::size_t bytes) {
  const std::size_t wanted = std::max(bytes, std::size_t{1} << kLeastBits) - 1;
  const auto bits = static_cast<unsigned>(std::bit_width(wanted)) - 1;
  if (bits < kLeastBits + kStepBits) {
    // Small ones: each multiple of 64 has a class.
    const std::size_t multiple = (wanted >> kLeastBits) + 1;
    return {multiple, multiple << kLeastBits};
  }
  const unsigned shift = bits - kStepBits;
  const std::size_t steps = (wanted >> shift) + 1;  // 9 to 16
  return {(std::size_t{bits - kLeastBits} << kStepBits) + steps - (std::size_t{1} << kStepBits), steps << shift};
}

std::byte* from_system(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kByteAlignment), std::nothrow));
}
void to_system(std::byte* data) noexcept { ::operator delete(data, std::align_val_t(kByteAlignment)); }

class BytePool {
 public:
  BytePool() = default;
  BytePool(const BytePool&) = delete;
  BytePool& operator=(const BytePool&) = delete;
  ~BytePool();

  std::byte* take(const SizeClass& size) {
    used_ += size.bytes;
    most_used_ = std::max(most_used_, used_);
    std::vector<std::byte*>& free = free_[size.number];
    if (!free.empty()) {
      std::byte* const data = free.back();
      free.pop_back();
      idle_ -= size.bytes;
      return data;
    }
    const std::size_t room = most_used_ / 4 + 64 * kMebibyte;
    if (used_ + idle_ > most_used_ + room) drop_until(most_used_ + room - std::min(used_, most_used_ + room));
    std::byte* data = from_system(size.bytes);
    if (data == nullptr && idle_ > 0) {
      drop_until(0);
      data = from_system(size.bytes);
    }
    if (data == nullptr) used_ -= size.bytes;
    return data;
  }

  ByteUse use() const { return {used_, most_used_}; }

  void give(std::byte* data, const SizeClass& size) noexcept {
    // Of blocks that came from another thread nothing was counted here.
    used_ -= std::min(used_, size.bytes);
    if (idle_ + size.bytes > used_ + kMostIdle) return to_system(data);
    free_[size.number].push_back(data);
    idle_ += size.bytes;
  }

 private:
  // Gives the largest blocks to the system until no more than `bytes` are left.
  void drop_until(std::size_t bytes) noexcept {
    for (std::size_t number = kClasses; number-- > 0 && idle_ > bytes;) {
      std::vector<std::byte*>& free = free_[number];
      while (!free.empty() && idle_ > bytes) {
        to_system(free.back());
        free.pop_back();
        idle_ -= bytes_of(number);
      }
    }
  }
  static std::size_t bytes_of(std::size_t number) {
    if (number <= (std::size_t{1} << kStepBits)) return number << kLeastBits;
    const std::size_t step = (number - 1) % (std::size_t{1} << kStepBits) + 1;
    const std::size_t bits = (number - step) >> kStepBits;
    return ((std::size_t{1} << kStepBits) + step) << (bits + kLeastBits - kStepBits);
  }

  std::array<std::vector<std::byte*>, kClasses> free_;
  std::size_t used_ = 0, most_used_ = 0, idle_ = 0;
};

// Whether this thread's pool has gone, at the thread's end: then blocks go straight to the system.
thread_local constinit bool pool_is_gone = false;

BytePool::~BytePool() {
  drop_until(0);
  pool_is_gone = true;
}

BytePool& pool() {
  static thread_local BytePool made;
  return made;
}

}  // namespace

ByteUse bytes_in_use() { return pool_is_gone ? ByteUse() : pool().use(); }

std::byte* take_bytes(std::size_t bytes) {
  const SizeClass size = class_of(bytes);
  return pool_is_gone ? from_system(size.bytes) : pool().take(size);
}

void give_bytes(std::byte* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  if (pool_is_gone) return to_system(data);
  pool().give(data, class_of(bytes));
}

}  // namespace nns::tensor
