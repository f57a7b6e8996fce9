#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"

namespace nns::checkpoint {

/// Reads a file forward through a window of it; numbers in the byte order of the file.
class GgufCursor {
 public:
  explicit GgufCursor(std::shared_ptr<base::ByteSource> source) : source_(std::move(source)) {}

  bool big_endian = false;

  const base::ByteSource& source() const { return *source_; }
  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return source_->size() - at_; }

  /// The next `count` bytes, valid until the next call; `what` names them in errors. Must hold: count <= kMost.
  /// Errors: the file ends before; reading failed.
  base::Result<const std::byte*> take(std::uint64_t count, std::string_view what);
  /// Goes on behind `count` bytes without reading them. Errors: the file ends before.
  base::Result<void> skip(std::uint64_t count, std::string_view what);

  /// The number at `bytes`.
  template <class T>
  T number(const std::byte* bytes) const {
    std::byte ordered[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) ordered[i] = bytes[big_endian ? sizeof(T) - 1 - i : i];
    T value{};
    std::memcpy(&value, ordered, sizeof(T));
    return value;
  }

  static constexpr std::uint64_t kMost = std::uint64_t{64} << 10U;

 private:
  base::Error ends(std::uint64_t count, std::string_view what) const;

  std::shared_ptr<base::ByteSource> source_;
  std::uint64_t at_ = 0;
  const std::byte* window_ = nullptr;  // buffer_ or a view
  std::uint64_t window_begin_ = 0;
  std::uint64_t window_end_ = 0;
  std::uint64_t next_window_ = kMost;
  std::vector<std::byte> buffer_;
};

}  // namespace nns::checkpoint
