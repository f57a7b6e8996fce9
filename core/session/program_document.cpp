#include "core/session/program_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/checkpoint/tree_builder.h"
#include "core/checkpoint/tree_totals.h"
#include "core/session/module_description.h"
#include "core/session/program_memory.h"

namespace nns::session {

namespace {

using checkpoint::kNone;
using checkpoint::NodeKind;
using checkpoint::TensorEntry;
using nn::Module;
using nn::Registry;
using object::Dict;
using object::Interpreter;
using object::Ref;
using object::Value;
using tensor::Tensor;

/// Modules nested deeper are not unfolded: PyTorch's own walks end at Python's recursion limit.
constexpr std::size_t kMaxDepth = Interpreter::kRecursionLimit;
constexpr std::size_t kMaxDimensions = 64;
/// Rows that modules shown once more may add beyond the rows shown for the first time.
constexpr std::uint32_t kMostRepeatedRows = 65536;

class ProgramDocument final : public checkpoint::Checkpoint {
 public:
  explicit ProgramDocument(std::shared_ptr<Program> program) : program_(std::move(program)) {}

  base::Result<checkpoint::Storage> locate(std::uint32_t storage) override {
    if (storages[storage].file < files.size()) return storages[storage];
    return base::Error{.found = "a storage on meta, which has no bytes",
                       .expected = "a storage on the CPU",
                       .where = title,
                       .offset = std::nullopt};
  }

  checkpoint::ObjectDescription describe(std::uint32_t node) const override {
    if (values_[node].is_absent()) return describe_names(node);
    checkpoint::ObjectDescription described = describe_object(node);
    if (nn::as_module(values_[node]) == nullptr && values_[node].as<Tensor>() == nullptr) return described;
    for (std::uint32_t row = 0; row < values_.size(); ++row) {
      if (row != node && values_[row].is(values_[node])) described.also_at.push_back(row);
    }
    return described;
  }

 private:
  friend class ProgramWalk;
  checkpoint::ObjectDescription describe_object(std::uint32_t node) const {
    Interpreter& in = *program_->interpreter;
    Module* module = nn::as_module(values_[node]);
    if (module == nullptr) return describe_value(in, values_[node]);
    const std::uint32_t first = node + 1;
    const std::uint32_t end = tree.end[node];
    const auto find = [&](std::uint32_t from, std::uint32_t to, const std::string& name, const Value& value) {
      for (std::uint32_t row = from; row < to; row = tree.end[row]) {
        if (values_[row].is(value) && tree.strings.view(tree.name[row]) == name) return row;
      }
      return kNone;
    };
    // Members come in the order of their rows unless the module has changed: the search goes on where the last ended.
    std::uint32_t next = first;
    return describe_module(*module, [&](const std::string& name, const Value& value) {
      std::uint32_t row = find(next, end, name, value);
      if (row == kNone) row = find(first, next, name, value);
      if (row != kNone) next = tree.end[row];
      return row;
    });
  }

  /// The names that the rows below show.
  checkpoint::ObjectDescription describe_names(std::uint32_t node) const {
    Interpreter& in = *program_->interpreter;
    checkpoint::ObjectDescription described;
    described.class_name = "__main__";
    for (std::uint32_t row = node + 1; row < tree.end[node]; row = tree.end[row]) {
      checkpoint::AttributeRow line;
      line.name = tree.strings.view(tree.name[row]);
      line.type = in.type_of(values_[row]).name();
      line.text = one_line(in, values_[row]);
      line.node = row;
      described.attributes.push_back(std::move(line));
    }
    return described;
  }

  std::shared_ptr<Program> program_;
  /// What each row shows. Declared after the interpreter's owner: these references go first.
  std::vector<Value> values_;
};

/// Walks the registries, with a stack of its own: modules may be nested deeply, and in cycles.
class ProgramWalk {
 public:
  ProgramWalk(ProgramDocument& document, Interpreter& interpreter)
      : document_(document), in_(interpreter), builder_(document.tree.strings) {}

  base::Result<void> run(const Program& program) {
    if (program.root != nullptr) {
      values_.push_back(Value(program.root));
      builder_.set_class(0, class_name(Value(program.root)));
      enter(*program.root, 0);
    } else {
      values_.push_back(Value::absent());
      builder_.set_kind(0, NodeKind::Container);
      enter(*program.names);
    }
    while (!frames_.empty() && !failed_) step();
    if (failed_) {
      return base::Error{.found = "names that need more than 4 GiB",
                         .expected = "shorter names or less nesting",
                         .where = document_.title,
                         .offset = std::nullopt};
    }
    document_.storages = memory_.storages();
    std::vector<std::uint32_t> rows;
    NNS_TRY(builder_.finish(checkpoint::SiblingOrder::AsAdded, document_, &rows));
    checkpoint::sum_subtrees(document_, objects_);
    document_.values_.resize(rows.size());
    for (std::size_t at = 0; at < rows.size(); ++at) document_.values_[rows[at]] = std::move(values_[at]);
    return {};
  }

  ProgramMemory& memory() { return memory_; }

 private:
  enum class State : std::uint8_t { OnPath, Shown };
  struct Frame {
    Ref<Module> module;
    std::uint32_t row = 0;
    std::size_t path = 0;  // length of path_ for this module
    std::vector<std::pair<Value, Value>> children;
    std::size_t next = 0;
    bool repeats = false;
  };

  std::string class_name(const Value& value) const { return std::string(in_.type_of(value).name()); }

  static std::vector<std::pair<Value, Value>> entries(const Module& module, Registry registry) {
    std::vector<std::pair<Value, Value>> pairs;
    Dict* dict = module.filled_registry(registry);
    if (dict == nullptr) return pairs;
    pairs.reserve(dict->size());
    for (std::size_t at = 0; Dict::Entry* entry = dict->next(at);) pairs.emplace_back(entry->key, entry->value);
    return pairs;
  }

  void enter(Dict& names) {
    Frame frame;
    for (std::size_t at = 0; const Dict::Entry* entry = names.next(at);) {
      if (is_shown(entry->key, entry->value)) frame.children.emplace_back(entry->key, entry->value);
    }
    frames_.push_back(std::move(frame));
  }

  /// What a program's reader looks for: its objects, not what it is written with.
  bool is_shown(const Value& key, const Value& value) const {
    const auto* name = key.as<object::Str>();
    if (name == nullptr || name->view().starts_with('_')) return false;
    if (!value.is_object()) return true;
    if (value.object()->kind() == object::ObjectKind::Class) return false;
    const std::string_view type = value.object()->type().name();
    return type != "module" && type != "function" && type != "builtin_function_or_method";
  }

  void enter(Module& module, std::uint32_t row) {
    const bool is_new = states_.insert_or_assign(&module, State::OnPath).second;
    Frame frame;
    frame.module = Ref<Module>(&module);
    frame.row = row;
    frame.path = path_.size();
    frame.repeats = !is_new || (!frames_.empty() && frames_.back().repeats);
    frame.children = entries(module, Registry::Modules);
    frames_.push_back(std::move(frame));
    for (const auto& [key, value] : entries(module, Registry::Parameters)) leaf(key, value, NodeKind::Parameter);
    for (const auto& [key, value] : entries(module, Registry::Buffers)) leaf(key, value, NodeKind::Buffer);
  }

  void step() {
    Frame& frame = frames_.back();
    path_.resize(frame.path);
    if (frame.next == frame.children.size() || builder_.is_full()) {
      if (frame.module != nullptr) states_[frame.module.get()] = State::Shown;
      frames_.pop_back();
      return;
    }
    const auto [key, value] = frame.children[frame.next++];
    Module* child = nn::as_module(value);
    if (child == nullptr) {
      const bool is_tensor = frame.module == nullptr && value.as<Tensor>() != nullptr;
      return leaf(key, value, is_tensor ? NodeKind::Tensor : NodeKind::Value);
    }
    const std::uint32_t row = add(key, value, NodeKind::Module);
    builder_.set_class(row, class_name(value));
    const auto known = states_.find(child);
    if (known != states_.end() && known->second == State::OnPath) {
      return stop(row, "contains this row: a cycle", "a module contains itself; its rows are shown once");
    }
    if (known != states_.end() && repeated_rows_ > kMostRepeatedRows) {
      return stop(row, "shown elsewhere",
                  "modules that are registered very often are unfolded only where they come first");
    }
    if (frames_.size() >= kMaxDepth) {
      return stop(row, "nested too deeply",
                  fmt::format("modules nested deeper than {} levels are not unfolded", kMaxDepth));
    }
    path_ += path_.empty() ? "" : ".";
    path_ += key_text(in_, key);
    enter(*child, row);
  }

  /// The row becomes a leaf; describe() still tells of its module.
  void stop(std::uint32_t row, std::string_view preview, const std::string& note) {
    builder_.set_kind(row, NodeKind::Value);
    builder_.set_preview(row, preview);
    auto& notes = document_.notes;
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }

  std::uint32_t add(const Value& key, const Value& value, NodeKind kind) {
    const std::string name = key_text(in_, key);
    failed_ = failed_ || !checkpoint::has_room(document_.tree.strings, path_.size() + 2 * name.size() + 1024);
    const std::uint32_t row = builder_.add(frames_.back().row, name, kind);
    if (row == values_.size()) values_.push_back(value);
    if (frames_.back().repeats) ++repeated_rows_;
    return row;
  }

  void leaf(const Value& key, const Value& value, NodeKind kind) {
    Tensor* tensor = kind == NodeKind::Value ? nullptr : value.as<Tensor>();
    if (tensor != nullptr && tensor->ndim() > kMaxDimensions) tensor = nullptr;
    const std::uint32_t row = add(key, value, tensor == nullptr ? NodeKind::Value : kind);
    if (failed_ || row + 1 != values_.size()) return;
    if (tensor == nullptr) {
      builder_.set_class(row, class_name(value));
      builder_.set_preview(row, one_line(in_, value));
      return;
    }
    builder_.set_tensor(row, add_tensor(key, *tensor));
    // Only what its kind does not say.
    const auto& library = tensor::TensorLibrary::of(in_);
    if (&tensor->type() != library.tensor && &tensor->type() != library.parameter) {
      builder_.set_class(row, class_name(value));
    }
  }

  std::uint32_t add_tensor(const Value& key, Tensor& tensor) {
    TensorEntry entry;
    entry.name = document_.names.append(nn::joined_path(path_, key_text(in_, key)));
    entry.storage = memory_.number(tensor.storage());
    entry.dims = static_cast<std::uint32_t>(document_.dims.size());
    entry.rank = static_cast<std::uint8_t>(tensor.ndim());
    document_.dims.insert(document_.dims.end(), tensor.shape().begin(), tensor.shape().end());
    document_.dims.insert(document_.dims.end(), tensor.strides().begin(), tensor.strides().end());
    entry.dtype = tensor.dtype();
    entry.readable = !tensor.is_meta();
    entry.is_parameter = tensor.is_parameter();
    entry.requires_grad = tensor.requires_grad();
    entry.storage_offset = static_cast<std::uint64_t>(tensor.offset());
    entry.numel = static_cast<std::uint64_t>(tensor.numel());
    entry.nbytes = tensor.nbytes();
    document_.tensors.push_back(entry);
    objects_.push_back(
        object_numbers_.emplace(&tensor, static_cast<std::uint32_t>(object_numbers_.size())).first->second);
    return static_cast<std::uint32_t>(document_.tensors.size() - 1);
  }

  ProgramDocument& document_;
  Interpreter& in_;
  checkpoint::TreeBuilder builder_;
  ProgramMemory memory_;
  std::vector<Value> values_;  // of each row of the builder
  std::vector<Frame> frames_;
  std::string path_;
  std::unordered_map<const Module*, State> states_;
  std::unordered_map<const Tensor*, std::uint32_t> object_numbers_;
  std::vector<std::uint32_t> objects_;  // of each tensor of the document
  std::uint32_t repeated_rows_ = 0;
  bool failed_ = false;
};

}  // namespace

base::Result<std::unique_ptr<checkpoint::Checkpoint>> make_program_document(std::string title,
                                                                            std::shared_ptr<Program> program) {
  auto document = std::make_unique<ProgramDocument>(program);
  document->format = "program";
  document->title = std::move(title);
  ProgramWalk walk(*document, *program->interpreter);
  NNS_TRY(walk.run(*program));
  if (auto source = walk.memory().make_source(program)) {
    checkpoint::FileEntry& file = document->files.emplace_back();
    file.name = source->name();
    file.size = source->size();
    file.source = std::move(source);
  }
  return std::unique_ptr<checkpoint::Checkpoint>(std::move(document));
}

}  // namespace nns::session
