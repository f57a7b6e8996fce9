#include "core/checkpoint/describe_pickled.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/module_rules.h"
#include "core/checkpoint/pickle_preview.h"
#include "core/checkpoint/torch_objects.h"
#include "core/checkpoint/torch_script.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint32_t kMostRows = 4096;
constexpr std::size_t kMostItems = 65'536;
/// A repr is cut to these, with an ellipsis: of the value itself, and in a row of a table. Units: characters.
constexpr std::size_t kLongestRepr = 1U << 20U;
constexpr std::size_t kLongestText = 1024;

class PickledDescriber {
 public:
  PickledDescriber(const PickledCheckpoint& document, std::uint32_t node, const PickleChain& state)
      : document_(document), heap_(document.heap()), node_(node), state_(state) {}

  ObjectDescription run(PickleId module) {
    description_.class_name = type_name(heap_, module);
    description_.is_module = true;
    const PickleId training = heap_.find(state_, "training");
    description_.training = training == kNone || heap_.as_bool(training);
    source(heap_.object(module).callable);
    each_pair(state_, [&](PickleId key, PickleId value) { entry(key_text(heap_, key), value); });
    return std::move(description_);
  }

 private:
  /// Before 1.6 the class of a module came as ("module", class, source file, source).
  void source(PickleId callable) {
    if (class_of(heap_, callable) == callable) return;
    std::array<PickleId, 4> id{};
    if (heap_.first_items(heap_.persistent_id(callable), id) < 4) return;
    if (heap_.is_text(id[3])) description_.repr = heap_.text(id[3]);
    constexpr std::string_view kWhy = "torch.save wrote it beside the class; it is no entry of __dict__.";
    if (heap_.is_text(id[2]))
      add(0, AttributePlace::Item, "source file", "str", std::string(heap_.text(id[2])), kWhy, kNone);
    if (heap_.is_text(id[3])) add(0, AttributePlace::Item, "source", "str", preview(heap_, id[3]), kWhy, kNone);
  }

  template <class Visit>
  void each_pair(const PickleChain& chain, Visit&& visit) {
    PickleId key = kNone;
    std::uint32_t count = 0;
    heap_.each(chain, [&](PickleId child) {
      if (key == kNone) {
        key = child;
        return true;
      }
      visit(key, child);
      key = kNone;
      return ++count < kMostRows;
    });
  }

  /// The chain of a dict or OrderedDict.
  bool items_of(PickleId value, PickleChain& items) const {
    if (value == kNone) return false;
    if (heap_.kind(value) == PickleKind::Dict) {
      items = heap_.chain(value);
      return true;
    }
    if (heap_.kind(value) != PickleKind::Object) return false;
    const std::string name = type_name(heap_, value);
    if (name != "collections.OrderedDict" && name != "collections.defaultdict" && name != "collections.Counter")
      return false;
    items = heap_.object(value).items;
    return true;
  }

  std::string short_type(PickleId value) const {
    const std::string name = type_name(heap_, value);
    return name.substr(0, 12) == "collections." ? name.substr(12) : name;
  }

  void add(std::uint8_t depth, AttributePlace place, std::string name, std::string type, std::string text,
           std::string_view why, std::uint32_t row) {
    AttributeRow attribute;
    attribute.depth = depth;
    attribute.place = place;
    attribute.name = std::move(name);
    attribute.type = std::move(type);
    attribute.text = std::move(text);
    attribute.why = why;
    attribute.node = row;
    description_.attributes.push_back(std::move(attribute));
  }

  /// The child row of that value and name.
  std::uint32_t row_of(std::string_view name, PickleId value) const {
    const ModuleTree& tree = document_.tree;
    for (std::uint32_t child = node_ + 1; child < tree.end[node_]; child = tree.end[child]) {
      if (document_.value_of_row[child] == value && tree.strings.view(tree.name[child]) == name) return child;
    }
    return kNone;
  }

  void entry(const std::string& name, PickleId value) {
    PickleChain items;
    const bool is_table = items_of(value, items);
    const ModuleKey* key = find_module_key(name);
    if (is_table && key != nullptr && key->holds != AttributePlace::Dict) {
      add(0, AttributePlace::Registry, name, short_type(value), count_text(items), key->why, kNone);
      each_pair(items, [&](PickleId id, PickleId item) {
        if (key->holds == AttributePlace::Hooks) {
          hook(*key, id, item);
        } else {
          member(key->holds, key_text(heap_, id), item);
        }
      });
      return;
    }
    const bool is_set = name == "_non_persistent_buffers_set";
    const std::uint32_t row = row_of(name, value);
    std::string text = row != kNone && document_.tree.tensor[row] != kNone
                           ? tensor_summary(document_, document_.tensors[document_.tree.tensor[row]])
                       : is_set ? set_text(value)
                                : preview(heap_, value, kLongestText);
    const bool is_tensor = row != kNone && document_.tree.tensor[row] != kNone;
    const std::string_view why =
        key != nullptr ? key->why : rule_of(is_tensor ? EntryRule::PlainTensor : EntryRule::Plain);
    add(0, key != nullptr ? key->place : AttributePlace::Dict, name, short_type(value), std::move(text), why, row);
  }

  static std::string count_text(const PickleChain& items) {
    const std::uint32_t count = items.count / 2;
    return count == 0 ? "{}" : fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
  }

  /// A set as Python prints it, also where the pickle spells it set([...]).
  std::string set_text(PickleId value) const {
    if (heap_.kind(value) != PickleKind::Object) return preview(heap_, value);
    std::array<PickleId, 1> items{};
    heap_.first_items(heap_.object(value).args, items);
    std::string text = preview(heap_, items[0]);
    if (heap_.kind(items[0]) != PickleKind::List) return preview(heap_, value);
    if (text == "[]") return "set()";
    text.front() = '{';
    if (text.back() == ']') text.back() = '}';
    return text;
  }

  void member(AttributePlace place, const std::string& name, PickleId value) {
    const std::uint32_t row = heap_.is_none(value) ? kNone : row_of(name, value);
    const std::string_view why = rule_of(entry_rule(place, heap_.is_none(value)));
    if (row == kNone) {
      add(1, place, name, short_type(value), preview(heap_, value), why, kNone);
      return;
    }
    const std::uint32_t tensor = document_.tree.tensor[row];
    if (tensor != kNone) {
      const bool is_parameter = place == AttributePlace::Parameters;
      std::string text = tensor_summary(document_, document_.tensors[tensor]);
      if (is_parameter)
        text += fmt::format(", requires_grad={}", document_.tensors[tensor].requires_grad ? "True" : "False");
      add(1, place, name, is_parameter ? "Parameter" : "Tensor", std::move(text), why, row);
    } else {
      add(1, place, name, std::string(document_.tree.strings.view(document_.tree.class_name[row])), {}, why, row);
    }
  }

  void hook(const ModuleKey& table, PickleId key, PickleId callable) {
    HookRow row;
    row.dictionary = table.name;
    row.kind = table.hook_kind;
    if (table.name == "_backward_hooks") {
      const PickleId is_full = heap_.find(state_, "_is_full_backward_hook");
      row.kind = backward_hook_kind(is_full != kNone && heap_.as_bool(is_full));
    }
    row.id = heap_.kind(key) == PickleKind::Int ? static_cast<std::uint64_t>(heap_.as_int(key)) : 0;
    row.with_kwargs = is_listed(table.with_kwargs, key);
    row.always_call = is_listed(table.always_called, key);
    if (row.with_kwargs) row.kind += ", with kwargs";
    if (row.always_call) row.kind += ", always called";
    row.callable = preview(heap_, callable);
    add(1, AttributePlace::Hooks, key_text(heap_, key), short_type(callable), row.callable, table.hook_why, kNone);
    description_.hooks.push_back(std::move(row));
  }

  bool is_listed(std::string_view table, PickleId id) {
    PickleChain items;
    if (table.empty() || !items_of(heap_.find(state_, table), items)) return false;
    bool found = false;
    each_pair(items, [&](PickleId key, PickleId) {
      found = found || (heap_.kind(key) == PickleKind::Int && heap_.kind(id) == PickleKind::Int &&
                        heap_.as_int(key) == heap_.as_int(id));
    });
    return found;
  }

  const PickledCheckpoint& document_;
  const PickleHeap& heap_;
  std::uint32_t node_;
  PickleChain state_;
  ObjectDescription description_;
};

/// A value without rows of its own: all of its text, and its items if it is a list or the like.
void describe_value(const PickleHeap& heap, PickleId value, ObjectDescription& description) {
  description.repr = preview(heap, value, kLongestRepr);
  const PickleKind kind = heap.kind(value);
  const bool is_dict = kind == PickleKind::Dict;
  if (!is_dict && kind != PickleKind::List && kind != PickleKind::Tuple && kind != PickleKind::Set &&
      kind != PickleKind::FrozenSet) {
    return;
  }
  std::string key;
  std::uint32_t count = 0;
  heap.each(heap.chain(value), [&](PickleId child) {
    const std::uint32_t index = count++;
    if (is_dict && index % 2 == 0) {
      key = key_text(heap, child);
      return true;
    }
    AttributeRow row;
    row.place = AttributePlace::Item;
    row.name = is_dict ? key : fmt::to_string(index);
    row.type = type_name(heap, child);
    row.text = preview(heap, child, kLongestText);
    description.attributes.push_back(std::move(row));
    return description.attributes.size() < kMostItems;
  });
  const std::uint32_t items = heap.chain(value).count / (is_dict ? 2 : 1);
  if (items > description.attributes.size()) {
    AttributeRow rest;
    rest.place = AttributePlace::Item;
    rest.name = "\xE2\x80\xA6";
    rest.text = fmt::format("{} more", items - description.attributes.size());
    description.attributes.push_back(std::move(rest));
  }
}

ObjectDescription describe_row(const PickledCheckpoint& document, std::uint32_t node) {
  const PickleId value = document.value_of_row[node];
  const PickleHeap& heap = document.heap();
  if (const ScriptClass* script = document.script_class(value)) return describe_script(document, node, *script);
  if (value != kNone && document.tree.kind[node] == NodeKind::Module && heap.kind(value) == PickleKind::Object) {
    const PickleId dict = heap.object(value).state;
    PickleChain state;
    if (heap.kind(dict) == PickleKind::Dict) {
      state = heap.chain(dict);
    } else if (heap.kind(dict) == PickleKind::Object) {
      state = heap.object(dict).items;
    }
    if (heap.find(state, "_parameters") != kNone) return PickledDescriber(document, node, state).run(value);
  }
  ObjectDescription description = describe_inferred(document, node);
  if (value != kNone && document.tree.kind[node] != NodeKind::Module) {
    description.inferred = false;
    if (document.tree.tensor[node] == kNone) description.class_name = type_name(heap, value);
    if (document.tree.kind[node] == NodeKind::Value) describe_value(heap, value, description);
  }
  return description;
}

}  // namespace

ObjectDescription describe_pickled(const PickledCheckpoint& document, std::uint32_t node) {
  ObjectDescription description = describe_row(document, node);
  const PickleId value = document.value_of_row[node];
  // Numbers, texts and the like are equal, not the same.
  if (value == kNone || is_scalar(document.heap(), value)) return description;
  for (std::uint32_t row = 0; row < document.value_of_row.size(); ++row) {
    if (row != node && document.value_of_row[row] == value) description.also_at.push_back(row);
  }
  return description;
}

}  // namespace nns::checkpoint
