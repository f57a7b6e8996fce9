#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_sink.h"

namespace nns::checkpoint {

/// Writes a zip file whose members are stored as they are, in one pass: checksums follow the bytes. Members larger than
/// 4 GB and directories beyond them are written as zip64.
/// Behaviour: APPNOTE.TXT 6.3.10; the padding that torch's PyTorchStreamWriter puts into a local header's extra field,
/// so that each member's bytes begin at a multiple of `alignment` and can be mapped as they lie.
class ZipWriter {
 public:
  static constexpr std::uint64_t kAlignment = 64;

  /// `sink` must outlive this.
  explicit ZipWriter(base::ByteSink& sink) : sink_(sink) {}

  /// Begins a member of `size` bytes. Must hold: the one before was ended.
  base::Result<void> begin(std::string_view name, std::uint64_t size);
  base::Result<void> write(std::span<const std::byte> bytes);
  /// Errors: not as many bytes were written as begin() announced.
  base::Result<void> end();

  /// A whole member.
  base::Result<void> add(std::string_view name, std::string_view bytes);
  /// The directory. Must hold: the last member was ended.
  base::Result<void> finish();

 private:
  struct Member {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
    std::uint32_t crc = 0;
  };
  base::Result<void> put(std::string_view bytes);

  base::ByteSink& sink_;
  std::vector<Member> members_;
  std::uint64_t at_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace nns::checkpoint
