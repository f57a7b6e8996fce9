#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nns::base {

/// Random access to bytes somewhere else: a mapped file, a browser File, an HTTP server that answers ranges.
/// Sizes and offsets are 64-bit everywhere (size_t is 32-bit in WebAssembly).
/// Threads: one at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// What a person calls it: path, URL, or "archive.zip!member".
  virtual const std::string& name() const = 0;
  /// Units: bytes.
  virtual std::uint64_t size() const = 0;

  /// Fills `into` with the bytes from `offset` on.
  /// Errors: the range does not lie inside the source; the file shrank; the network failed.
  Result<void> read(std::uint64_t offset, std::span<std::byte> into);

  /// The bytes in place where the source has them in memory (a mapped file), else nullopt: then use read().
  /// The span lives as long as the source. Out-of-range gives nullopt too.
  std::optional<std::span<const std::byte>> view(std::uint64_t offset, std::uint64_t length);

  /// How many bytes were asked of this source so far, by read() or view(); tests hold "a reader reads what it shows"
  /// with it.
  std::uint64_t bytes_read() const { return bytes_read_; }

 protected:
  /// `into` lies inside the source and is not empty.
  virtual Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) = 0;
  /// The range lies inside the source.
  virtual std::optional<std::span<const std::byte>> do_view(std::uint64_t offset, std::uint64_t length);

 private:
  std::uint64_t bytes_read_ = 0;
};

/// Bytes in memory.
std::shared_ptr<ByteSource> make_memory_source(std::string name, std::vector<std::byte> bytes);

/// The part of `whole` from `offset` with `size` bytes, under a name of its own: a member stored in an archive.
/// Errors: the part does not lie inside `whole`.
Result<std::shared_ptr<ByteSource>> make_part_source(std::string name, std::shared_ptr<ByteSource> whole,
                                                     std::uint64_t offset, std::uint64_t size);

}  // namespace nns::base
