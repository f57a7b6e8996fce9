// Items of containers: reading, writing, deleting, asking for them.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::dynamo {

Variable* Translator::get_item(Variable* given, Variable* given_key) {
  NNS_VARIABLE(container, real(given));
  NNS_VARIABLE(key, real(given_key));
  if (container->kind == VariableKind::Tensor) {
    Variable* args[] = {container, key};
    if (!symbols_.all().empty()) bound_slices(container, key);
    if (has_failed()) return nullptr;
    has_exact_bounds_ = true;
    Variable* const item = call_torch(engine_.operator_function("getitem"), "operator.getitem", "getitem", args, {});
    has_exact_bounds_ = false;
    return item;
  }
  if (container->kind == VariableKind::NNModule) return specialized_item(container, key);
  if (container->kind == VariableKind::Class && is_enum_class(in_.type_of(container->value))) {
    const Value name = constant_value(key);
    if (name.is_absent()) return has_failed() ? nullptr : unsupported_builtin("getitem", {}, false);
    PyResult<Value> member = object::getitem(in_, container->value, name);
    return member.ok() ? build(member.value(), nullptr) : raise(member.error());
  }
  if (container->kind == VariableKind::Object || container->kind == VariableKind::Class) {
    if (container->kind == VariableKind::Object && !has_special(container, "__getitem__"))
      return raise(object::type_error(in_, "'{}' object is not subscriptable", type_of(*container).name()));
    Variable* args[] = {key};
    return call_method(container, in_.names().dunder_getitem, args);
  }
  if (container->kind == VariableKind::AttributeDict) {
    bool is_known = false;
    Variable* args[] = {key};
    return call_dict_method(container, "__getitem__", args, {}, is_known);
  }
  if (container->kind == VariableKind::Dict) {
    if (key->kind == VariableKind::Tensor && key->value.is_none()) return unsupported_builtin("getitem", {}, false);
    if (!check_hashable(key, false)) return nullptr;
    const std::ptrdiff_t at = find_key(*container, *key);
    if (has_failed()) return nullptr;
    if (at >= 0) {
      // A parameter is looked at when it is read from its registry.
      Variable* item = container->items[static_cast<std::size_t>(at)];
      return item->kind == VariableKind::Lazy && item->value.as<tensor::Tensor>() != nullptr &&
                     item->value.as<tensor::Tensor>()->is_parameter()
                 ? real(item)
                 : item;
    }
    if (container->function != nullptr && !real(container->function)->is_none()) {
      NNS_VARIABLE(made, call(container->function, {}, {}));
      if (!set_item(container, key, made)) return nullptr;
      return made;
    }
    return raise_key_error(key);
  }
  if (container->kind == VariableKind::List || container->kind == VariableKind::Tuple) {
    const std::int64_t size = static_cast<std::int64_t>(container->items.size());
    if (key->kind == VariableKind::Slice) {
      const Value slice = constant_value(key);
      const auto* bounds = slice.as<object::Slice>();
      if (bounds == nullptr) return unsupported_builtin("getitem", {}, false);
      PyResult<std::vector<std::int64_t>> taken = bounds->indices(in_, size);
      if (!taken.ok()) return raise(taken.error());
      std::vector<Variable*> items;
      for (const std::int64_t at : taken.value()) items.push_back(container->items[static_cast<std::size_t>(at)]);
      return container->kind == VariableKind::List ? list(std::move(items)) : tuple(std::move(items));
    }
    if (key->kind == VariableKind::Tensor) {
      return unsupported("Indexing list with non-scalar tensor",
                         fmt::format("call_method {} __getitem__ [{}] {{}}", shown(container), shown(key)),
                         "Attempted to index list-like object with tensor with > 1 element.", {hints::kUserError});
    }
    if (key->kind == VariableKind::Object && has_special(key, "__index__")) {
      NNS_VARIABLE(number, call_method(key, in_.intern("__index__"), {}));
      return get_item(container, number);
    }
    const Value index = constant_value(key);
    if (!index.is_int() && !index.is_bool()) {
      return raise(object::type_error(in_, "{} indices must be integers or slices, not {}", type_of(*container).name(),
                                      type_of(*key).name()));
    }
    const std::int64_t at = index.as_int() < 0 ? index.as_int() + size : index.as_int();
    if (at < 0 || at >= size)
      return raise(object::ErrorKind::IndexError, fmt::format("{} index out of range", type_of(*container).name()));
    return container->items[static_cast<std::size_t>(at)];
  }
  const Value x = constant_value(container), y = constant_value(key);
  if (!x.is_absent() && !y.is_absent()) {
    PyResult<Value> item = object::getitem(in_, x, y);
    if (!item.ok()) return raise(item.error());
    return build(item.value(), nullptr);
  }
  return unsupported_builtin("getitem", {}, false);
}

bool Translator::set_item(Variable* given, Variable* given_key, Variable* value) {
  Variable* container = real(given);
  Variable* key = real(given_key);
  if (container == nullptr || key == nullptr) return false;
  switch (container->kind) {
    case VariableKind::Tensor: {
      Variable* args[] = {container, key, value};
      return call_torch(engine_.operator_function("setitem"), "operator.setitem", "setitem", args, {}) != nullptr;
    }
    case VariableKind::Dict: {
      if (!check_hashable(key, false)) return false;
      const std::ptrdiff_t at = find_key(*container, *key);
      if (has_failed()) return false;
      mutate(*container);
      if (at >= 0) {
        container->items[static_cast<std::size_t>(at)] = value;
      } else {
        container->keys.push_back(key);
        container->items.push_back(value);
      }
      return true;
    }
    case VariableKind::AttributeDict: {
      const Value name = constant_value(key);
      if (name.as<object::Str>() == nullptr) break;
      return plain_store(container->self, in_.intern(name.as<object::Str>()->view()), value);
    }
    case VariableKind::List: {
      const Value index = constant_value(key);
      const std::int64_t size = static_cast<std::int64_t>(container->items.size());
      if (const auto* slice = index.as<object::Slice>()) {
        std::vector<Variable*> more;
        if (!items_of(value, more)) return false;
        PyResult<object::Slice::Bounds> bounds = slice->bounds(in_, size);
        if (!bounds.ok()) return raise(bounds.error()) != nullptr;
        if (bounds.value().step != 1) {
          const std::size_t wanted = bounds.value().count;
          if (more.size() != wanted) {
            raise(object::value_error(in_, "attempt to assign sequence of size {} to extended slice of size {}",
                                      more.size(), wanted));
            return false;
          }
          mutate(*container);
          for (std::size_t i = 0; i < wanted; ++i)
            container->items[static_cast<std::size_t>(bounds.value()[i])] = more[i];
          return true;
        }
        mutate(*container);
        const auto begin = container->items.begin() + static_cast<std::ptrdiff_t>(bounds.value().start);
        container->items.erase(begin, begin + static_cast<std::ptrdiff_t>(bounds.value().count));
        container->items.insert(container->items.begin() + static_cast<std::ptrdiff_t>(bounds.value().start),
                                more.begin(), more.end());
        return true;
      }
      if (!index.is_int()) break;
      const std::int64_t at = index.as_int() < 0 ? index.as_int() + size : index.as_int();
      if (at < 0 || at >= size) {
        raise(object::ErrorKind::IndexError, "list assignment index out of range");
        return false;
      }
      mutate(*container);
      container->items[static_cast<std::size_t>(at)] = value;
      return true;
    }
    case VariableKind::Object: {
      Variable* args[] = {key, value};
      return call_method(container, in_.intern("__setitem__"), args) != nullptr;
    }
    default:
      break;
  }
  unsupported_builtin("setitem", {}, false);
  return false;
}

bool Translator::delete_item(Variable* given, Variable* given_key) {
  Variable* container = real(given);
  Variable* key = real(given_key);
  if (container == nullptr || key == nullptr) return false;
  if (container->kind == VariableKind::Dict) {
    if (!check_hashable(key, false)) return false;
    const std::ptrdiff_t at = find_key(*container, *key);
    if (at < 0) {
      if (!has_failed()) raise_key_error(key);
      return false;
    }
    mutate(*container);
    container->keys.erase(container->keys.begin() + at);
    container->items.erase(container->items.begin() + at);
    return true;
  }
  if (container->kind == VariableKind::AttributeDict) {
    const Value name = constant_value(key);
    return name.as<object::Str>() != nullptr && plain_store(container->self, in_.intern(name.as<object::Str>()->view()),
                                                            &arena_->make(VariableKind::Deleted));
  }
  if (container->kind == VariableKind::List) {
    const Value index = constant_value(key);
    const std::int64_t size = static_cast<std::int64_t>(container->items.size());
    if (const auto* slice = index.as<object::Slice>()) {
      PyResult<std::vector<std::int64_t>> taken = slice->indices(in_, size);
      if (!taken.ok()) return raise(taken.error()) != nullptr;
      mutate(*container);
      std::vector<Variable*> left;
      for (std::int64_t i = 0; i < size; ++i) {
        if (std::find(taken.value().begin(), taken.value().end(), i) == taken.value().end())
          left.push_back(container->items[static_cast<std::size_t>(i)]);
      }
      container->items = std::move(left);
      return true;
    }
    if (index.is_int()) {
      const std::int64_t at = index.as_int() < 0 ? index.as_int() + size : index.as_int();
      if (at < 0 || at >= size) {
        raise(object::ErrorKind::IndexError, "list assignment index out of range");
        return false;
      }
      mutate(*container);
      container->items.erase(container->items.begin() + static_cast<std::ptrdiff_t>(at));
      return true;
    }
  }
  if (container->kind == VariableKind::Object) {
    Variable* args[] = {key};
    return call_method(container, in_.intern("__delitem__"), args) != nullptr;
  }
  unsupported_builtin("delitem", {}, false);
  return false;
}

Variable* Translator::contains(Variable* given, Variable* given_item) {
  NNS_VARIABLE(container, real(given));
  NNS_VARIABLE(item, real(given_item));
  switch (container->kind) {
    case VariableKind::Dict: {
      if (!check_hashable(item, false)) return nullptr;
      const bool has = find_key(*container, *item) >= 0;
      if (has_failed()) return nullptr;
      if (container->source != nullptr && !container->is_new && !container->is_mutated && is_constant(item)) {
        guard_key(has ? GuardKind::DictContains : GuardKind::DictNotContains, container->source, constant_value(item));
      }
      return constant(Value(has));
    }
    case VariableKind::Set: {
      if (!check_hashable(item, true)) return nullptr;
      const bool has = find_in_set(*container, item) >= 0;
      if (has_failed()) return nullptr;
      if (container->source != nullptr && !container->is_new && !container->is_mutated && is_constant(item)) {
        guard_key(has ? GuardKind::SetContains : GuardKind::SetNotContains, container->source, constant_value(item));
      }
      return constant(Value(has));
    }
    case VariableKind::List:
    case VariableKind::Tuple:
      for (Variable* one : container->items) {
        NNS_VARIABLE(other, real(one));
        if (other == item) return constant(Value(true));
        if (other->kind == VariableKind::Tensor || item->kind == VariableKind::Tensor) {
          NNS_VARIABLE(is_same, identical(other, item));
          if (is_same->value.as_bool()) return is_same;
          // Their values tell, unless it is nothing that a tensor can be equal to.
          NNS_VARIABLE(compared, compare(static_cast<std::uint32_t>(python::CompareOp::Eq), other, item));
          const int answer = truth(compared);
          if (answer < 0) return nullptr;
          if (answer == 1) return constant(Value(true));
          if (answer == 2 && call_method(compared, in_.intern("item"), {}) == nullptr) return nullptr;
          Variable* both[] = {container, item};
          if (answer == 2) return unsupported_builtin("contains", both, false);
          continue;
        }
        NNS_VARIABLE(same, equal(other, item));
        if (same->is_constant() && same->value.is_bool() && same->value.as_bool()) return constant(Value(true));
      }
      return constant(Value(false));
    case VariableKind::DictView:
      return view_contains(container, item);
    case VariableKind::AttributeDict: {
      bool is_known = false;
      Variable* args[] = {item};
      return call_dict_method(container, "__contains__", args, {}, is_known);
    }
    case VariableKind::NNModule: {
      const Value key = constant_value(item);
      if (has_failed()) return nullptr;
      return unsupported("missing sq_contains",
                         fmt::format("sq_contains_impl not implemented for {}", type_of(*container).name()),
                         fmt::format("Dynamo does not know how to check if `{}` is in `NNModuleVariable()`.",
                                     key.is_absent() ? shown(item) : repr_of(in_, key)),
                         {hints::kSupportable});
    }
    case VariableKind::Object: {
      std::int64_t depth = 0;
      Variable* library = nullptr;
      if (class_lookup(type_of(*container), in_.intern("__contains__"), depth, &library) != nullptr) {
        Variable* args[] = {item};
        NNS_VARIABLE(result, call_method(container, in_.intern("__contains__"), args));
        const int answer = truth(result);
        if (answer < 0) return nullptr;
        return constant(Value(answer == 1));
      }
      if (!has_special(container, "__iter__") && !has_special(container, "__getitem__")) {
        return raise(object::type_error(in_, "argument of type '{}' is not a container or iterable",
                                        type_of(*container).name()));
      }
      break;
    }
    case VariableKind::Tensor: {
      // (container == item).any().item()
      Variable* compared[] = {container, item};
      Variable* same[] = {call_torch(engine_.operator_function("torch.eq"), "torch.eq", "eq", compared, {})};
      if (same[0] == nullptr) return nullptr;
      NNS_VARIABLE(any, call_torch(engine_.operator_function("torch.any"), "torch.any", "any", same, {}));
      return tensor_method(any, "item", {}, {});
    }
    default:
      break;
  }
  const Value x = constant_value(container), y = constant_value(item);
  if (!x.is_absent() && !y.is_absent()) {
    const PyResult<bool> has = object::contains(in_, x, y);
    if (!has.ok()) return raise(has.error());
    return constant(Value(has.value()));
  }
  std::vector<Variable*> items;
  if (!items_of(container, items)) return nullptr;
  return contains(list(std::move(items)), item);
}

}  // namespace nns::dynamo
