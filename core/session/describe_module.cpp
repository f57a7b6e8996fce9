#include "core/session/describe_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/describe_inferred.h"
#include "core/object/operations.h"

namespace nns::session {
namespace {

using checkpoint::AttributePlace;
using checkpoint::kNone;
using nn::Module;
using nn::Registry;
using object::Dict;
using object::Value;
using tensor::Tensor;

constexpr std::size_t kLongestText = 240;
constexpr std::string_view kPlainTensor =
    "Module.__setattr__, rule 6: a tensor that is neither a Parameter nor a registered buffer stays a plain attribute; "
    "state_dict() and to() do not see it.";
constexpr std::string_view kNotPersistent = " It is in _non_persistent_buffers_set, so state_dict() leaves it out.";
constexpr std::string_view kNoneSlot =
    "The name is registered with None: a tensor may be put here, and state_dict() "
    "leaves it out until then.";

struct HookTable {
  Registry table;
  std::string_view kind;
  /// Tables that hold the ids of hooks with something special; Registry::Count: none.
  Registry with_kwargs = Registry::Count;
  Registry always_called = Registry::Count;
};

constexpr HookTable kHookTables[] = {
    {Registry::BackwardPreHooks, "full backward pre-hook"},
    {Registry::BackwardHooks, "full backward hook"},
    {Registry::ForwardHooks, "forward hook", Registry::ForwardHooksWithKwargs, Registry::ForwardHooksAlwaysCalled},
    {Registry::ForwardPreHooks, "forward pre-hook", Registry::ForwardPreHooksWithKwargs},
    {Registry::StateDictHooks, "state_dict hook"},
    {Registry::StateDictPreHooks, "state_dict pre-hook"},
    {Registry::LoadStateDictPreHooks, "load_state_dict pre-hook"},
    {Registry::LoadStateDictPostHooks, "load_state_dict post-hook"},
};

constexpr Registry kSideTables[] = {Registry::ForwardHooksWithKwargs, Registry::ForwardHooksAlwaysCalled,
                                    Registry::ForwardPreHooksWithKwargs, Registry::NonPersistentBuffersSet};

// One line, cut where it is long (between two characters).
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() <= kLongestText) return text;
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

// The function that a callable leads to: itself, a method's function, or what a wrapper of ours holds.
class FunctionFinder final : public object::Visitor {
 public:
  void visit(object::Object& object) override {
    if (found == nullptr) found = Value(&object).as<object::NativeFunction>();
  }
  const object::NativeFunction* found = nullptr;
};

std::string callable_name(object::Interpreter& in, const Value& callable) {
  FunctionFinder finder;
  if (callable.is_object()) finder.visit(*callable.object());
  if (const auto* container = dynamic_cast<const object::Container*>(callable.object());
      container != nullptr && finder.found == nullptr && callable.as<object::Class>() == nullptr &&
      callable.as<Module>() == nullptr) {
    container->traverse(finder);
  }
  if (finder.found != nullptr) return std::string(finder.found->qualified_name());
  return in.type_of(callable).full_name();
}

class Describer {
 public:
  Describer(const checkpoint::Checkpoint& document, std::uint32_t node, Module& module)
      : document_(document), tree_(document.tree), node_(node), module_(module), in_(module.interpreter()) {}

  checkpoint::ObjectDescription run() {
    description_.class_name = module_.type().full_name();
    description_.is_module = true;
    description_.training = module_.training();
    for (const object::Class* cls : module_.type().mro()) description_.mro.push_back(cls->full_name());
    const auto text = module_.text();
    description_.repr = text.ok() ? *text : fmt::format("{}: {}", text.error().type(), text.error().message());
    Dict& attributes = module_.dict();
    for (std::size_t at = 0; const Dict::Entry* entry = attributes.next(at);) {
      attribute(std::string(key_text(entry->key)), entry->value);
    }
    return std::move(description_);
  }

 private:
  static std::string_view key_text(const Value& key) {
    const object::Str* text = key.as<object::Str>();
    return text == nullptr ? std::string_view("?") : text->view();
  }

  void add(std::uint8_t depth, AttributePlace place, std::string name, const Value& value, std::string text,
           std::string why, std::uint32_t row = kNone) {
    checkpoint::AttributeRow attribute;
    attribute.depth = depth;
    attribute.place = place;
    attribute.name = std::move(name);
    attribute.type = in_.type_of(value).name();
    attribute.text = std::move(text);
    attribute.why = std::move(why);
    attribute.node = row;
    description_.attributes.push_back(std::move(attribute));
  }

  // The child row with this name, and of the module if it is to be one.
  std::uint32_t row_of(std::string_view name) const {
    for (std::uint32_t child = node_ + 1; child < tree_.end[node_]; child = tree_.end[child]) {
      if (tree_.strings.view(tree_.name[child]) == name) return child;
    }
    return kNone;
  }

  std::string shown(const Value& value) {
    const auto text = object::repr(in_, value);
    return text.ok() ? one_line(*text) : std::string(text.error().type());
  }

  static std::string count_text(std::size_t count) {
    return count == 0 ? "{}" : fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
  }

  std::string summary(std::uint32_t row, const Tensor& tensor) {
    const std::uint32_t index = row == kNone ? kNone : tree_.tensor[row];
    if (index == kNone) return one_line(tensor::size_text(tensor.shape()));
    return checkpoint::tensor_summary(document_, document_.tensors[index]);
  }

  void attribute(const std::string& name, const Value& value) {
    const std::pair<Registry, AttributePlace> registries[] = {{Registry::Parameters, AttributePlace::Parameters},
                                                              {Registry::Buffers, AttributePlace::Buffers},
                                                              {Registry::Modules, AttributePlace::Modules}};
    Dict* entries = value.as<Dict>();
    for (const auto& [registry, place] : registries) {
      if (entries == nullptr || name != nn::registry_key(registry)) continue;
      add(0, AttributePlace::Registry, name, value, count_text(entries->size()), {});
      for (std::size_t at = 0; const Dict::Entry* entry = entries->next(at);) {
        member(place, std::string(key_text(entry->key)), entry->value);
      }
      return;
    }
    for (const HookTable& table : kHookTables) {
      if (entries == nullptr || name != nn::registry_key(table.table)) continue;
      add(0, AttributePlace::Registry, name, value, count_text(entries->size()), {});
      for (std::size_t at = 0; const Dict::Entry* entry = entries->next(at);) hook(table, entry->key, entry->value);
      return;
    }
    const bool is_side_table = std::any_of(std::begin(kSideTables), std::end(kSideTables),
                                           [&](Registry one) { return name == nn::registry_key(one); });
    if (const Tensor* tensor = value.as<Tensor>()) {
      const std::uint32_t row = row_of(name);
      add(0, AttributePlace::Dict, name, value, summary(row, *tensor), std::string(kPlainTensor), row);
      return;
    }
    add(0, is_side_table ? AttributePlace::Registry : AttributePlace::Dict, name, value, shown(value), {});
  }

  void member(AttributePlace place, const std::string& name, const Value& value) {
    const std::uint32_t row = row_of(name);
    std::string why(checkpoint::rule_of(place));
    if (const Tensor* tensor = value.as<Tensor>()) {
      std::string text = summary(row, *tensor);
      if (place == AttributePlace::Parameters) {
        text += fmt::format(", requires_grad={}", tensor->requires_grad() ? "True" : "False");
      } else if (is_not_persistent(name)) {
        text += ", not persistent";
        why += kNotPersistent;
      }
      add(1, place, name, value, std::move(text), std::move(why), row);
    } else if (value.is_none()) {
      add(1, place, name, value, "None", std::string(kNoneSlot), row);
    } else {
      add(1, place, name, value, {}, std::move(why), row);
    }
  }

  bool is_not_persistent(std::string_view name) {
    const Value* found = module_.dict().find(nn::registry_key(Registry::NonPersistentBuffersSet));
    const object::Set* names = found == nullptr ? nullptr : found->as<object::Set>();
    return names != nullptr && names->contains(in_.intern(name).value());
  }

  bool is_listed(Registry table, const Value& id) const {
    Dict* entries = table == Registry::Count ? nullptr : module_.filled_registry(table);
    return entries != nullptr && entries->contains(id);
  }

  void hook(const HookTable& table, const Value& id, const Value& callable) {
    checkpoint::HookRow row;
    row.dictionary = nn::registry_key(table.table);
    row.kind = table.kind;
    if (table.table == Registry::BackwardHooks) {
      const Value* is_full = module_.dict().find(nn::registry_key(Registry::IsFullBackwardHook));
      if (is_full == nullptr || !is_full->is(Value(true))) row.kind = "backward hook (not full)";
    }
    row.id = id.is_int() ? static_cast<std::uint64_t>(id.as_int()) : 0;
    row.with_kwargs = is_listed(table.with_kwargs, id);
    row.always_call = is_listed(table.always_called, id);
    if (row.with_kwargs) row.kind += ", with kwargs";
    if (row.always_call) row.kind += ", always called";
    row.callable = callable_name(in_, callable);
    add(1, AttributePlace::Hooks, shown(id), callable, row.callable, {});
    description_.hooks.push_back(std::move(row));
  }

  const checkpoint::Checkpoint& document_;
  const checkpoint::ModuleTree& tree_;
  std::uint32_t node_;
  Module& module_;
  object::Interpreter& in_;
  checkpoint::ObjectDescription description_;
};

}  // namespace

checkpoint::ObjectDescription describe_module(const checkpoint::Checkpoint& document, std::uint32_t node,
                                              Module& module) {
  return Describer(document, node, module).run();
}

checkpoint::ObjectDescription describe_leaf(const checkpoint::Checkpoint& document, std::uint32_t node) {
  checkpoint::ObjectDescription description = checkpoint::describe_inferred(document, node);
  description.inferred = false;
  const std::uint32_t tensor = document.tree.tensor[node];
  if (tensor != kNone) {
    description.class_name = document.tensors[tensor].is_parameter ? "torch.nn.parameter.Parameter" : "torch.Tensor";
  }
  return description;
}

}  // namespace nns::session
