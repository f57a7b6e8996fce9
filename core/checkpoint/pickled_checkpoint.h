#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// Where a storage of a pickled document really comes from.
struct StorageOrigin {
  std::uint32_t member = kNone;   ///< of the archive
  PickleId inline_bytes = kNone;  ///< Bytes, or a Text in Latin-1, inside the pickle
  std::uint8_t swap_bytes = 1;    ///< the width of the numbers if they are big-endian, else 1
};

/// A document made from a pickle: the values stay in the machine's heap and are looked at when a row is described.
class PickledCheckpoint final : public Checkpoint {
 public:
  std::shared_ptr<base::ByteSource> source;
  std::unique_ptr<ZipArchive> archive;  ///< null for a bare pickle
  ZipBytes pickle;                      ///< the bytes that the heap's texts lie in
  std::uint32_t pickle_member = kNone;
  std::unique_ptr<PickleMachine> machine;
  std::vector<PickleId> value_of_row;  ///< kNone for rows that are not in the file
  std::vector<StorageOrigin> origins;  ///< one a storage

  base::Result<Storage> locate(std::uint32_t storage) override;
  base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t storage) override;
  ObjectDescription describe(std::uint32_t node) const override;

  const PickleHeap& heap() const { return machine->heap(); }
};

}  // namespace nns::checkpoint
