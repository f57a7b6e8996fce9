#pragma once

#include <memory>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// Packages of PyTorch 2.1 to 2.7 hold archives of torch.save; newer ones a member for each storage.
struct SavedTensors {
  std::uint32_t member = 0;
  std::unique_ptr<Checkpoint> document;
  std::uint32_t storage = 0;  ///< the first of its storages in the whole document
};

/// What torch.export saved.
class Pt2Document final : public Checkpoint {
 public:
  std::shared_ptr<base::ByteSource> source;
  std::unique_ptr<ZipArchive> archive;
  std::vector<SavedTensors> saved;  ///< by storage; storages of theirs have no member of their own

  base::Result<Storage> locate(std::uint32_t index) override;
  base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t index) override;
  ObjectDescription describe(std::uint32_t node) const override;

 private:
  /// Null: the storage is a member of this archive.
  const SavedTensors* saved_of(std::uint32_t index) const;
};

}  // namespace nns::checkpoint
