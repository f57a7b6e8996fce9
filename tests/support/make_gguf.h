#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nns::tests {

/// Writes a GGUF file: keys first, then tensors, then whole(). Versions 1 to 3; lengths of version 1 have 32 bits.
class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3, bool big_endian = false)
      : version_(version), big_endian_(big_endian) {}

  /// The numbers of the value types, as in the file.
  enum Type : std::uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };

  /// A number in the byte order of the file.
  template <class T>
  std::string number(T value) const {
    return ordered(&value, sizeof value);
  }
  /// A length, as wide as the version has it; a string with its length.
  std::string length(std::uint64_t value) const;
  std::string string(std::string_view text) const { return length(text.size()).append(text); }

  /// A key with a value of `type`, whose bytes are `value`.
  GgufWriter& key(std::string_view name, std::uint32_t type, std::string_view value);
  GgufWriter& text(std::string_view name, std::string_view value) { return key(name, kString, string(value)); }
  /// `elements` are the bytes of `count` elements.
  GgufWriter& array(std::string_view name, std::uint32_t type, std::uint64_t count, std::string_view elements);
  GgufWriter& alignment(std::uint32_t value);

  /// A tensor of ggml's type `type`; `dims` as in the file, fastest first. It is placed behind the one before.
  GgufWriter& tensor(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                     std::string_view data);
  /// The same at a place of its own, without data.
  GgufWriter& tensor_at(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                        std::uint64_t offset);

  /// Where the description of each tensor begins, once all keys and tensors are written.
  std::uint64_t info_begin(std::size_t tensor) const;
  std::string header() const;
  std::string whole() const;

 private:
  std::string ordered(const void* value, std::size_t size) const;

  std::uint32_t version_;
  bool big_endian_;
  std::uint32_t alignment_ = 32;
  std::uint64_t keys_ = 0;
  std::string metadata_;
  std::vector<std::string> infos_;
  std::string data_;
};

/// Pseudo-random bytes that are the same on every machine, as blocks of `block_bytes` whose 16-bit floats at `halves`
/// are small numbers.
std::string quantised_blocks(std::size_t blocks, std::size_t block_bytes, const std::vector<std::size_t>& halves);

/// `count` small tensors with the names of a mixture of experts.
std::string gguf_of(std::size_t count);

}  // namespace nns::tests
