#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/quantizer.h"
#include "core/checkpoint/script_code.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// A storage of a file in which storages follow each other, each after the count of its elements.
struct RawStorage {
  std::uint64_t offset = 0;  ///< of its first byte in the file; 8 bytes before it stands the count
  std::uint64_t numel = 0;   ///< as the pickle says
  std::uint32_t item_bytes = 1;
};
using RawStorages = std::unordered_map<std::string_view, RawStorage>;

/// A pickle of an archive, among others in the same bytes.
struct PicklePiece {
  std::uint32_t member = kNone;
  std::uint64_t begin = 0;  ///< in PickledCheckpoint::pickle
  std::uint64_t end = 0;
  std::string_view storages;  ///< folder of its storages: "data/", "constants/"
  PickleId result = 0;
};

/// Where a storage of a pickled document really comes from.
struct StorageOrigin {
  std::uint32_t member = kNone;   ///< of the archive
  PickleId inline_bytes = kNone;  ///< Bytes, or a Text in Latin-1, inside the pickle
  std::optional<RawStorage> raw;  ///< of the file itself
  std::uint8_t swap_bytes = 1;    ///< the width of the numbers if they are big-endian, else 1
};

/// What the pickle says of a quantised tensor: numbers, or the tensors (of the document) that hold one for each index
/// along an axis.
struct StoredQuantizer {
  tensor::DType stored{};
  double scale = 1;
  double zero_point = 0;
  std::uint32_t scales = kNone;
  std::uint32_t zero_points = kNone;
  std::uint32_t axis = 0;
};

/// A document made from a pickle: the values stay in the machine's heap and are looked at when a row is described.
class PickledCheckpoint final : public Checkpoint {
 public:
  std::shared_ptr<base::ByteSource> source;
  std::unique_ptr<ZipArchive> archive;  ///< null for a bare pickle
  ZipBytes pickle;                      ///< the bytes that the heap's texts lie in
  std::vector<PicklePiece> pieces;      ///< the members that `pickle` holds; empty for a bare pickle
  std::unique_ptr<ScriptCode> code;     ///< of a TorchScript archive
  std::unique_ptr<PickleMachine> machine;
  std::vector<PickleId> value_of_row;                             ///< kNone for rows that are not in the file
  std::vector<StorageOrigin> origins;                             ///< one a storage
  std::unordered_map<std::uint32_t, StoredQuantizer> quantizers;  ///< of the quantised tensors

  base::Result<Storage> locate(std::uint32_t storage) override;
  base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t storage) override;
  base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor) override;
  ObjectDescription describe(std::uint32_t node) const override;

  /// Reads the count before a storage. Errors: it is another than the pickle says.
  base::Result<void> check_count(const RawStorage& storage) const;

  /// The piece with that byte of `pickle`; null for a bare pickle.
  const PicklePiece* piece_at(std::uint64_t offset) const;
  /// The class of a TorchScript object; null for all others.
  const ScriptClass* script_class(PickleId value) const;

  const PickleHeap& heap() const { return machine->heap(); }

 private:
  base::Result<Quantizer> read_quantizer(std::uint32_t tensor, const StoredQuantizer& quantizer);
  base::Result<std::vector<float>> read_floats(std::uint32_t tensor);
};

}  // namespace nns::checkpoint
