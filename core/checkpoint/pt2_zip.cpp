#include "core/checkpoint/pt2_zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/utf8.h"
#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/inner_documents.h"
#include "core/checkpoint/json_walk.h"
#include "core/checkpoint/plain_zip.h"
#include "core/checkpoint/pt2_schema.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint64_t kMaxNoteMember = 4096;
constexpr std::size_t kMaxPt2Rank = 64;
constexpr std::size_t kMaxPt2Depth = 64;
constexpr std::size_t kPt2Width = 160;

class Pt2Document final : public Checkpoint {
 public:
  std::shared_ptr<base::ByteSource> source;
  std::unique_ptr<ZipArchive> archive;
  /// Packages of PyTorch 2.1 to 2.7 hold archives of torch.save, whose storages have no member of their own; newer ones
  /// a member for each storage.
  InnerDocuments saved;

  base::Result<Storage> locate(std::uint32_t index) override {
    Storage& storage = storages[index];
    if (storage.located) return storage;
    NNS_TRY_ASSIGN(storage.offset,
                   storage.member == kNone ? saved.offset(*archive, index) : archive->stored_offset(storage.member));
    storage.located = true;
    return storage;
  }
  base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t index) override {
    const std::uint32_t member = storages[index].member;
    return member == kNone ? saved.bytes(index) : archive->open_member(member);
  }
  base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor) override {
    if (auto inside = saved.value_bytes(tensor)) return std::move(*inside);
    return Checkpoint::value_bytes(tensor);
  }
  ObjectDescription describe(std::uint32_t node) const override { return describe_inferred(*this, node); }
};

class Pt2Task final : public OpenTask {
 public:
  Pt2Task(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive, std::string root)
      : document_(std::make_unique<Pt2Document>()), builder_(document_->tree.strings), root_(std::move(root)) {
    name_document(*document_, "pt2 zip", source);
    document_->source = std::move(source);
    document_->archive = std::move(archive);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    const auto members = document_->archive->members();
    while (next_ < members.size()) {
      const std::uint32_t member = next_;
      if (nodes_left_.empty() && saved_members_.empty()) {
        NNS_TRY(read_member(member));
      }
      while (!saved_members_.empty()) {
        NNS_TRY_ASSIGN(const bool complete, add_saved(budget));
        if (!complete) return OpenState::Working;
      }
      NNS_TRY_ASSIGN(const bool complete, add_nodes(budget));
      if (!complete) return OpenState::Working;
      ++next_;
      if (budget.spent()) return OpenState::Working;
    }
    if (graph_ == kNone && document_->tensors.empty()) list_members();
    for (const auto& [name, class_name] : classes_) {
      const auto row = modules_.find(name);
      if (row != modules_.end()) builder_.set_class(row->second, class_name);
    }
    NNS_TRY(builder_.finish(SiblingOrder::Registration, *document_));
    return OpenState::Done;
  }

  Progress progress() const override {
    return document_ == nullptr ? Progress{} : Progress{next_, document_->archive->members().size()};
  }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  /// {"as_int": 3}
  base::Result<std::uint64_t> read_size(std::string_view text) {
    std::uint64_t size = UINT64_MAX;
    NNS_TRY(walk_.each_entry(text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "as_int") {
        NNS_TRY_ASSIGN(size, walk_.read_number(value));
      }
      return {};
    }));
    if (size > INT64_MAX) return walk_.error(text.data(), "a size that is no number", R"({"as_int": ...})");
    return size;
  }

  base::Result<void> read_member(std::uint32_t index) {
    const ZipMember& member = document_->archive->members()[index];
    if (!member.name.starts_with(root_)) return {};
    const std::string_view name = member.name.substr(root_.size());
    if (name == "archive_format" || name == "archive_version" || name == "byteorder" || name == ".data/version" ||
        name == ".data/serialization_id" || name == "version") {
      NNS_TRY_ASSIGN(std::string text, document_->archive->read_line(index, kMaxNoteMember));
      if (name == "byteorder" && text != "little") {
        return base::Error{fmt::format("weights of byte order {}", text.substr(0, 40)), "little",
                           document_->source->name(), member.header_offset};
      }
      if (std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; }))
        document_->metadata.push_back({std::string(name), std::move(text)});
      return {};
    }
    const bool is_weights = name.starts_with("data/weights/") && name.ends_with("_config.json");
    const bool is_constants = name.starts_with("data/constants/") && name.ends_with("_config.json");
    const bool is_model = is_pt2_program(name);
    if (!is_weights && !is_constants && !is_model) return {};
    NNS_TRY_ASSIGN(bytes_, document_->archive->read(index, kMaxPt2Json));
    const std::string_view text(reinterpret_cast<const char*>(bytes_.bytes.data()), bytes_.bytes.size());
    walk_.start(text, fmt::format("{}!{}", document_->source->name(), member.name));
    if (base::find_invalid_utf8(text)) return walk_.error(text.data(), "JSON that is not UTF-8", "UTF-8");
    if (is_model && pt2_program_name(name).empty()) find_saved();
    if (is_model) return read_model();
    const std::string folder = root_ + (is_weights ? "data/weights/" : "data/constants/");
    return walk_.each_entry(walk_.text(), [&](std::string_view key, std::string_view config) -> base::Result<void> {
      if (key != "config") return {};
      return walk_.each_entry(config, [&](std::string_view tensor, std::string_view value) {
        return read_weight(folder, tensor, value, is_weights);
      });
    });
  }

  base::Result<void> read_weight(const std::string& folder, std::string_view name, std::string_view text,
                                 bool is_weight) {
    std::string path;
    std::string_view meta;
    bool is_parameter = false;
    bool is_pickled = false;
    NNS_TRY(walk_.each_entry(text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "path_name") {
        NNS_TRY_ASSIGN(path, walk_.read_string(value));
      }
      if (key == "is_param") is_parameter = value == "true";
      if (key == "use_pickle") is_pickled = value == "true";
      if (key == "tensor_meta") meta = value;
      return {};
    }));
    if (meta.empty() || meta.front() != '{') return {};  // a constant that is no tensor
    TensorEntry entry;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    std::string device;
    std::uint64_t dtype = 0;
    const auto sizes = [&](std::string_view list, std::vector<std::int64_t>& into) {
      return walk_.each_item(list, [&](std::string_view item) -> base::Result<void> {
        NNS_TRY_ASSIGN(const std::uint64_t size, read_size(item));
        if (into.size() == kMaxPt2Rank) return walk_.error(item.data(), "more than 64 dimensions", "fewer");
        into.push_back(static_cast<std::int64_t>(size));
        return {};
      });
    };
    NNS_TRY(walk_.each_entry(meta, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "dtype") {
        NNS_TRY_ASSIGN(dtype, walk_.read_number(value));
      }
      if (key == "sizes") return sizes(value, shape);
      if (key == "strides") return sizes(value, stride);
      if (key == "storage_offset") {
        NNS_TRY_ASSIGN(entry.storage_offset, read_size(value));
      }
      if (key == "requires_grad") entry.requires_grad = value == "true";
      if (key == "device") {
        return walk_.each_entry(value, [&](std::string_view part, std::string_view kind) -> base::Result<void> {
          if (part == "type") {
            NNS_TRY_ASSIGN(device, walk_.read_string(kind));
          }
          return {};
        });
      }
      return {};
    }));
    const auto type = pt2_dtype(dtype);
    if (!type)
      return walk_.error(meta.data(), fmt::format("dtype number {}", dtype), "a number of torch.export's schema");
    if (shape.size() != stride.size())
      return walk_.error(meta.data(), fmt::format("{} sizes and {} strides", shape.size(), stride.size()),
                         "as many of each");
    entry.dtype = *type;
    entry.is_parameter = is_parameter;
    entry.readable = !is_pickled;
    entry.numel = 1;
    for (const std::int64_t size : shape) {
      const auto count = static_cast<std::uint64_t>(size);
      if (count != 0 && entry.numel > UINT64_MAX / 16 / count)
        return walk_.error(meta.data(), fmt::format("a dimension of {}", size), "a shape that fits 64 bits");
      entry.numel *= count;
    }
    entry.nbytes = entry.numel * tensor::item_bytes(*type);
    if (!is_pickled) {
      NNS_TRY_ASSIGN(entry.storage, storage_of(folder + path, device, text));
      NNS_TRY(check_range(entry, shape, stride, meta));
    }
    entry.rank = static_cast<std::uint8_t>(shape.size());
    entry.dims = static_cast<std::uint32_t>(document_->dims.size());
    document_->dims.insert(document_->dims.end(), shape.begin(), shape.end());
    document_->dims.insert(document_->dims.end(), stride.begin(), stride.end());
    add_tensor(entry, name, is_parameter ? NodeKind::Parameter : is_weight ? NodeKind::Buffer : NodeKind::Tensor);
    return check_room(meta);
  }

  void add_tensor(TensorEntry entry, std::string_view name, NodeKind kind) {
    entry.name = document_->names.append(name);
    // A name comes once in each list; a constant may have a parameter's name only in a file that is wrong.
    const std::size_t dot = name.rfind('.');
    const std::uint32_t parent = dot == std::string_view::npos ? 0 : module_row(name.substr(0, dot));
    const std::uint32_t row = builder_.add(parent, dot == std::string_view::npos ? name : name.substr(dot + 1), kind);
    builder_.set_tensor(row, static_cast<std::uint32_t>(document_->tensors.size()));
    document_->tensors.push_back(entry);
  }

  void find_saved() {
    for (const std::string_view kind : {"serialized_state_dict.", "serialized_constants."}) {
      const auto members = document_->archive->members();
      for (std::uint32_t at = 0; at < members.size(); ++at) {
        const std::string_view name = members[at].name;
        if (name.starts_with(root_) && name.substr(root_.size()).starts_with(kind)) saved_members_.push_back(at);
      }
    }
  }

  /// The tensors of the first of saved_members_, in slices. True when they are all there.
  base::Result<bool> add_saved(const base::Budget& budget) {
    const std::uint32_t member = saved_members_.front();
    const std::string_view name = document_->archive->members()[member].name;
    if (inner_ == nullptr) {
      NNS_TRY_ASSIGN(auto bytes, document_->archive->open_member(member));
      inner_ = open_zip_in_zip(std::move(bytes));
    }
    NNS_TRY_ASSIGN(const OpenState state, inner_->step(budget));
    if (state == OpenState::Working) return false;
    saved_members_.erase(saved_members_.begin());
    const std::unique_ptr<OpenTask> done = std::exchange(inner_, nullptr);
    if (state != OpenState::Done) return true;
    std::unique_ptr<Checkpoint> inside = done->take();
    const std::size_t more_text = inside->names.text().size() + inside->tree.strings.text().size();
    if (document_->dims.size() + inside->dims.size() > kNone ||
        document_->names.text().size() + more_text > 4 * kMaxPt2Json ||
        builder_.size() + inside->tensors.size() > TreeBuilder::kMaxRows)
      return base::Error{"more rows or names than fit", fmt::format("at most {} rows", TreeBuilder::kMaxRows),
                         fmt::format("{}!{}", document_->source->name(), name), std::nullopt};
    const bool is_constants = name.substr(root_.size()).starts_with("serialized_constants.");
    document_->saved.add(*document_, member, name, std::move(inside), [&](TensorEntry entry, std::string_view own) {
      entry.is_parameter = entry.is_parameter || parameters_.contains(own);
      add_tensor(entry, own,
                 entry.is_parameter                        ? NodeKind::Parameter
                 : !is_constants || buffers_.contains(own) ? NodeKind::Buffer
                                                           : NodeKind::Tensor);
    });
    return true;
  }

  base::Result<void> check_room(std::string_view place) const {
    if (builder_.is_full() || module_text_ > kMaxPt2Json ||
        document_->tree.strings.text().size() + document_->names.text().size() > 4 * kMaxPt2Json)
      return walk_.error(place.data(), "more rows or names than fit",
                         fmt::format("at most {} rows", TreeBuilder::kMaxRows));
    return {};
  }

  base::Result<std::uint32_t> storage_of(const std::string& name, const std::string& device, std::string_view place) {
    const std::uint32_t member = document_->archive->find(name);
    if (member == kNone) {
      return walk_.error(place.data(), "a tensor whose bytes are not in the archive", fmt::format("a member {}", name));
    }
    const auto known = storages_.find(member);
    if (known != storages_.end()) return known->second;
    Storage storage;
    storage.nbytes = document_->archive->members()[member].size;
    storage.located = false;
    storage.member = member;
    storage.device = device.substr(0, 32);
    const auto index = static_cast<std::uint32_t>(document_->storages.size());
    document_->storages.push_back(std::move(storage));
    storages_.emplace(member, index);
    return index;
  }

  base::Result<void> check_range(const TensorEntry& entry, const std::vector<std::int64_t>& shape,
                                 const std::vector<std::int64_t>& stride, std::string_view place) const {
    if (entry.numel == 0) return {};
    std::uint64_t last = entry.storage_offset;
    bool overflows = false;
    for (std::size_t at = 0; at < shape.size(); ++at) {
      std::uint64_t reach = 0;
      overflows = overflows || __builtin_mul_overflow(static_cast<std::uint64_t>(shape[at] - 1),
                                                      static_cast<std::uint64_t>(stride[at]), &reach);
      overflows = overflows || __builtin_add_overflow(last, reach, &last);
    }
    const std::uint64_t available = document_->storages[entry.storage].nbytes / tensor::item_bytes(entry.dtype);
    if (overflows || last >= available) {
      return walk_.error(
          place.data(),
          fmt::format("a tensor whose last element is number {} of its storage", overflows ? UINT64_MAX : last),
          fmt::format("less than {}, the size of the storage", available));
    }
    return {};
  }

  std::uint32_t module_row(std::string_view name) {
    std::uint32_t row = 0;
    std::size_t begin = 0;
    for (std::size_t depth = 0; begin <= name.size(); ++depth) {
      std::size_t end = depth == kMaxPt2Depth ? std::string_view::npos : name.find('.', begin);
      if (end == std::string_view::npos) end = name.size();
      const auto [known, is_new] = modules_.emplace(std::string(name.substr(0, end)), 0);
      if (is_new) {
        module_text_ += end;
        known->second = builder_.add(row, name.substr(begin, end - begin), NodeKind::Module);
      }
      row = known->second;
      begin = end + 1;
    }
    return row;
  }

  /// {"graph_module": {"graph": {"inputs", "outputs", "nodes", ...}, "module_call_graph"}, "torch_version", ...}
  base::Result<void> read_model() {
    return walk_.each_entry(walk_.text(), [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "torch_version" && value.size() < 64) {
        NNS_TRY_ASSIGN(std::string version, walk_.read_string(value));
        document_->metadata.push_back({"torch_version", std::move(version)});
      }
      if (key != "graph_module") return {};
      return walk_.each_entry(value, [&](std::string_view part, std::string_view inside) -> base::Result<void> {
        if (part == "module_call_graph") return read_modules(inside);
        if (part == "signature") return read_signature(inside);
        if (part != "graph") return {};
        return walk_.each_entry(inside, [&](std::string_view name, std::string_view list) -> base::Result<void> {
          if (name == "inputs") return add_ends(list, inputs_);
          if (name == "outputs") return add_ends(list, outputs_);
          if (name == "nodes") nodes_left_ = list;
          return {};
        });
      });
    });
  }

  /// {"input_specs": [{"parameter": {"parameter_name": ...}}, {"buffer": {"buffer_name": ...}}, ...], ...}
  base::Result<void> read_signature(std::string_view text) {
    return walk_.each_entry(text, [&](std::string_view key, std::string_view specs) -> base::Result<void> {
      if (key != "input_specs") return {};
      return walk_.each_item(specs, [&](std::string_view spec) {
        return walk_.each_entry(spec, [&](std::string_view, std::string_view inside) -> base::Result<void> {
          if (!inside.starts_with('{')) return {};
          return walk_.each_entry(inside, [&](std::string_view name, std::string_view value) -> base::Result<void> {
            if (name != "parameter_name" && name != "buffer_name") return {};
            NNS_TRY_ASSIGN(std::string own, walk_.read_string(value));
            (name == "parameter_name" ? parameters_ : buffers_).insert(std::move(own));
            return {};
          });
        });
      });
    });
  }

  base::Result<void> read_modules(std::string_view list) {
    return walk_.each_item(list, [&](std::string_view item) {
      return walk_.each_entry(item, [&](std::string_view key, std::string_view value) -> base::Result<void> {
        if (key != "fqn") return {};
        NNS_TRY_ASSIGN(const std::string name, walk_.read_string(value));
        if (!name.empty()) module_row(name);
        return check_room(item);
      });
    });
  }

  /// The text of each of [{"as_tensor": {"name": "x"}}, ...].
  base::Result<void> add_ends(std::string_view list, std::vector<std::string>& names) {
    return walk_.each_item(list, [&](std::string_view item) -> base::Result<void> {
      NNS_TRY_ASSIGN(std::string name, argument_text(item, 0));
      names.push_back(std::move(name));
      return {};
    });
  }

  /// An argument in short: the name of a tensor, a number, a list of such.
  base::Result<std::string> argument_text(std::string_view text, int depth) {
    constexpr int kDeepest = 6;
    std::string shown;
    if (depth == kDeepest || text.empty()) return std::string("...");
    if (text.front() == '[') {
      shown = "[";
      NNS_TRY(walk_.each_item(text, [&](std::string_view item) -> base::Result<void> {
        if (shown.size() > kPt2Width) return {};
        NNS_TRY_ASSIGN(const std::string part, argument_text(item, depth + 1));
        shown += shown.size() > 1 ? ", " + part : part;
        return {};
      }));
      return shown + "]";
    }
    if (text.front() == '"') return walk_.read_string(text);
    if (text.front() != '{')
      return text == "true" ? "True" : text == "false" ? "False" : std::string(text.substr(0, 40));
    bool is_first = true;
    NNS_TRY(walk_.each_entry(text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (!is_first && key != "name") return {};
      if (key == "as_none") {
        shown = "None";
      } else {
        NNS_TRY_ASSIGN(shown, argument_text(value, depth + 1));
      }
      is_first = false;
      return {};
    }));
    return shown;
  }

  /// The rows of the graph, in slices.
  base::Result<bool> add_nodes(const base::Budget& budget) {
    if (nodes_left_.empty()) return true;
    JsonCursor json(nodes_left_);
    if (!is_in_graph_) {
      if (!json.expect('[')) return walk_.error(nodes_left_, json);
      graph_ = builder_.add(0, "graph", NodeKind::Container);
      builder_.set_class(graph_, "Graph");
      for (const std::string& name : inputs_) add_node(name, "placeholder", name);
      is_in_graph_ = true;
      has_node_ = false;
    } else {
      json.move_to(at_node_);
    }
    while (!json.accept(']')) {
      if (has_node_ && !json.expect(',')) return walk_.error(nodes_left_, json);
      has_node_ = true;
      json.skip_space();
      const std::size_t begin = json.at();
      if (!json.skip_value()) return walk_.error(nodes_left_, json);
      NNS_TRY(read_node(nodes_left_.substr(begin, json.at() - begin)));
      at_node_ = json.at();
      if (budget.spent()) return false;
    }
    std::string outputs;
    for (const std::string& name : outputs_) outputs += (outputs.empty() ? "" : ", ") + name;
    add_node("output", "output", outputs);
    nodes_left_ = {};
    is_in_graph_ = false;
    inputs_.clear();
    outputs_.clear();
    return true;
  }

  base::Result<void> read_node(std::string_view text) {
    std::string target;
    std::string arguments;
    std::string name;
    NNS_TRY(walk_.each_entry(text, [&](std::string_view key, std::string_view value) -> base::Result<void> {
      if (key == "target") {
        NNS_TRY_ASSIGN(target, walk_.read_string(value));
      } else if (key == "inputs") {
        return walk_.each_item(value, [&](std::string_view item) {
          return walk_.each_entry(item, [&](std::string_view part, std::string_view argument) -> base::Result<void> {
            if (part != "arg" || arguments.size() > kPt2Width) return {};
            NNS_TRY_ASSIGN(const std::string shown, argument_text(argument, 0));
            arguments += (arguments.empty() ? "" : ", ") + shown;
            return {};
          });
        });
      } else if (key == "outputs") {
        return walk_.each_item(value, [&](std::string_view item) -> base::Result<void> {
          if (!name.empty()) return {};
          NNS_TRY_ASSIGN(name, argument_text(item, 0));
          return {};
        });
      } else if (key == "metadata" && !value.empty() && value.front() == '{') {
        return walk_.each_entry(value, [&](std::string_view part, std::string_view stack) -> base::Result<void> {
          if (part == "nn_module_stack" && stack.front() == '"') {
            NNS_TRY_ASSIGN(const std::string modules, walk_.read_string(stack));
            read_stack(modules);
          }
          return {};
        });
      }
      return {};
    }));
    add_node(name, "call_function", fmt::format("{}({})", target, arguments));
    return check_room(text);
  }

  /// "key,name,class;key,name,class": the modules that a node was called in.
  void read_stack(std::string_view modules) {
    while (!modules.empty()) {
      const std::string_view one = modules.substr(0, modules.find(';'));
      modules.remove_prefix(std::min(modules.size(), one.size() + 1));
      const std::size_t first = one.find(',');
      const std::size_t last = one.rfind(',');
      if (first == std::string_view::npos || first == last) continue;
      const std::string name(one.substr(first + 1, last - first - 1));
      const std::string_view whole = one.substr(last + 1);
      const bool is_torch = whole.starts_with("torch.nn.");
      const std::string_view shown = is_torch ? whole.substr(whole.rfind('.') + 1) : whole;
      if (name.empty()) {
        builder_.set_class(0, shown);
      } else {
        classes_.emplace(name, shown);
      }
    }
  }

  void add_node(std::string_view name, std::string_view kind, std::string_view text) {
    const std::uint32_t row = builder_.add(graph_, name, NodeKind::Value);
    builder_.set_class(row, kind);
    builder_.set_preview(row, text);
  }

  void list_members() {
    bool has_code = false;
    builder_.set_kind(0, NodeKind::Container);
    builder_.set_class(0, "pt2 archive");
    for (const ZipMember& member : document_->archive->members()) {
      if (base::find_invalid_utf8(member.name)) continue;
      const std::uint32_t row = builder_.add(0, member.name, NodeKind::Value);
      builder_.set_class(row, "file");
      builder_.set_preview(row, fmt::format("{} bytes", member.size));
      has_code = has_code || member.name.find("data/aotinductor/") != std::string_view::npos;
    }
    document_->notes.push_back(
        has_code ? "The package holds compiled code (AOTInductor); its members are listed, nothing is loaded."
                 : "No models/*.json with a graph and no weights are in the package; its members are listed.");
  }

  std::unique_ptr<Pt2Document> document_;
  TreeBuilder builder_;
  std::string root_;
  std::uint32_t next_ = 0;
  ZipBytes bytes_;  // of the member that is being read
  JsonWalk walk_;   // of its text
  std::map<std::string, std::uint32_t> modules_;
  std::map<std::string, std::string> classes_;
  std::map<std::uint32_t, std::uint32_t> storages_;
  std::set<std::string, std::less<>> parameters_;  // by the signature
  std::set<std::string, std::less<>> buffers_;
  std::vector<std::uint32_t> saved_members_;
  std::unique_ptr<OpenTask> inner_;  // of the first of them
  std::uint32_t graph_ = kNone;
  std::string_view nodes_left_;
  std::size_t at_node_ = 0;
  bool is_in_graph_ = false;
  bool has_node_ = false;
  std::uint64_t module_text_ = 0;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
};

}  // namespace

std::unique_ptr<OpenTask> open_pt2_zip(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive,
                                       std::string root) {
  return std::make_unique<Pt2Task>(std::move(source), std::move(archive), std::move(root));
}

}  // namespace nns::checkpoint
