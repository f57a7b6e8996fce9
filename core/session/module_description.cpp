#include "core/session/module_description.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"
#include "core/checkpoint/module_rules.h"
#include "core/object/operations.h"

namespace nns::session {

namespace {

using checkpoint::AttributePlace;
using checkpoint::EntryRule;
using checkpoint::ModuleKey;
using checkpoint::ObjectDescription;
using nn::Module;
using object::Dict;
using object::Interpreter;
using object::Value;
using tensor::Tensor;

constexpr std::uint32_t kNoRow = UINT32_MAX;
/// Longer texts of modules are cut, and say so.
constexpr std::size_t kMostReprBytes = std::size_t{1} << 20U;

using Pairs = std::vector<std::pair<Value, Value>>;

/// The entries now: printing a value may run code that changes the dict. Empty containers stay unmade.
Pairs pairs_of(const Dict& dict) {
  Pairs pairs;
  for (Value& key : dict.keys()) {
    if (const Value* value = dict.find_raw(key)) pairs.emplace_back(std::move(key), *value);
  }
  return pairs;
}

std::string count_text(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "entry" : "entries"); }

std::string repr_of(Interpreter& interpreter, const Value& value) {
  auto text = object::repr(interpreter, value);
  if (!text.ok()) return fmt::format("<repr() raised {}: {}>", text.error().type(), text.error().message());
  if (text->size() <= kMostReprBytes) return std::move(text).value();
  std::size_t end = text->rfind('\n', kMostReprBytes);
  if (end == std::string::npos) end = base::first_utf8(*text, kMostReprBytes).size();
  return fmt::format("{}\n… and {} bytes more", std::string_view(*text).substr(0, end), text->size() - end);
}

void fill_class(const object::Class& cls, ObjectDescription& description) {
  description.class_name = cls.full_name();
  for (const object::Class* above : cls.mro()) description.mro.push_back(above->full_name());
}

class Describer {
 public:
  Describer(Module& module, const RowOfMember& row_of_member)
      : in_(module.interpreter()), module_(module), row_of_member_(row_of_member) {}

  ObjectDescription run() {
    fill_class(module_.type(), description_);
    description_.is_module = true;
    if (const Dict* dict = module_.dict_if_made()) {
      for (const auto& [key, value] : pairs_of(*dict)) entry(key_text(in_, key), value);
    }
    description_.training = module_.training();
    description_.repr = repr_of(in_, Value(&module_));
    return std::move(description_);
  }

  std::vector<checkpoint::HookRow> hooks() {
    if (const Dict* dict = module_.dict_if_made()) {
      for (const auto& [key, value] : pairs_of(*dict)) {
        const std::string name = key_text(in_, key);
        const ModuleKey* table = checkpoint::find_module_key(name);
        if (table != nullptr && table->holds == AttributePlace::Hooks) entry(name, value);
      }
    }
    return std::move(description_.hooks);
  }

 private:
  std::size_t add(std::uint8_t depth, AttributePlace place, std::string name, const Value& value, std::string text,
                  std::string_view why, std::uint32_t row = kNoRow) {
    checkpoint::AttributeRow attribute;
    attribute.depth = depth;
    attribute.place = place;
    attribute.name = std::move(name);
    attribute.type = in_.type_of(value).name();
    attribute.text = std::move(text);
    attribute.why = why;
    attribute.node = row;
    description_.attributes.push_back(std::move(attribute));
    return description_.attributes.size() - 1;
  }

  void entry(std::string name, const Value& value) {
    const ModuleKey* key = checkpoint::find_module_key(name);
    if (key == nullptr) return plain(std::move(name), value);
    const Dict* dict = value.as<Dict>();
    const bool has_lines = dict != nullptr && key->holds != AttributePlace::Dict;
    std::string text = has_lines && !dict->empty() ? count_text(dict->size()) : one_line(in_, value);
    add(0, key->place, std::move(name), value, std::move(text), key->why);
    if (!has_lines) return;
    for (const auto& [id, item] : pairs_of(*dict)) {
      if (key->holds == AttributePlace::Hooks) {
        hook(*key, id, item);
      } else {
        member(key->holds, key_text(in_, id), item);
      }
    }
  }

  void plain(std::string name, const Value& value) {
    const Tensor* tensor = value.as<Tensor>();
    const bool belongs_elsewhere = (tensor != nullptr && tensor->is_parameter()) || nn::as_module(value) != nullptr;
    const EntryRule rule = belongs_elsewhere      ? EntryRule::Bypassed
                           : tensor != nullptr    ? EntryRule::PlainTensor
                           : holds_members(value) ? EntryRule::PlainHolder
                                                  : EntryRule::Plain;
    add(0, AttributePlace::Dict, std::move(name), value, one_line(in_, value), checkpoint::rule_of(rule));
  }

  static bool is_member(const Value& value) {
    const Tensor* tensor = value.as<Tensor>();
    return nn::as_module(value) != nullptr || (tensor != nullptr && tensor->is_parameter());
  }

  static bool holds_members(const Value& value) {
    if (const auto* list = value.as<object::List>()) {
      return std::any_of(list->items().begin(), list->items().end(), is_member);
    }
    if (const auto* tuple = value.as<object::Tuple>()) {
      return std::any_of(tuple->items().begin(), tuple->items().end(), is_member);
    }
    const Dict* dict = value.as<Dict>();
    if (dict == nullptr) return false;
    const Pairs pairs = pairs_of(*dict);
    return std::any_of(pairs.begin(), pairs.end(), [](const auto& pair) { return is_member(pair.second); });
  }

  EntryRule member_rule(AttributePlace place, const std::string& name, const Value& value) const {
    const Tensor* tensor = value.as<Tensor>();
    if (!value.is_none()) {
      const bool fits = place == AttributePlace::Modules   ? nn::as_module(value) != nullptr
                        : place == AttributePlace::Buffers ? tensor != nullptr
                                                           : tensor != nullptr && tensor->is_parameter();
      if (!fits) return EntryRule::Odd;
      if (place == AttributePlace::Buffers && tensor->is_parameter()) return EntryRule::ParameterAsBuffer;
      if (place == AttributePlace::Buffers && is_non_persistent(name)) return EntryRule::NonPersistentBuffer;
    }
    return checkpoint::entry_rule(place, value.is_none());
  }

  void member(AttributePlace place, std::string name, const Value& value) {
    const EntryRule rule = member_rule(place, name, value);
    std::string text = nn::as_module(value) != nullptr ? std::string() : one_line(in_, value);
    if (rule == EntryRule::NonPersistentBuffer) text += ", not persistent";
    const std::uint32_t row = row_of_member_(name, value);
    add(1, place, std::move(name), value, std::move(text), checkpoint::rule_of(rule), row);
  }

  bool is_non_persistent(const std::string& name) const {
    const Value* names = raw(nn::Registry::NonPersistentBuffersSet);
    const auto* set = names == nullptr ? nullptr : names->as<object::Set>();
    const object::Name known = in_.find_name(name);
    return set != nullptr && known && set->contains(known.value());
  }

  const Value* raw(nn::Registry registry) const {
    const Dict* dict = module_.dict_if_made();
    return dict == nullptr ? nullptr : dict->find_raw(nn::NnLibrary::of(in_).key(registry));
  }

  bool is_listed(std::string_view table, const Value& id) const {
    if (table.empty()) return false;
    const Dict* own = module_.dict_if_made();
    const Value* found = own == nullptr ? nullptr : own->find_raw(in_.intern(table));
    const Dict* ids = found == nullptr ? nullptr : found->as<Dict>();
    return ids != nullptr && ids->contains(id);
  }

  void hook(const ModuleKey& table, const Value& id, const Value& callable) {
    checkpoint::HookRow row;
    row.dictionary = table.name;
    row.kind = table.hook_kind;
    Value inner = callable;
    if (table.name == "_backward_hooks") {
      const Value* is_full = raw(nn::Registry::IsFullBackwardHook);
      row.kind = checkpoint::backward_hook_kind(is_full != nullptr && is_full->is_bool() && is_full->as_bool());
    } else if (table.name == "_state_dict_hooks") {
      row.kind = is_public(callable) ? "state_dict post-hook" : "state_dict hook (private)";
    } else if (const auto wrapped = nn::unwrap_hook(callable)) {
      if (wrapped->with_module) row.kind += ", with module";
      inner = wrapped->hook;
    }
    row.id = id.is_int() ? static_cast<std::uint64_t>(id.as_int()) : 0;
    row.with_kwargs = is_listed(table.with_kwargs, id);
    row.always_call = is_listed(table.always_called, id);
    if (row.with_kwargs) row.kind += ", with kwargs";
    if (row.always_call) row.kind += ", always called";
    row.callable = one_line(in_, inner);
    add(1, AttributePlace::Hooks, key_text(in_, id), callable, row.callable, table.hook_why);
    description_.hooks.push_back(std::move(row));
  }

  bool is_public(const Value& callable) const {
    const auto flag = object::getattr_or_absent(in_, callable, nn::NnLibrary::of(in_).names.from_public_api);
    return flag.ok() && flag.value().is_bool() && flag.value().as_bool();
  }

  Interpreter& in_;
  Module& module_;
  const RowOfMember& row_of_member_;
  ObjectDescription description_;
};

}  // namespace

ObjectDescription describe_module(Module& module, const RowOfMember& row_of_member) {
  return Describer(module, row_of_member).run();
}

std::vector<checkpoint::HookRow> hooks_of(Module& module) {
  const RowOfMember nowhere = [](const std::string& /*name*/, const Value& /*value*/) { return kNoRow; };
  return Describer(module, nowhere).hooks();
}

ObjectDescription describe_value(Interpreter& interpreter, const Value& value) {
  ObjectDescription description;
  fill_class(interpreter.type_of(value), description);
  description.repr = repr_of(interpreter, value);
  Dict* dict = value.is_object() ? value.object()->instance_dict(false) : nullptr;
  if (dict == nullptr) return description;
  for (const auto& [key, item] : pairs_of(*dict)) {
    checkpoint::AttributeRow row;
    row.name = key_text(interpreter, key);
    row.type = interpreter.type_of(item).name();
    row.text = one_line(interpreter, item);
    description.attributes.push_back(std::move(row));
  }
  return description;
}

}  // namespace nns::session
