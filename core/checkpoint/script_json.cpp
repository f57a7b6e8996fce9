#include "core/checkpoint/script_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/utf8.h"
#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/json_walk.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/pickle_preview.h"
#include "core/checkpoint/quantizer.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint64_t kMaxModel = 16U << 20U;
constexpr std::uint64_t kMaxCode = 1U << 20U;
constexpr std::uint64_t kMaxNote = 256;
constexpr std::size_t kMaxScriptRank = 64;

/// Names of caffe2.TensorProto.DataType.
struct TypeName {
  std::string_view name;
  tensor::DType dtype;
  tensor::DType quantised;  ///< of tensors that is_quantized says it of
};
constexpr std::array kScriptTypes = {
    TypeName{"FLOAT", tensor::DType::Float32, tensor::DType::Float32},
    TypeName{"DOUBLE", tensor::DType::Float64, tensor::DType::Float64},
    TypeName{"FLOAT16", tensor::DType::Float16, tensor::DType::Float16},
    TypeName{"BFLOAT16", tensor::DType::BFloat16, tensor::DType::BFloat16},
    TypeName{"INT64", tensor::DType::Int64, tensor::DType::Int64},
    TypeName{"INT32", tensor::DType::Int32, tensor::DType::QInt32},
    TypeName{"INT16", tensor::DType::Int16, tensor::DType::Int16},
    TypeName{"INT8", tensor::DType::Int8, tensor::DType::QInt8},
    TypeName{"UINT8", tensor::DType::UInt8, tensor::DType::QUInt8},
    TypeName{"BYTE", tensor::DType::UInt8, tensor::DType::QUInt8},
    TypeName{"BOOL", tensor::DType::Bool, tensor::DType::Bool},
};

class ScriptDocument final : public Checkpoint {
 public:
  std::unique_ptr<ZipArchive> archive;
  std::unordered_map<std::uint32_t, Quantizer> quantizers;   // by tensor
  std::unordered_map<std::uint32_t, std::uint32_t> code_of;  // by row: the member with its methods

  ObjectDescription describe(std::uint32_t node) const override {
    ObjectDescription description = describe_inferred(*this, node);
    const auto code = code_of.find(node);
    if (code == code_of.end()) return description;
    if (const auto text = archive->read(code->second, kMaxCode); text.ok()) {
      const std::string_view letters(reinterpret_cast<const char*>(text->bytes.data()), text->bytes.size());
      description.repr = base::escape_invalid_utf8(letters);
    }
    return description;
  }

  base::Result<Storage> locate(std::uint32_t index) override {
    Storage& storage = storages[index];
    if (storage.located) return storage;
    NNS_TRY_ASSIGN(storage.offset, archive->stored_offset(storage.member));
    storage.located = true;
    return storage;
  }
  base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t index) override {
    return archive->open_member(storages[index].member);
  }
  base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor) override {
    NNS_TRY_ASSIGN(auto bytes, storage_bytes(tensors[tensor].storage));
    const auto quantizer = quantizers.find(tensor);
    return quantizer == quantizers.end() ? std::move(bytes)
                                         : make_dequantized_source(std::move(bytes), quantizer->second);
  }
};

class ScriptJsonTask final : public OpenTask {
 public:
  ScriptJsonTask(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive, std::string root)
      : document_(std::make_unique<ScriptDocument>()), builder_(document_->tree.strings), root_(std::move(root)) {
    name_document(*document_, "torchscript zip", source);
    document_->archive = std::move(archive);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (model_.bytes.empty()) {
      NNS_TRY(read_model());
      if (budget.spent()) return OpenState::Working;
    }
    if (pickle_ != nullptr && !is_pickle_read_) {
      NNS_TRY_ASSIGN(is_pickle_read_, pickle_->step(budget));
      document_->globals = pickle_->globals();
      if (!is_pickle_read_) return OpenState::Working;
      list_values();
    }
    while (!pending_.empty()) {
      Module module = std::move(pending_.back());
      pending_.pop_back();
      NNS_TRY(add_module(std::move(module)));
      if (budget.spent()) return OpenState::Working;
    }
    std::vector<std::uint32_t> rows;
    NNS_TRY(builder_.finish(SiblingOrder::Registration, *document_, &rows));
    for (const auto& [row, member] : code_) document_->code_of.emplace(rows[row], member);
    return OpenState::Done;
  }
  Progress progress() const override { return {}; }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  /// A tensor of the table, which several parameters may be.
  struct Listed {
    TensorEntry entry;
    std::optional<Quantizer> quantizer;
  };
  struct Module {
    std::string_view text;
    std::uint32_t row = 0;  // while it waits: of the module that holds it, as is the path
    std::string path;
    bool is_root = false;
  };

  base::Error error(std::string_view at, std::string found, std::string expected) const {
    return walk_.error(at.data(), std::move(found), std::move(expected));
  }

  base::Result<std::uint32_t> find_member(std::string_view at, const std::string& name) const {
    const std::uint32_t member = document_->archive->find(root_ + name);
    if (member == kNone) return error(at, fmt::format("no member is called {}{}", root_, name), "one of that name");
    return member;
  }

  /// protobuf writes whole numbers of 64 bits as strings; both spellings are taken.
  base::Result<std::int64_t> read_int(std::string_view text) const {
    std::string_view digits = text;
    if (digits.size() >= 2 && digits.front() == '"') digits = digits.substr(1, digits.size() - 2);
    const bool is_negative = digits.starts_with('-');
    if (is_negative) digits.remove_prefix(1);
    JsonCursor cursor(digits);
    std::uint64_t value = 0;
    if (!cursor.number(value) || !cursor.at_end() || value > INT64_MAX) {
      return error(text, fmt::format("{}, where a whole number stands", text.substr(0, 40)), "64 bits of it");
    }
    return is_negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  }
  base::Result<std::vector<std::int64_t>> read_ints(std::string_view text) const {
    std::vector<std::int64_t> values;
    NNS_TRY(walk_.each_item(text, [&](std::string_view item) -> base::Result<void> {
      NNS_TRY_ASSIGN(const std::int64_t value, read_int(item));
      if (value < 0 || values.size() == kMaxScriptRank) {
        return error(item, fmt::format("{} as number {} of the sizes", value, values.size() + 1),
                     "at most 64, none negative");
      }
      values.push_back(value);
      return {};
    }));
    return values;
  }

  base::Result<void> read_model() {
    NNS_TRY(read_version());
    const std::uint32_t member = document_->archive->find(root_ + "model.json");
    NNS_TRY_ASSIGN(model_, document_->archive->read(member, kMaxModel));
    const std::string_view text(reinterpret_cast<const char*>(model_.bytes.data()), model_.bytes.size());
    walk_.start(text, fmt::format("{}!{}model.json", document_->files[0].name, root_));
    if (const auto bad = base::find_invalid_utf8(text))
      return error(text.substr(*bad), "a byte that is not UTF-8", "UTF-8");
    JsonCursor whole(text);
    if (!whole.skip_value()) return walk_.error(text, whole);
    std::string_view main;
    std::string_view tensors;
    NNS_TRY(walk_.each_entry(text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "mainModule") main = value;
      if (key == "tensors") tensors = value;
      if (key.starts_with("proto") || key.starts_with("producer")) {
        std::string shown(value);
        if (value.starts_with('"')) {
          NNS_TRY_ASSIGN(shown, walk_.read_string(value));
        }
        document_->metadata.push_back({std::string(key), std::move(shown)});
      }
      return {};
    }));
    if (main.empty()) return error(text, "JSON without a mainModule", "the module that was saved");
    if (!tensors.empty()) {
      NNS_TRY(walk_.each_item(tensors, [&](std::string_view item) { return read_tensor(item); }));
    }
    pending_.push_back({main, 0, {}, true});
    return begin_pickle();
  }

  base::Result<void> read_version() {
    const std::uint32_t member = document_->archive->find(root_ + "version");
    if (member == kNone) return {};
    NNS_TRY_ASSIGN(const std::string text, document_->archive->read_line(member, kMaxNote));
    document_->metadata.push_back({"version", base::escape_invalid_utf8(text)});
    return {};
  }

  /// Values of attributes lie in a pickle beside the model, since PyTorch 1.2.
  base::Result<void> begin_pickle() {
    const std::uint32_t member = document_->archive->find(root_ + "attributes.pkl");
    if (member == kNone) return {};
    NNS_TRY_ASSIGN(attributes_, document_->archive->read(member, kMaxModel));
    const std::string name = fmt::format("{}attributes.pkl", root_);
    pickle_ = std::make_unique<PickleMachine>(
        std::string_view(reinterpret_cast<const char*>(attributes_.bytes.data()), attributes_.bytes.size()),
        fmt::format("{}!{}", document_->files[0].name, name), name);
    return {};
  }

  void list_values() {
    const PickleHeap& heap = pickle_->heap();
    const PickleKind kind = heap.kind(pickle_->result());
    if (kind != PickleKind::List && kind != PickleKind::Tuple) return;
    heap.each(heap.chain(pickle_->result()), [&](PickleId value) {
      values_.push_back(value);
      return true;
    });
  }

  base::Result<void> read_tensor(std::string_view text) {
    Listed listed;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> steps;
    std::int64_t offset = 0;
    std::string type;
    std::string key;
    std::string device;
    bool is_quantised = false;
    std::int64_t zero_point = 0;
    double scale = 1;
    NNS_TRY(walk_.each_entry(text, [&](std::string_view name, std::string_view value) -> base::Result<void> {
      if (name == "dims") {
        NNS_TRY_ASSIGN(sizes, read_ints(value));
      } else if (name == "strides") {
        NNS_TRY_ASSIGN(steps, read_ints(value));
      } else if (name == "offset") {
        NNS_TRY_ASSIGN(offset, read_int(value));
      } else if (name == "requiresGrad") {
        listed.entry.requires_grad = value == "true";
      } else if (name == "dataType") {
        NNS_TRY_ASSIGN(type, walk_.read_string(value));
      } else if (name == "device") {
        NNS_TRY_ASSIGN(device, walk_.read_string(value));
      } else if (name == "isQuantized") {
        is_quantised = value == "true";
      } else if (name == "zeroPoint") {
        NNS_TRY_ASSIGN(zero_point, read_int(value));
      } else if (name == "scale") {
        scale = std::strtod(std::string(value).c_str(), nullptr);
      } else if (name == "data") {
        NNS_TRY_ASSIGN(key, read_key(value));
      }
      return {};
    }));
    const auto known =
        std::find_if(kScriptTypes.begin(), kScriptTypes.end(), [&](const TypeName& row) { return row.name == type; });
    if (known == kScriptTypes.end())
      return error(text, fmt::format("a tensor of type \"{}\"", type), "a type of PyTorch's");
    if (steps.size() != sizes.size() || offset < 0) {
      return error(text, fmt::format("{} sizes, {} strides and offset {}", sizes.size(), steps.size(), offset),
                   "a stride for each size, and an offset that is not negative");
    }
    TensorEntry& entry = listed.entry;
    entry.dtype = is_quantised ? known->quantised : known->dtype;
    entry.rank = static_cast<std::uint8_t>(sizes.size());
    entry.dims = static_cast<std::uint32_t>(document_->dims.size());
    entry.storage_offset = static_cast<std::uint64_t>(offset);
    document_->dims.insert(document_->dims.end(), sizes.begin(), sizes.end());
    document_->dims.insert(document_->dims.end(), steps.begin(), steps.end());
    NNS_TRY_ASSIGN(entry.storage, storage_of(text, key, device));
    // All of it lies in its member.
    NNS_TRY_ASSIGN(auto bytes, document_->storage_bytes(entry.storage));
    const ElementSource elements{std::move(bytes), entry.dtype, sizes, steps, entry.storage_offset};
    if (const auto fits = elements.check(); !fits.ok()) return error(text, fits.error().found, fits.error().expected);
    entry.numel = elements.numel();
    entry.nbytes = entry.numel * tensor::item_bytes(entry.dtype);
    if (tensor::info(entry.dtype).kind == tensor::DTypeKind::Quantized) {
      listed.quantizer = Quantizer{entry.dtype, {static_cast<float>(scale)}, {static_cast<float>(zero_point)}};
      entry.dtype_text = document_->tree.strings.intern(tensor::info(entry.dtype).torch_name);
      entry.dtype = tensor::DType::Float32;
    }
    listed_.push_back(std::move(listed));
    return {};
  }

  /// {"key": "tensors/0"}
  base::Result<std::string> read_key(std::string_view text) const {
    std::string key;
    NNS_TRY(walk_.each_entry(text, [&](std::string_view name, std::string_view value) -> base::Result<void> {
      if (name != "key") return {};
      NNS_TRY_ASSIGN(key, walk_.read_string(value));
      return {};
    }));
    return key;
  }

  base::Result<std::uint32_t> storage_of(std::string_view at, const std::string& key, const std::string& device) {
    const auto known = storages_.find(key);
    if (known != storages_.end()) return known->second;
    NNS_TRY_ASSIGN(const std::uint32_t member, find_member(at, key));
    Storage storage;
    storage.member = member;
    storage.located = false;
    storage.nbytes = document_->archive->members()[member].size;
    storage.device = device;
    const auto number = static_cast<std::uint32_t>(document_->storages.size());
    document_->storages.push_back(std::move(storage));
    storages_.emplace(key, number);
    return number;
  }

  base::Result<void> add_module(Module module) {
    std::string name;
    std::string_view parameters = "[]";
    std::string_view attributes = "[]";
    std::string_view submodules = "[]";
    std::optional<std::uint32_t> code;
    NNS_TRY(walk_.each_entry(module.text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "parameters") parameters = value;
      if (key == "attributes") attributes = value;
      if (key == "submodules") submodules = value;
      if (key == "name") {
        NNS_TRY_ASSIGN(name, walk_.read_string(value));
      }
      if (key == "torchscriptArena") {
        NNS_TRY_ASSIGN(const std::string member, read_key(value));
        NNS_TRY_ASSIGN(code, find_member(value, member));
      }
      return {};
    }));
    // The root is there, and its name is that of the whole.
    if (!module.is_root) {
      NNS_TRY_ASSIGN(module.row, add_row(module, module.text, name, NodeKind::Module));
      module.path = joined(module, name);
    }
    if (code) code_.emplace_back(module.row, *code);
    std::unordered_set<std::string> names;
    NNS_TRY(walk_.each_item(parameters, [&](std::string_view item) { return add_parameter(module, item, names); }));
    NNS_TRY(walk_.each_item(attributes, [&](std::string_view item) { return add_attribute(module, item, names); }));
    const auto first = static_cast<std::ptrdiff_t>(pending_.size());
    NNS_TRY(walk_.each_item(submodules, [&](std::string_view item) -> base::Result<void> {
      pending_.push_back({item, module.row, module.path, false});
      return {};
    }));
    std::reverse(pending_.begin() + first, pending_.end());  // the stack gives the last one first
    return {};
  }

  static std::string joined(const Module& module, const std::string& name) {
    return module.path.empty() ? name : fmt::format("{}.{}", module.path, name);
  }

  base::Result<std::uint32_t> add_row(const Module& module, std::string_view at, const std::string& name,
                                      NodeKind kind) {
    if (builder_.is_full() || !has_room(document_->tree.strings, name.size() + 1024) ||
        !has_room(document_->names, module.path.size() + name.size() + 1)) {
      return error(at, "more rows or names than fit", fmt::format("at most {} rows", TreeBuilder::kMaxRows));
    }
    return builder_.add(module.row, name, kind);
  }

  /// What model.json says of a parameter, buffer or attribute; numbers are -1 where it says none.
  struct Member {
    std::string name;
    std::string type;  // of an attribute
    bool is_buffer = false;
    std::int64_t tensor = -1;
    std::int64_t value = -1;  // of an attribute
  };
  base::Result<Member> read_member(std::string_view text) const {
    Member member;
    NNS_TRY(walk_.each_entry(text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "isBuffer") member.is_buffer = value == "true";
      if (key == "name") {
        NNS_TRY_ASSIGN(member.name, walk_.read_string(value));
      } else if (key == "type") {
        NNS_TRY_ASSIGN(member.type, walk_.read_string(value));
      } else if (key == "tensorId") {
        NNS_TRY_ASSIGN(member.tensor, read_int(value));
      } else if (key == "id") {
        NNS_TRY_ASSIGN(member.value, read_int(value));
      }
      return {};
    }));
    return member;
  }

  base::Result<void> add_parameter(const Module& module, std::string_view text,
                                   std::unordered_set<std::string>& names) {
    NNS_TRY_ASSIGN(const Member member, read_member(text));
    if (member.tensor < 0 || static_cast<std::uint64_t>(member.tensor) >= listed_.size()) {
      return error(text, fmt::format("parameter \"{}\" is tensor {}", member.name.substr(0, 80), member.tensor),
                   fmt::format("one of the {} tensors", listed_.size()));
    }
    names.insert(member.name);
    const Listed& listed = listed_[static_cast<std::size_t>(member.tensor)];
    NNS_TRY_ASSIGN(const std::uint32_t row,
                   add_row(module, text, member.name, member.is_buffer ? NodeKind::Buffer : NodeKind::Parameter));
    TensorEntry entry = listed.entry;
    entry.is_parameter = !member.is_buffer;
    entry.name = document_->names.append(joined(module, member.name));
    const auto tensor = static_cast<std::uint32_t>(document_->tensors.size());
    if (listed.quantizer) document_->quantizers.emplace(tensor, *listed.quantizer);
    document_->tensors.push_back(entry);
    builder_.set_tensor(row, tensor);
    return {};
  }

  /// One that has the name of a parameter or buffer is that.
  base::Result<void> add_attribute(const Module& module, std::string_view text,
                                   const std::unordered_set<std::string>& names) {
    NNS_TRY_ASSIGN(const Member member, read_member(text));
    if (names.count(member.name) != 0) return {};
    NNS_TRY_ASSIGN(const std::uint32_t row, add_row(module, text, member.name, NodeKind::Value));
    builder_.set_class(row, member.type);
    const bool has_value = member.value >= 0 && static_cast<std::uint64_t>(member.value) < values_.size();
    builder_.set_preview(row, has_value ? preview(pickle_->heap(), values_[static_cast<std::size_t>(member.value)])
                                        : "set by __setstate__");
    return {};
  }

  std::unique_ptr<ScriptDocument> document_;
  TreeBuilder builder_;
  std::string root_;
  ZipBytes model_;
  JsonWalk walk_;
  std::vector<Listed> listed_;
  std::unordered_map<std::string, std::uint32_t> storages_;  // by key
  ZipBytes attributes_;
  std::unique_ptr<PickleMachine> pickle_;
  bool is_pickle_read_ = false;
  std::vector<PickleId> values_;
  std::vector<Module> pending_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> code_;  // row of the builder, member
};

}  // namespace

std::unique_ptr<OpenTask> open_script_json(std::shared_ptr<base::ByteSource> source,
                                           std::unique_ptr<ZipArchive> archive, std::string root) {
  return std::make_unique<ScriptJsonTask>(std::move(source), std::move(archive), std::move(root));
}

}  // namespace nns::checkpoint
