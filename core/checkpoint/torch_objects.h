#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/pickled_checkpoint.h"

namespace nns::checkpoint {

/// What a callable in a checkpoint's pickle makes, as far as a reader cares. The list is in torch_objects.cpp.
enum class Maker : std::uint8_t {
  Other,
  Tensor,     ///< _rebuild_tensor, _v2, _v3
  Parameter,  ///< _rebuild_parameter, _with_state; the class itself, before 0.4
  QuantizedTensor,
  MetaTensor,
  TensorFromNumpy,
  TensorFromCpu,
  TensorOfType,  ///< _rebuild_from_type_v2
  SparseTensor,  ///< shown as a container of its tensors, as are the next two
  SparseCsrTensor,
  NestedTensor,
  Dict,  ///< OrderedDict, defaultdict, Counter
  Set,
  Encode,  ///< _codecs.encode
  NumpyArray,
  NumpyBuffer,
  NumpyScalar,
  NumpyDType,
  Wrapper,  ///< TorchScript: a list or dict with its element type
};

/// Reads tensors and arrays out of the values of a pickle, and keeps the list of storages.
/// Behaviour: torch/_utils.py (_rebuild_*), torch/serialization.py (persistent_load), numpy's ndarray.__setstate__.
class TorchObjects {
 public:
  /// `root` is the archive's folder with a slash ("archive/"), for storages.
  TorchObjects(PickledCheckpoint& document, std::string root, bool big_endian)
      : document_(document), heap_(document.machine->heap()), root_(std::move(root)), big_endian_(big_endian) {}

  /// Storages lie in the file itself, by key; `storages` must outlive this.
  void use_raw_storages(const RawStorages& storages) { raw_ = &storages; }

  /// What `value` was made by; Other if it is no object.
  Maker maker(PickleId value) const;
  bool is_tensor(PickleId value) const;
  /// The (scheme, scale, zero_point, ...) of a quantised tensor; kNone for all others.
  PickleId quantizer(PickleId value) const;
  /// The list or dict in TorchScript's calls that only add its element type; `value` itself otherwise.
  PickleId unwrapped(PickleId value) const;

  /// Fills `entry` (and Checkpoint::dims, ::storages) with the tensor or array that `value` stands for; false if it is
  /// neither, or an array of a type that has no dtype. Errors: arguments that make no tensor; a storage that is not in
  /// the archive or too small for size, stride and offset.
  base::Result<bool> read(PickleId value, TensorEntry& entry);

  /// The chain of key, value, ... of a dict or of an object that is one; first == kNone with count 0 if it is empty.
  bool dict_items(PickleId value, PickleChain& items) const;
  /// The entries of torch.nn.Module's __dict__ if `value` is a pickled module.
  bool module_state(PickleId value, PickleChain& items) const;

 private:
  struct Call {
    Maker maker = Maker::Other;
    PickleId args = 0;
    std::uint32_t offset = 0;
    std::string_view name;
  };
  Call call_of(PickleId value) const;
  Maker maker_of_global(PickleId callable) const;

  base::Result<void> read_tensor(const Call& call, TensorEntry& entry);
  base::Result<void> read_meta(const Call& call, TensorEntry& entry);
  base::Result<bool> read_numpy(PickleId value, TensorEntry& entry);
  base::Result<std::uint32_t> read_storage(PickleId value, std::uint32_t offset, TensorEntry& entry);
  base::Result<void> read_part(PickleId part, std::uint64_t numel, std::uint32_t offset, TensorEntry& entry) const;
  base::Result<void> check_range(const Call& call, const TensorEntry& entry) const;
  bool read_sizes(PickleId tuple, std::vector<std::int64_t>& out) const;
  void set_dims(TensorEntry& entry, std::span<const std::int64_t> shape, std::span<const std::int64_t> stride);
  base::Error error(std::uint32_t offset, std::string found, std::string expected) const;

  PickledCheckpoint& document_;
  PickleHeap& heap_;
  std::string root_;
  bool big_endian_;
  const RawStorages* raw_ = nullptr;
  std::string member_name_;
  struct Known {
    std::uint32_t storage = kNone;
  };
  std::vector<Known> by_member_;                        // storages in the archive; kNone is not seen yet
  std::unordered_map<std::string_view, Known> by_key_;  // storages without bytes
  std::unordered_map<PickleId, std::uint32_t> arrays_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> stride_;
  mutable std::vector<std::uint8_t> makers_;  // by global: 0 not looked up, else 1 + Maker
};

}  // namespace nns::checkpoint
