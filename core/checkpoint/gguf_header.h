#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/ggml_types.h"
#include "core/checkpoint/gguf_cursor.h"
#include "core/checkpoint/gguf_value.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

/// Reads the header of a GGUF file into a document, in slices, and checks all of it.
/// Behaviour: ggml/docs/gguf.md, versions 1 (lengths, counts and dimensions of 32 bits), 2 and 3; 3 also in big-endian
/// byte order, which shows in the version. Dimensions are stored fastest first, and given slowest first as PyTorch
/// does. Refused: what lies outside the file; counts that it cannot hold; an alignment that is no power of two; offsets
/// that are not aligned; tensors that overlap or have equal names; names that are not UTF-8; types that there are not;
/// a version 1 with neither metadata nor tensors. Differs: ggml also refuses version 1 and keys that appear twice; we
/// read the one and say the other in a note, because files with them exist.
class GgufHeader {
 public:
  /// Adds to `document` (tensors of file 0) and to the rows of `builder`; both must outlive this.
  GgufHeader(std::shared_ptr<base::ByteSource> source, Checkpoint& document, TreeBuilder& builder);

  /// True when all of the header was read and checked. Errors: as above, with the byte offset.
  base::Result<bool> step(const base::Budget& budget);

  /// Units: keys and tensors.
  std::uint64_t done() const { return keys_read_ + document_.tensors.size(); }
  std::uint64_t total() const { return key_count_ + tensor_count_; }
  bool big_endian() const { return cursor_.big_endian; }
  /// One a tensor.
  std::vector<const GgmlType*> take_types() { return std::move(types_); }

 private:
  enum class Phase : std::uint8_t { Begin, Keys, Tensors, Layout };

  base::Result<void> read_beginning();
  base::Result<bool> read_keys(const base::Budget& budget);
  base::Result<void> start_key();
  base::Result<void> finish_key();
  base::Result<bool> read_tensors(const base::Budget& budget);
  base::Result<void> read_tensor();
  base::Result<void> add_tensor(std::uint64_t at, const GgmlType& type, std::uint64_t offset);
  base::Result<void> check_layout();
  void add_notes();

  base::Result<std::uint64_t> read_length(std::string_view what);
  base::Result<std::string> read_name(std::string_view what);
  base::Error error(std::uint64_t at, std::string found, std::string expected) const;
  std::uint64_t length_bytes() const { return version_ == 1 ? 4 : 8; }

  GgufCursor cursor_;
  Checkpoint& document_;
  TreeBuilder& builder_;
  Phase phase_ = Phase::Begin;
  std::uint32_t version_ = 0;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t key_count_ = 0;
  std::uint64_t keys_read_ = 0;
  std::unique_ptr<GgufValueReader> value_;
  bool in_value_ = false;
  std::string key_;
  std::uint64_t key_at_ = 0;
  std::size_t metadata_bytes_ = 0;
  std::uint64_t left_out_ = 0;  // keys that are not kept
  bool was_escaped_ = false;
  std::uint64_t alignment_ = 0;  // 0: not told
  std::string name_;
  std::vector<const GgmlType*> types_;
  std::vector<std::uint64_t> info_at_;  // where each tensor is described
};

}  // namespace nns::checkpoint
