#pragma once

#include <string>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/torch_objects.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

/// Walks the values of a pickle and makes rows and tensors of them, in slices and without recursion:
/// - a dict of tensors with dotted names (a state dict) becomes the modules that the names tell of;
/// - a pickled module becomes a Module row of its real class, with its registries below it;
/// - other containers and foreign objects become Container rows, all else Value rows.
/// Tensor names: steps joined by "/", modules by "." below a module; "<args>", "<items>" and "<state>" step into
/// foreign objects, "<state>" into a module's plain attributes. Cycles end at the row that closes them; what is reached
/// on very many ways is shown once.
class TorchTree {
 public:
  TorchTree(PickledCheckpoint& document, TreeBuilder& builder, TorchObjects& objects);

  /// Starts with `value` at the row of that number, whose place in names is `path`.
  base::Result<void> start(PickleId value, std::uint32_t row, std::string path);
  /// True when all rows are there.
  base::Result<bool> step(const base::Budget& budget);

  std::uint64_t steps() const { return steps_; }
  /// For each row of the builder its value; kNone for rows that no value stands for.
  const std::vector<PickleId>& values() const { return values_; }

 private:
  enum class Mode : std::uint8_t {
    Items,       ///< key, value, ...: rows by key
    StateDict,   ///< key, value, ...: tensors by dotted key
    Sequence,    ///< rows by number
    Module,      ///< the entries of a module's __dict__
    Parameters,  ///< the entries of one registry
    Buffers,
    Modules,
    Object,       ///< arguments, state and items of a foreign object, one after the other
    Script,       ///< attributes of a TorchScript module
    ScriptState,  ///< the same in the order in which its __getstate__ gave them
    Tensors,      ///< arguments of a sparse or nested tensor, those that are tensors
  };
  struct Frame {
    Mode mode = Mode::Items;
    PickleId value = kNone;  // what is on the path while this frame is
    std::uint32_t row = 0;
    std::size_t path = 0;  // length of the path of `row`
    PickleHeap::Cursor cursor;
    std::uint32_t index = 0;
    char join = '/';
    const ScriptClass* script = nullptr;
  };

  base::Result<void> advance(Frame& frame, bool& ended);
  base::Result<void> advance_pair(const Frame& frame, PickleId key, PickleId value);
  base::Result<void> advance_object(Frame& frame, bool& ended);
  base::Result<void> add_script_entry(const Frame& frame, std::string_view name, PickleId value);
  base::Result<void> add_quantizer(std::uint32_t parent, std::string_view name, PickleId value);
  void set_quantizer(std::uint32_t tensor, StoredQuantizer quantizer);
  base::Result<void> open_script(std::uint32_t row, PickleId value, const ScriptClass* script);
  base::Result<void> add_state_entry(const Frame& frame, std::string_view key, PickleId value);
  base::Result<void> add_child(const Frame& frame, std::string_view name, PickleId value, NodeKind tensor_kind,
                               char join);
  base::Result<void> fill(std::uint32_t row, PickleId value, NodeKind tensor_kind, char join);
  base::Result<bool> add_tensor(PickleId value, TensorEntry& entry, std::uint32_t& index);
  void fill_tensor(std::uint32_t row, std::uint32_t index, NodeKind kind);
  void fill_value(std::uint32_t row, PickleId value, std::string_view text = {});
  base::Result<void> fill_object(std::uint32_t row, PickleId value, char join);
  void open(Mode mode, PickleId value, std::uint32_t row, const PickleChain& items, char join);
  bool is_state_dict(const PickleChain& items, bool is_root) const;
  void remember(std::uint32_t row, PickleId value);
  void mark_suspicious(std::uint32_t row, PickleId value);
  base::Result<void> check_room() const;

  PickledCheckpoint& document_;
  TreeBuilder& builder_;
  TorchObjects& objects_;
  const PickleHeap& heap_;
  std::vector<Frame> frames_;
  std::string path_;
  std::vector<PickleId> values_;
  std::vector<std::uint8_t> state_;  // of each value: bit 0 on the path, bit 1 shown before
  std::uint64_t steps_ = 0;
  std::uint64_t most_rows_ = 0;
  std::uint64_t most_text_ = 0;
  bool noted_depth_ = false;
};

/// Lays the rows out in the document once all are there, and keeps the value of each. `tree` may be null.
base::Result<void> lay_out(PickledCheckpoint& document, TreeBuilder& builder, const TorchTree* tree);

/// What becomes of a document whose pickle is broken: `error`, unless the pickle named something dangerous before. Then
/// that is what a person must see, and the document holds the globals and a note.
base::Result<void> list_globals_only(PickledCheckpoint& document, TreeBuilder& builder, const base::Error& error);

/// "Conv1d" for classes of torch.nn, the whole name for all others.
std::string short_class_name(std::string_view qualified);

}  // namespace nns::checkpoint
