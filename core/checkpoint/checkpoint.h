#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/checkpoint/module_tree.h"
#include "core/checkpoint/object_description.h"
#include "core/tensor/dtype.h"

namespace nns::checkpoint {

/// Where a tensor's bytes lie. Tensors that share a storage have equal `storage` numbers.
struct Storage {
  std::uint32_t file = 0;    ///< index into Checkpoint::files
  std::uint64_t offset = 0;  ///< bytes from the start of that file; see `located`
  std::uint64_t nbytes = 0;
  bool located = true;  ///< false: an archive member whose start is looked up on the first use (Checkpoint::locate)
  std::uint32_t member = kNone;  ///< archive member, for formats that have such
  std::string device;            ///< as the file says: "cpu", "cuda:0"; empty if it does not
};

/// One tensor of a file. Shape and strides lie in Checkpoint::dims.
struct TensorEntry {
  std::uint32_t name = 0;      ///< string id of the whole name, in Checkpoint::names ("state_dict/layers.0.weight")
  std::uint32_t node = kNone;  ///< its first row in the tree
  std::uint32_t storage = kNone;
  std::uint32_t dims = 0;  ///< index of the shape in Checkpoint::dims; the strides follow it
  std::uint8_t rank = 0;   ///< readers refuse more than 64 dimensions
  tensor::DType dtype{};
  bool has_shape = true;      ///< false: the file names the tensor, but the shard with its dtype and shape is not there
  bool readable = true;       ///< false: no value can be read as `dtype` (missing shard, meta device)
  bool is_parameter = false;  ///< the file says so (torch.nn.Parameter)
  bool requires_grad = false;
  std::uint64_t storage_offset = 0;  ///< elements
  std::uint64_t numel = 0;
  std::uint64_t nbytes = 0;  ///< numel x item size, whatever the strides; of quantised blocks and objects, in the file
  std::uint32_t dtype_text =
      0;  ///< string id of the type's name where torch's name of `dtype` is not it ("numpy.float64"); see dtype_name()
  std::uint32_t packing = kNone;  ///< index into Checkpoint::packings, of a packed weight; its shape is as stored
};

/// What the items of a packed weight stand for: quantised values, several of which share an item.
struct Packing {
  std::string scheme;               ///< "bitsandbytes nf4", "GPTQ", "AWQ", "MXFP4"
  std::uint32_t bits = 0;           ///< of one value
  std::vector<std::int64_t> shape;  ///< of the weight, as PyTorch's module has it; empty where it is not known
  std::uint64_t numel = 0;          ///< values
  std::string dtype;                ///< of what they are unpacked to; empty where the file does not say
  std::uint64_t group = 0;          ///< values that share a scale; 0: the file does not say
};

/// The name of the type of a tensor without a shape.
inline constexpr std::string_view kUnknownDtype = "unknown";

/// What the safety panel says of a global that a pickle names.
enum class Verdict : std::uint8_t {
  Safe,       ///< on the allow-list: rebuilding tensors, plain containers, dtypes, torch.nn and torch.optim classes
  Unknown,    ///< outside the allow-list: a class of another package
  Dangerous,  ///< runs code or reaches the system when a pickle is loaded: os.system, builtins.eval, ...
};

/// One global of a pickle, at its first use.
struct Global {
  std::string name;          ///< "torch._utils._rebuild_tensor_v2"
  std::string member;        ///< archive member that holds the pickle; empty for a bare pickle
  std::string opcode;        ///< "GLOBAL", "STACK_GLOBAL", "INST"
  std::uint64_t offset = 0;  ///< byte offset of the opcode in the pickle
  Verdict verdict = Verdict::Unknown;
};

struct MetadataEntry {
  std::string key;
  std::string value;
};

struct FileEntry {
  std::string name;
  std::uint64_t size = 0;
  std::shared_ptr<base::ByteSource> source;  ///< null for a shard that is not there (see Checkpoint::notes)
};

/// A file, or a folder of shards, after its header was read. No tensor bytes are in memory.
/// Threads: one.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;

  std::string format;  ///< "safetensors", "safetensors index", "torch zip", ... (the word that `inspect --json` prints)
  std::string title;   ///< file name without folders; of a folder its own name
  std::vector<FileEntry> files;
  std::vector<MetadataEntry> metadata;  ///< in the file's order
  std::vector<Global> globals;          ///< in order of first use
  std::vector<std::string> notes;       ///< what a person should know: missing shards, unknown entries, repairs
  std::vector<TensorEntry> tensors;     ///< in the file's order
  std::vector<std::int64_t> dims;
  std::vector<Storage> storages;
  std::vector<Packing> packings;
  ModuleTree tree;
  StringTable names;  ///< of the tensors, whole; what the tree shows are their parts, in tree.strings

  std::span<const std::int64_t> shape(const TensorEntry& entry) const {
    return std::span(dims).subspan(entry.dims, entry.rank);
  }
  /// Units: elements.
  std::span<const std::int64_t> stride(const TensorEntry& entry) const {
    return std::span(dims).subspan(entry.dims + entry.rank, entry.rank);
  }
  std::string_view name(const TensorEntry& entry) const { return names.view(entry.name); }
  /// "float32", "numpy.float64", "F6_E2M3"; kUnknownDtype without a shape.
  std::string_view dtype_name(const TensorEntry& entry) const;

  /// The file and the offset of the storage's first byte; reads an archive's local header on the first use.
  /// Errors: the archive member is damaged, or compressed (then its bytes have no place in the file; read_storage still
  /// works).
  virtual base::Result<Storage> locate(std::uint32_t storage);

  /// A source of exactly the storage's bytes: a part of the file, or what a compressed member unpacks to.
  /// Errors: a shard is not there; the member is damaged or unpacks to more than it declares.
  virtual base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t storage);

  /// The storage of `tensor` as items of its `dtype` that can be computed with: storage_bytes(), or what quantised
  /// blocks decode to, or numbers of the other byte order turned around. Errors: as storage_bytes(); no value of this
  /// tensor can be decoded.
  virtual base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor);

  /// `__dict__`, registries and hooks of the object at `node`, as far as the file knows them.
  virtual ObjectDescription describe(std::uint32_t node) const = 0;
};

/// Opens files that belong together: shards beside an index. Names are relative to the first file.
class FileSet {
 public:
  virtual ~FileSet() = default;
  /// Starts to get `name`; returns nothing while it is on its way (a browser asks a server), then the file or why not.
  /// Natively it answers at once.
  virtual std::optional<base::Result<std::shared_ptr<base::ByteSource>>> open(std::string_view name) = 0;
  /// open() for who cannot come back later: waits for the answer.
  virtual base::Result<std::shared_ptr<base::ByteSource>> open_now(std::string_view name);
  /// The names in the folder, if it can be listed (a folder was opened, or several files were dropped); none of what a
  /// server has.
  virtual std::vector<std::string> names() = 0;
};

enum class OpenState : std::uint8_t { Working, WaitingForFiles, Done };

/// A resumable opening of one document: call step() until Done, then take().
class OpenTask {
 public:
  virtual ~OpenTask() = default;
  virtual base::Result<OpenState> step(const base::Budget& budget) = 0;
  /// Units: anything that grows to `total`, for a progress bar; total 0 = not known yet.
  struct Progress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
  };
  virtual Progress progress() const = 0;
  /// Must hold: step() returned Done.
  virtual std::unique_ptr<Checkpoint> take() = 0;
};

/// Starts to open `source` as what its first bytes say it is (never what its name says). The config.json beside a file
/// that Hugging Face's libraries would load is read along with it, and the quantize_config.json where it is wanted.
/// Errors: no reader knows these bytes; the message names the formats that are known and what was seen.
base::Result<std::unique_ptr<OpenTask>> open_checkpoint(std::shared_ptr<base::ByteSource> source,
                                                        std::shared_ptr<FileSet> siblings);

/// Starts to open a folder, whose files are `files`: by its index, or all its shards together, or the file of the usual
/// name, or its only checkpoint; with its config.json. `folder` is what messages and the title call it. An index or a
/// single file is opened through `files` first, so ask again while it says that it waits for files. Errors: no
/// checkpoint in the folder, or several that do not belong together.
base::Result<std::unique_ptr<OpenTask>> open_folder(std::shared_ptr<FileSet> files, std::string_view folder);

}  // namespace nns::checkpoint
