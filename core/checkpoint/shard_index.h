#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/json_cursor.h"

namespace nns::checkpoint {

/// Which shard holds which tensor.
struct ShardIndex {
  struct Entry {
    std::uint32_t name;   ///< string id of the tensor's name
    std::uint32_t shard;  ///< index into `shards`
  };
  std::vector<std::string> shards;
  std::vector<Entry> entries;
};

/// Reads the JSON text of an index, in slices: {"metadata": {...}, "weight_map": {tensor: shard}}.
class ShardIndexReader {
 public:
  /// Names of tensors go to `document.names`, metadata to `document.metadata`; `text` and `document` must outlive this.
  ShardIndexReader(std::string_view text, std::string where, Checkpoint& document)
      : text_(text), where_(std::move(where)), document_(document), cursor_(text) {}

  /// True when all of it was read. Errors: as open_sharded_index().
  base::Result<bool> step(const base::Budget& budget);
  /// Must hold: step() returned true.
  ShardIndex take() { return std::move(index_); }
  /// Units: bytes of the text.
  std::size_t done() const { return cursor_.at(); }

 private:
  base::Error error(std::size_t at, std::string found, std::string expected) const;
  base::Result<void> read_metadata();
  base::Result<bool> read_weight_map(const base::Budget& budget);
  base::Result<std::uint32_t> shard_number(std::size_t at, std::string_view name);

  std::string_view text_;
  std::string where_;
  Checkpoint& document_;
  JsonCursor cursor_;
  ShardIndex index_;
  std::unordered_map<std::string, std::uint32_t> shard_numbers_;
  bool started_ = false;
  bool first_key_ = true;
  bool in_map_ = false;
  bool saw_map_ = false;
};

}  // namespace nns::checkpoint
