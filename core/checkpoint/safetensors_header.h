#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/json_cursor.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

/// The longest header that the format allows. Units: bytes.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// `bytes` of a tensor of `document`, which a safetensors file holds, as items of its dtype: those of F4 and F6
/// decoded.
base::Result<std::shared_ptr<base::ByteSource>> safetensors_values(
    const Checkpoint& document, std::uint32_t tensor, base::Result<std::shared_ptr<base::ByteSource>> bytes);

/// Reads the header of one safetensors file into a document, in slices, and checks all of it.
/// Behaviour: the safetensors format: 8 bytes of header length, a JSON object of {dtype, shape, data_offsets} by name,
/// then the data without holes. As its reference implementation: header at most 100 MB, UTF-8, begins with '{', known
/// dtypes, shape x dtype = length, no hole, no overlap, nothing left over; we also refuse duplicate names.
class SafetensorsHeader {
 public:
  /// Adds to `document` (tensors of file `file`) and to the rows of `builder`; both must outlive this.
  SafetensorsHeader(std::shared_ptr<base::ByteSource> source, std::uint32_t file, Checkpoint& document,
                    TreeBuilder& builder);

  /// True when all of the header was read and checked.
  /// Errors: as above, with the byte offset of the entry.
  base::Result<bool> step(const base::Budget& budget);

  /// Units: bytes of the header.
  std::uint64_t done() const { return cursor_.at(); }
  std::uint64_t total() const { return header_.size(); }

 private:
  enum class Phase : std::uint8_t { Length, Bytes, Entries, Layout };
  struct Type {
    std::string_view name;
    tensor::DType dtype{};
    std::uint32_t bits = 0;
    bool is_torch = true;
  };
  struct Entry {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t at = 0;    // of the name, in the header
    std::size_t dims = 0;  // of the shape, in Checkpoint::dims
  };

  base::Result<void> read_length();
  base::Result<bool> read_bytes(const base::Budget& budget);
  base::Result<bool> read_entries(const base::Budget& budget);
  base::Result<void> read_metadata();
  bool read_usual(Entry& entry);
  base::Result<void> read_fields(std::uint32_t name, Entry& entry);
  base::Result<void> add_tensor(std::uint32_t name, const Type& type, const Entry& entry);
  base::Result<void> check_layout();
  std::size_t position_of(std::uint32_t tensor) const;
  bool find_type(std::string_view name);
  void reserve();

  base::Error error(std::uint64_t header_at, std::string found, std::string expected) const;
  base::Error json_error() const;

  std::shared_ptr<base::ByteSource> source_;
  std::uint32_t file_;
  Checkpoint& document_;
  TreeBuilder& builder_;
  Phase phase_ = Phase::Length;
  std::uint64_t length_ = 0;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t buffered_ = 0;  ///< bytes of it that were read
  std::string_view header_;
  JsonCursor cursor_{{}};
  bool first_entry_ = true;
  bool saw_metadata_ = false;
  std::uint32_t first_tensor_ = 0;
  std::uint64_t data_end_ = 0;  // of the tensors so far, while each begins where the one before it ends
  bool is_in_order_ = true;
  Type type_;  // of the last entry: most entries have the same
};

}  // namespace nns::checkpoint
