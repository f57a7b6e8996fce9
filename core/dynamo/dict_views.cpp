// Keys, values and items of dicts, alive; walking a dict.
// Behaviour: torch/_dynamo/variables/dicts.py, DictViewVariable.
#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

Variable* Translator::dict_view(Variable* dict, std::string_view what) {
  Variable& made = arena_->make(VariableKind::DictView);
  made.self = dict;
  made.name = what;
  const auto& builtins = in_.builtins();
  const bool is_ordered = dict->cls == builtins.ordered_dict;
  made.cls = what == "keys"     ? (is_ordered ? builtins.odict_keys : builtins.dict_keys)
             : what == "values" ? (is_ordered ? builtins.odict_values : builtins.dict_values)
                                : (is_ordered ? builtins.odict_items : builtins.dict_items);
  made.is_new = true;
  return &made;
}

Variable* Translator::dict_entry(Variable* dict, std::string_view what, std::size_t at) {
  if (what == "keys") return dict->keys[at];
  return what == "values" ? dict->items[at] : tuple({dict->keys[at], dict->items[at]});
}

// A dict is walked alive, and must not change its size meanwhile.
Variable* Translator::walk_dict(Variable* dict, const std::string& what) {
  auto at = std::make_shared<std::size_t>(0);
  const std::size_t size = dict->keys.size();
  return iterator([this, dict, at, size, what]() -> Variable* {
    if (*at > size) return nullptr;
    if (dict->keys.size() != size) {
      *at = size + 1;
      return raise(object::ErrorKind::RuntimeError, "dictionary changed size during iteration");
    }
    if (*at == size) {
      *at = size + 1;
      return nullptr;
    }
    return dict_entry(dict, what, (*at)++);
  });
}

// What a set is made of that stands for it; null without a failure: it is none and no view that is like one.
Variable* Translator::as_set(Variable* value, bool takes_all) {
  if (value->kind == VariableKind::Set) return value;
  const bool is_like_set = value->kind == VariableKind::DictView && value->name != "values";
  if (!is_like_set && !takes_all) return nullptr;
  std::vector<Variable*> items;
  if (!items_of(value, items)) return nullptr;
  return set_of(items);
}

Variable* Translator::set_of(const std::vector<Variable*>& items) {
  Variable& made = arena_->make(VariableKind::Set);
  made.is_new = true;
  for (Variable* item : items) {
    if (!add_to_set(made, item)) return nullptr;
  }
  return &made;
}

Variable* Translator::view_contains(Variable* view, Variable* item) {
  Variable* const dict = view->self;
  if (view->name == "keys") return contains(dict, item);
  if (view->name == "values") return contains(list(dict->items), item);
  std::vector<Variable*> pair;
  if (item->kind != VariableKind::Tuple && item->kind != VariableKind::Constant) return constant(Value(false));
  if (item->kind == VariableKind::Constant && item->value.as<object::Tuple>() == nullptr) return constant(Value(false));
  if (!items_of(item, pair)) return nullptr;
  if (pair.size() != 2 || !check_hashable(pair[0], false)) return has_failed() ? nullptr : constant(Value(false));
  const std::ptrdiff_t at = find_key(*dict, *pair[0]);
  if (has_failed()) return nullptr;
  if (at < 0) return constant(Value(false));
  return equal(dict->items[static_cast<std::size_t>(at)], pair[1]);
}

}  // namespace nns::dynamo
