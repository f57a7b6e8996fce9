#include "core/checkpoint/torch_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/checkpoint/pickle_preview.h"

namespace nns::checkpoint {

namespace {

/// Deeper values are shown by their preview only.
constexpr std::size_t kMaxTreeDepth = 200;
constexpr int kTreeStepsPerLook = 1024;
constexpr std::uint8_t kOnPath = 1;
constexpr std::uint8_t kShown = 2;
/// Names that say "state dict" without a dot.
constexpr std::string_view kKnownLeaves[] = {"weight",      "bias",           "running_mean",
                                             "running_var", "in_proj_weight", "weight_ih_l0"};

/// Whether a key reads as the name of a tensor in a module: identifiers and numbers, with dots between them.
bool is_module_path(std::string_view key) {
  if (key.empty() || key.front() == '.' || key.back() == '.') return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == ':' || c == '@' || c == '|' || c == '+';
  });
}

}  // namespace

std::string short_class_name(std::string_view qualified) {
  for (const std::string_view prefix : {"torch.nn.", "torch.ao.nn.", "torch.nn.quantized."}) {
    if (qualified.substr(0, prefix.size()) == prefix)
      return std::string(qualified.substr(qualified.find_last_of('.') + 1));
  }
  return std::string(qualified);
}

TorchTree::TorchTree(PickledCheckpoint& document, TreeBuilder& builder, TorchObjects& objects)
    : document_(document), builder_(builder), objects_(objects), heap_(document.machine->heap()) {
  state_.assign(heap_.size(), 0);
  most_rows_ = 4096 + 2 * heap_.size();
  most_text_ = (64U << 20U) + 16 * std::uint64_t{document_.pickle.bytes.size()};
}

base::Result<void> TorchTree::start(PickleId value, std::uint32_t row, std::string path) {
  path_ = std::move(path);
  // A tensor or a plain value needs a row of its own below the root.
  PickleChain items;
  const bool opens = objects_.dict_items(value, items) || !(is_scalar(heap_, value) || objects_.is_tensor(value));
  if (row == 0 && !opens) {
    builder_.set_kind(0, NodeKind::Container);
    row = builder_.add(0, "", NodeKind::Value);
  }
  return fill(row, value, NodeKind::Tensor, '/');
}

base::Result<bool> TorchTree::step(const base::Budget& budget) {
  for (int since_look = 0; !frames_.empty(); ++since_look) {
    if (since_look == kTreeStepsPerLook) {
      if (budget.spent()) return false;
      since_look = 0;
    }
    ++steps_;
    const std::size_t at = frames_.size() - 1;
    Frame frame = frames_[at];
    bool ended = false;
    path_.resize(frame.path);
    // `frame` is a copy, written back before a child's frame is put on top of it.
    const std::size_t depth = frames_.size();
    NNS_TRY(advance(frame, ended));
    if (ended) {
      if (frame.value != kNone) state_[frame.value] = static_cast<std::uint8_t>(state_[frame.value] & ~kOnPath);
      frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(depth - 1));
    } else {
      frames_[depth - 1] = frame;
    }
  }
  return true;
}

base::Result<void> TorchTree::check_room() const {
  if (builder_.is_full()) {
    return base::Error{fmt::format("more than {} rows", TreeBuilder::kMaxRows), "fewer entries",
                       document_.source->name(), std::nullopt};
  }
  if (document_.tree.strings.text().size() + document_.names.text().size() + path_.size() > most_text_) {
    return base::Error{fmt::format("names that need more than {} bytes", most_text_), "shorter names or less nesting",
                       document_.source->name(), std::nullopt};
  }
  return {};
}

base::Result<void> TorchTree::advance(Frame& frame, bool& ended) {
  if (frame.mode == Mode::Object) return advance_object(frame, ended);
  PickleId first = kNone;
  if (!heap_.next(frame.cursor, first)) {
    ended = true;
    return {};
  }
  if (frame.mode == Mode::Sequence)
    return add_child(frame, fmt::format("{}", frame.index++), first, NodeKind::Tensor, '/');
  if (frame.mode == Mode::Tensors) {
    // (layout, (indices, values, size, ...)) and the like: what is a tensor gets a row.
    static constexpr std::array kNames = {"indices", "values", "2", "3"};
    const std::uint32_t index = frame.index++;
    if (!objects_.is_tensor(first)) return {};
    return add_child(frame, index < kNames.size() ? kNames[index] : fmt::format("{}", index), first, NodeKind::Tensor,
                     '/');
  }
  if (frame.mode == Mode::ScriptState) {
    const std::uint32_t index = frame.index++;
    if (is_scalar(heap_, first)) return {};
    const std::string_view name = frame.script == nullptr ? std::string_view() : frame.script->name_of_state(index);
    return add_script_entry(frame, name.empty() ? fmt::format("{}", index) : std::string(name), first);
  }
  PickleId second = kNone;
  if (!heap_.next(frame.cursor, second)) {
    ended = true;
    return {};
  }
  return advance_pair(frame, first, second);
}

base::Result<void> TorchTree::advance_pair(const Frame& frame, PickleId key, PickleId value) {
  const std::string name = key_text(heap_, key);
  switch (frame.mode) {
    case Mode::StateDict:
      return add_state_entry(frame, name, value);
    case Mode::Parameters:
      return heap_.is_none(value) ? base::Result<void>()
                                  : add_child(frame, name, value, NodeKind::Parameter, frame.join);
    case Mode::Buffers:
      return heap_.is_none(value) ? base::Result<void>() : add_child(frame, name, value, NodeKind::Buffer, frame.join);
    case Mode::Modules:
      return heap_.is_none(value) ? base::Result<void>() : add_child(frame, name, value, NodeKind::Tensor, frame.join);
    case Mode::Module: {
      PickleChain items;
      const bool is_registry = objects_.dict_items(value, items);
      const Mode mode = name == "_parameters" ? Mode::Parameters
                        : name == "_buffers"  ? Mode::Buffers
                        : name == "_modules"  ? Mode::Modules
                                              : Mode::Module;
      if (is_registry && mode != Mode::Module) {
        open(mode, kNone, frame.row, items, frame.join);
        return {};
      }
      // Plain attributes that hold something have rows; the others are in the module's description.
      const bool is_hook_table =
          is_registry && name.size() > 6 && name.front() == '_' && name.find("hook") != std::string::npos;
      if (is_scalar(heap_, value) || is_hook_table || objects_.maker(value) == Maker::Set ||
          (is_registry && items.count == 0))
        return {};
      path_ += path_.empty() ? "<state>" : "/<state>";
      return add_child(frame, name, value, NodeKind::Tensor, '/');
    }
    case Mode::Script:
      // Plain attributes are in the module's description.
      return is_scalar(heap_, value) ? base::Result<void>() : add_script_entry(frame, name, value);
    default:
      return add_child(frame, name, value, NodeKind::Tensor, '/');
  }
}

base::Result<void> TorchTree::add_script_entry(const Frame& frame, std::string_view name, PickleId value) {
  const bool is_parameter = frame.script != nullptr && frame.script->is_parameter(name);
  const bool is_buffer = frame.script != nullptr && frame.script->is_buffer(name);
  const std::size_t tensors = document_.tensors.size();
  NNS_TRY(add_child(frame, name, value,
                    is_parameter ? NodeKind::Parameter
                    : is_buffer  ? NodeKind::Buffer
                                 : NodeKind::Tensor,
                    '.'));
  if (is_parameter && objects_.is_tensor(value) && document_.tensors.size() > tensors)
    document_.tensors[tensors].is_parameter = true;
  return {};
}

/// Rows for what turns the integers into numbers: they are no parameters.
base::Result<void> TorchTree::add_quantizer(std::uint32_t parent, std::string_view name, PickleId value) {
  const PickleId quantizer = objects_.quantizer(value);
  if (quantizer == kNone || document_.tensors.empty()) return {};
  const auto quantised = static_cast<std::uint32_t>(document_.tensors.size() - 1);  // `value`, the last that was added
  StoredQuantizer stored;
  static constexpr std::array kNames = {"qscheme", "scale", "zero_point", "axis"};
  std::array<PickleId, kNames.size()> parts{};
  const std::size_t count = std::min(heap_.first_items(quantizer, parts), parts.size());
  const std::size_t path = path_.size();
  for (std::size_t at = 0; at < count; ++at) {
    NNS_TRY(check_room());
    const std::string text = fmt::format("{}.{}", name, kNames[at]);
    const std::uint32_t row = builder_.add(parent, text, NodeKind::Value);
    remember(row, parts[at]);
    path_.resize(path);
    path_ += fmt::format(".{}", kNames[at]);
    TensorEntry entry;
    std::uint32_t index = kNone;
    NNS_TRY_ASSIGN(const bool is_tensor, add_tensor(parts[at], entry, index));
    if (is_tensor) {
      fill_tensor(row, index, NodeKind::Tensor);
    } else {
      fill_value(row, parts[at]);
    }
    if (at == 1) stored.scales = index;
    if (at == 2) stored.zero_points = index;
  }
  path_.resize(path);
  const auto number = [&](std::size_t at) {
    return heap_.kind(parts[at]) == PickleKind::Float ? heap_.as_float(parts[at])
                                                      : static_cast<double>(heap_.as_int(parts[at]));
  };
  const auto is_number = [&](std::size_t at) {
    return heap_.kind(parts[at]) == PickleKind::Float || heap_.kind(parts[at]) == PickleKind::Int;
  };
  if (count >= 3 && is_number(1) && is_number(2)) {
    stored.scale = number(1);
    stored.zero_point = number(2);
    set_quantizer(quantised, stored);
  } else if (count == kNames.size() && stored.scales != kNone && stored.zero_points != kNone &&
             heap_.kind(parts[3]) == PickleKind::Int) {
    const std::int64_t axis = heap_.as_int(parts[3]);
    stored.axis = axis < 0 || axis > UINT8_MAX ? UINT8_MAX : static_cast<std::uint32_t>(axis);
    set_quantizer(quantised, stored);
  }
  return {};
}

/// From here on the tensor's values are the numbers that its integers stand for, under the name of the stored type.
void TorchTree::set_quantizer(std::uint32_t tensor, StoredQuantizer quantizer) {
  TensorEntry& entry = document_.tensors[tensor];
  const auto& stored = tensor::info(entry.dtype);
  if (stored.kind != tensor::DTypeKind::Quantized) return;
  quantizer.stored = entry.dtype;
  document_.quantizers.emplace(tensor, quantizer);
  entry.dtype_text = document_.tree.strings.intern(stored.torch_name);
  entry.dtype = tensor::DType::Float32;
}

base::Result<void> TorchTree::open_script(std::uint32_t row, PickleId value, const ScriptClass* script) {
  const PickleId state = heap_.object(value).state;
  builder_.set_kind(row, NodeKind::Module);
  builder_.set_class(row, short_class_name(python_class_name(type_name(heap_, value))));
  const bool is_dict = heap_.kind(state) == PickleKind::Dict;
  open(is_dict ? Mode::Script : Mode::ScriptState, value, row, heap_.chain(state), '.');
  frames_.back().script = script;
  return {};
}

base::Result<void> TorchTree::add_child(const Frame& frame, std::string_view name, PickleId value, NodeKind tensor_kind,
                                        char join) {
  NNS_TRY(check_room());
  if (!path_.empty()) path_ += join;
  path_ += name;
  const std::uint32_t row = builder_.add(frame.row, name, NodeKind::Value);
  // Below a module reached through its parent's registry, names go on with dots.
  const char below = frame.mode == Mode::Modules ? '.' : '/';
  const std::uint32_t parent = frame.row;
  NNS_TRY(fill(row, value, tensor_kind, below));
  return add_quantizer(parent, name, value);
}

base::Result<void> TorchTree::add_state_entry(const Frame& frame, std::string_view key, PickleId value) {
  if (!objects_.is_tensor(value)) return add_child(frame, key, value, NodeKind::Tensor, '/');
  NNS_TRY(check_room());
  if (!path_.empty()) path_ += '/';
  path_ += key;
  TensorEntry entry;
  std::uint32_t index = kNone;
  NNS_TRY_ASSIGN(const bool is_tensor, add_tensor(value, entry, index));
  if (!is_tensor) return {};
  std::uint32_t row = builder_.add_dotted(frame.row, key, index);
  if (row == kNone) {  // the same key twice: Python keeps the last; both are shown
    row = builder_.add(frame.row, key, NodeKind::Tensor);
    builder_.set_tensor(row, index);
  }
  if (entry.is_parameter) {
    builder_.set_kind(row, NodeKind::Parameter);
    builder_.clear_flag(row, kKindInferred);
  }
  remember(row, value);
  return add_quantizer(builder_.parent(row), key.substr(key.find_last_of('.') + 1), value);
}

base::Result<bool> TorchTree::add_tensor(PickleId value, TensorEntry& entry, std::uint32_t& index) {
  NNS_TRY_ASSIGN(const bool is_tensor, objects_.read(value, entry));
  if (!is_tensor) return false;
  entry.name = document_.names.append(path_);
  index = static_cast<std::uint32_t>(document_.tensors.size());
  document_.tensors.push_back(entry);
  return true;
}

void TorchTree::fill_tensor(std::uint32_t row, std::uint32_t index, NodeKind kind) {
  builder_.set_tensor(row, index);
  builder_.set_kind(row,
                    document_.tensors[index].is_parameter && kind == NodeKind::Tensor ? NodeKind::Parameter : kind);
}

void TorchTree::fill_value(std::uint32_t row, PickleId value, std::string_view text) {
  builder_.set_kind(row, NodeKind::Value);
  builder_.set_class(row, type_name(heap_, value));
  builder_.set_preview(row, text.empty() ? preview(heap_, value) : std::string(text));
}

base::Result<void> TorchTree::fill(std::uint32_t row, PickleId value, NodeKind tensor_kind, char join) {
  value = objects_.unwrapped(value);
  remember(row, value);
  TensorEntry entry;
  std::uint32_t index = kNone;
  NNS_TRY_ASSIGN(const bool is_tensor, add_tensor(value, entry, index));
  if (is_tensor) {
    fill_tensor(row, index, tensor_kind);
    return {};
  }
  if (is_scalar(heap_, value)) {
    if (heap_.kind(value) == PickleKind::Global) mark_suspicious(row, value);
    fill_value(row, value);
    return {};
  }
  if ((state_[value] & kOnPath) != 0) {
    fill_value(row, value, "the same object as a row above (a cycle)");
    return {};
  }
  if ((state_[value] & kShown) != 0 && builder_.size() > most_rows_) {
    fill_value(row, value, "an object that is shown elsewhere");
    return {};
  }
  if (frames_.size() >= kMaxTreeDepth) {
    if (!noted_depth_)
      document_.notes.push_back(fmt::format("values nested deeper than {} levels are not unfolded", kMaxTreeDepth));
    noted_depth_ = true;
    fill_value(row, value);
    return {};
  }
  if (heap_.kind(value) == PickleKind::Object) return fill_object(row, value, join);

  const PickleChain items = heap_.chain(value);
  if (heap_.kind(value) == PickleKind::Dict) {
    if (is_state_dict(items, row == 0)) {
      builder_.set_kind(row, NodeKind::Module);
      open(Mode::StateDict, value, row, items, '/');
    } else {
      builder_.set_kind(row, NodeKind::Container);
      builder_.set_class(row, "dict");
      open(Mode::Items, value, row, items, '/');
    }
    return {};
  }
  bool all_plain = true;
  heap_.each(items, [&](PickleId child) {
    return all_plain = is_scalar(heap_, child) && heap_.kind(child) != PickleKind::Global;
  });
  if (all_plain) {
    fill_value(row, value);
    return {};
  }
  builder_.set_kind(row, NodeKind::Container);
  builder_.set_class(row, type_name(heap_, value));
  open(Mode::Sequence, value, row, items, '/');
  return {};
}

base::Result<void> TorchTree::fill_object(std::uint32_t row, PickleId value, char join) {
  const PickleObject& object = heap_.object(value);
  mark_suspicious(row, object.callable);
  // 1. A dictionary of collections.
  PickleChain items;
  if (objects_.dict_items(value, items)) {
    if (items.count == 0) {
      fill_value(row, value);
    } else if (is_state_dict(items, row == 0)) {
      builder_.set_kind(row, NodeKind::Module);
      open(Mode::StateDict, value, row, items, '/');
    } else {
      builder_.set_kind(row, NodeKind::Container);
      std::string name = type_name(heap_, value);
      builder_.set_class(row, name.substr(name.find_last_of('.') + 1));
      open(Mode::Items, value, row, items, '/');
    }
    return {};
  }
  // 2. A module of a TorchScript archive, or of Python.
  const ScriptClass* script = document_.script_class(value);
  if (script != nullptr && script->is_module()) return open_script(row, value, script);
  if (objects_.module_state(value, items)) {
    builder_.set_kind(row, NodeKind::Module);
    builder_.set_class(row, short_class_name(type_name(heap_, value)));
    open(Mode::Module, value, row, items, join);
    return {};
  }
  // 3. Tensors in parts.
  const Maker maker = objects_.maker(value);
  if (maker == Maker::SparseTensor || maker == Maker::SparseCsrTensor || maker == Maker::NestedTensor) {
    std::array<PickleId, 2> args{};
    heap_.first_items(object.args, args);
    builder_.set_kind(row, NodeKind::Container);
    builder_.set_class(row, maker == Maker::NestedTensor ? "nested tensor" : "sparse tensor");
    const PickleId parts =
        maker != Maker::NestedTensor && heap_.kind(args[1]) == PickleKind::Tuple ? args[1] : object.args;
    open(Mode::Tensors, value, row, heap_.chain(parts), '/');
    return {};
  }
  // 4. Anything else: one line if it is a call on plain values, else its parts.
  bool is_plain = is_scalar(heap_, object.state) && object.items.count == 0 && object.appended.count == 0 &&
                  heap_.is_none(object.kwargs);
  if (maker == Maker::Set || maker == Maker::Encode || maker == Maker::NumpyScalar || maker == Maker::NumpyDType)
    is_plain = true;
  if (heap_.kind(object.args) == PickleKind::Tuple && maker == Maker::Other) {
    heap_.each(heap_.chain(object.args),
               [&](PickleId child) { return is_plain = is_plain && is_scalar(heap_, child); });
  }
  if (is_plain) {
    fill_value(row, value);
    return {};
  }
  builder_.set_kind(row, NodeKind::Container);
  builder_.set_class(row, type_name(heap_, value));
  open(Mode::Object, value, row, {}, '/');
  return {};
}

base::Result<void> TorchTree::advance_object(Frame& frame, bool& ended) {
  const PickleObject& object = heap_.object(frame.value);
  const auto part = [&](std::string_view name, Mode mode, const PickleChain& items) {
    if (items.count == 0) return;
    if (!path_.empty()) path_ += '/';
    path_ += name;
    const std::uint32_t row = builder_.add(frame.row, name, NodeKind::Container);
    remember(row, kNone);
    open(mode, kNone, row, items, '/');
  };
  NNS_TRY(check_room());
  switch (frame.index++) {
    case 0:
      if (heap_.kind(object.args) == PickleKind::Tuple) part("<args>", Mode::Sequence, heap_.chain(object.args));
      return {};
    case 1:
      if (heap_.kind(object.kwargs) == PickleKind::Dict) part("<kwargs>", Mode::Items, heap_.chain(object.kwargs));
      return {};
    case 2: {
      PickleChain items;
      if (objects_.dict_items(object.state, items)) {
        part("<state>", Mode::Items, items);
      } else if (!heap_.is_none(object.state)) {
        return add_child(frame, "<state>", object.state, NodeKind::Tensor, '/');
      }
      return {};
    }
    case 3:
      part("<items>", Mode::Items, object.items);
      return {};
    case 4:
      part("<list>", Mode::Sequence, object.appended);
      return {};
    default:
      ended = true;
      return {};
  }
}

void TorchTree::open(Mode mode, PickleId value, std::uint32_t row, const PickleChain& items, char join) {
  if (value != kNone) state_[value] = static_cast<std::uint8_t>(state_[value] | kOnPath | kShown);
  Frame frame;
  frame.mode = mode;
  frame.value = value;
  frame.row = row;
  frame.path = path_.size();
  frame.cursor = heap_.begin(items);
  frame.join = join;
  frames_.push_back(frame);
}

bool TorchTree::is_state_dict(const PickleChain& items, bool is_root) const {
  std::uint32_t tensors = 0;
  std::uint32_t entries = 0;
  bool plain_names = true;
  bool has_module_names = is_root;
  bool is_key = true;
  std::string_view key;
  heap_.each(items, [&](PickleId child) {
    if (is_key) {
      plain_names = heap_.is_text(child);
      if (plain_names) key = heap_.text(child);
    } else {
      ++entries;
      if (objects_.is_tensor(child)) {
        ++tensors;
        plain_names = is_module_path(key);
        has_module_names = has_module_names || key.find('.') != std::string_view::npos ||
                           std::find(std::begin(kKnownLeaves), std::end(kKnownLeaves), key) != std::end(kKnownLeaves);
      }
    }
    is_key = !is_key;
    return plain_names;
  });
  return plain_names && has_module_names && tensors > 0 && tensors >= entries - tensors;
}

void TorchTree::remember(std::uint32_t row, PickleId value) {
  if (values_.size() <= row) values_.resize(row + 1, kNone);
  values_[row] = value;
}

void TorchTree::mark_suspicious(std::uint32_t row, PickleId value) {
  value = class_of(heap_, value);
  if (heap_.kind(value) != PickleKind::Global) return;
  if (document_.machine->globals()[heap_.name(value).global].verdict != Verdict::Safe)
    builder_.set_flag(row, kSuspicious);
}

base::Result<void> lay_out(PickledCheckpoint& document, TreeBuilder& builder, const TorchTree* tree) {
  std::vector<std::uint32_t> rows;
  NNS_TRY(builder.finish(SiblingOrder::Registration, document, &rows));
  document.value_of_row.assign(document.tree.size(), kNone);
  if (tree == nullptr) return {};
  for (std::size_t row = 0; row < tree->values().size(); ++row) {
    if (rows[row] != kNone) document.value_of_row[rows[row]] = tree->values()[row];
  }
  return {};
}

base::Result<void> list_globals_only(PickledCheckpoint& document, TreeBuilder& builder, const base::Error& error) {
  document.globals = document.machine->globals();
  const bool is_dangerous = std::any_of(document.globals.begin(), document.globals.end(),
                                        [](const Global& global) { return global.verdict == Verdict::Dangerous; });
  if (!is_dangerous) return error;
  document.notes.push_back("The pickle is broken; only the globals before that place are listed: " + error.message());
  builder.set_kind(0, NodeKind::Container);
  return lay_out(document, builder, nullptr);
}

}  // namespace nns::checkpoint
