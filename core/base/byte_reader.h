#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace nns::base {

static_assert(std::endian::native == std::endian::little, "file formats are read as they lie in memory");

/// Little-endian reads from bytes that the reader does not own. After one failure every later read gives zero or
/// nothing, so a parser may test ok() once a record.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes), size_(bytes.size()) {}

  bool ok() const { return ok_; }
  /// Bytes taken so far; after a failure, where the failing read began.
  std::uint64_t position() const { return size_ - rest_.size(); }
  std::uint64_t remaining() const { return rest_.size(); }

  /// The next `count` bytes. `count` may come from the file: it is compared, never added.
  std::span<const std::byte> take(std::uint64_t count) {
    if (!ok_ || count > rest_.size()) {
      ok_ = false;
      return {};
    }
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::string_view take_text(std::uint64_t count) {
    const auto taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  /// The next little-endian number.
  template <class T>
  T number() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    const auto taken = take(sizeof(T));
    if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof(T));
    return value;
  }

 private:
  std::span<const std::byte> rest_;
  std::uint64_t size_;
  bool ok_ = true;
};

}  // namespace nns::base
