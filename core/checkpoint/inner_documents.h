#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// A checkpoint that is a part of another one's document: a member of an archive, or a shard.
struct InnerDocument {
  std::uint32_t member = 0;  ///< of the archive
  std::unique_ptr<Checkpoint> document;
  std::uint32_t storage = 0;  ///< the first of its storages in the whole
  std::uint32_t tensor = 0;   ///< the first of its tensors in the whole
  std::uint32_t row = 0;      ///< of it in the whole's tree, if it has one
};

/// The checkpoints inside of another one, in the order in which they were added, and so by storage.
class InnerDocuments {
 public:
  /// Takes over shapes, storages, globals and notes of `inside`, which is called `name` and lies in the whole's file
  /// `file`; then add_tensor(entry, own name) is called for each of its tensors, whose shape and storage are those of
  /// the whole, and must add it to the whole's. Must hold: there is room.
  template <class AddTensor>
  InnerDocument& add(Checkpoint& whole, std::uint32_t member, std::string_view name, std::unique_ptr<Checkpoint> inside,
                     AddTensor&& add_tensor, std::uint32_t file = 0) {
    const auto first_dim = static_cast<std::uint32_t>(whole.dims.size());
    const auto first_storage = static_cast<std::uint32_t>(whole.storages.size());
    take_over(whole, file, name, *inside);
    const auto first_tensor = static_cast<std::uint32_t>(whole.tensors.size());
    for (TensorEntry entry : inside->tensors) {
      entry.node = kNone;
      entry.dims += first_dim;
      if (entry.storage != kNone) entry.storage += first_storage;
      if (entry.dtype_text != 0)
        entry.dtype_text = whole.tree.strings.intern(inside->tree.strings.view(entry.dtype_text));
      const std::string_view own = inside->name(entry);
      add_tensor(entry, own);
    }
    return all_.emplace_back(InnerDocument{member, std::move(inside), first_storage, first_tensor, 0});
  }

  std::vector<InnerDocument>& all() { return all_; }
  const std::vector<InnerDocument>& all() const { return all_; }
  /// The part with this storage of the whole; null if it is in none.
  const InnerDocument* find(std::uint32_t storage) const;
  /// Checkpoint::value_bytes() of a tensor of theirs; nothing if the tensor of the whole is in no part.
  std::optional<base::Result<std::shared_ptr<base::ByteSource>>> value_bytes(std::uint32_t tensor) const;
  /// Where a storage of theirs begins in the archive. Errors: its member is compressed.
  base::Result<std::uint64_t> offset(const ZipArchive& archive, std::uint32_t storage) const;
  base::Result<std::shared_ptr<base::ByteSource>> bytes(std::uint32_t storage) const;

 private:
  static void take_over(Checkpoint& whole, std::uint32_t file, std::string_view name, const Checkpoint& inside);

  std::vector<InnerDocument> all_;
};

}  // namespace nns::checkpoint
