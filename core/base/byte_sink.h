#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nns::base {

/// Where bytes go, one piece after the other: a file that is being written, a buffer.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  /// Errors: the disk is full, no permission, ... After one, whoever writes stops.
  virtual Result<void> write(std::span<const std::byte> bytes) = 0;
  Result<void> write(std::string_view text) { return write(std::as_bytes(std::span(text.data(), text.size()))); }
};

/// Bytes in memory.
class MemorySink final : public ByteSink {
 public:
  using ByteSink::write;
  Result<void> write(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace nns::base
