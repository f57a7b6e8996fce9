// Methods of lists, tuples, sets, dicts, generators and plain objects.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/new_class.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::dynamo {

// NOLINTNEXTLINE(readability-function-size): one case a method.
Variable* Translator::call_container_method(Variable* self, std::string_view name, Arguments args, Keywords keywords,
                                            bool& is_known) {
  is_known = true;
  const std::size_t count = args.size();
  Variable* none = constant(Value());
  if (name == "__len__" && count == 0 && self->kind != VariableKind::Constant) return length(self);
  if (name == "__iter__" && count == 0 && self->kind != VariableKind::Object) return iterate(self);
  // An iterator of C++ that existed before: its class is the only thing that is known of it.
  if (name == "__next__" && self->kind == VariableKind::Object) return unsupported_method(self, name);
  if (name == "__next__" && count == 0) {
    bool known = false;
    Variable* one[] = {self};
    Variable& next = arena_->make(VariableKind::Builtin);
    next.value = engine_.builtin("next");
    return call_python_builtin("next", &next, one, {}, known);
  }
  if (name == "__contains__" && count == 1 && self->kind != VariableKind::Object) return contains(self, args[0]);
  if (name == "__getitem__" && count == 1 && self->kind != VariableKind::Object) return get_item(self, args[0]);
  if (name == "__setitem__" && count == 2 && self->kind != VariableKind::Object)
    return set_item(self, args[0], args[1]) ? none : nullptr;
  if (name == "__delitem__" && count == 1 && self->kind == VariableKind::List)
    return delete_item(self, args[0]) ? none : nullptr;
  if (name == "__reversed__" && count == 0 && self->kind == VariableKind::List) return reverse_walk(self);
  if (self->kind == VariableKind::List) {
    if (name == "append" && count == 1) {
      mutate(*self);
      self->items.push_back(args[0]);
      return none;
    }
    if (name == "extend" && count == 1) {
      std::vector<Variable*> more;
      if (!items_of(args[0], more)) return nullptr;
      mutate(*self);
      self->items.insert(self->items.end(), more.begin(), more.end());
      return none;
    }
    if (name == "insert" && count == 2) {
      const Value at = constant_value(args[0]);
      if (!at.is_int()) return unsupported_builtin(name, args, false);
      const std::int64_t size = static_cast<std::int64_t>(self->items.size());
      const std::int64_t place = std::clamp<std::int64_t>(at.as_int() < 0 ? at.as_int() + size : at.as_int(), 0, size);
      mutate(*self);
      self->items.insert(self->items.begin() + static_cast<std::ptrdiff_t>(place), args[1]);
      return none;
    }
    if (name == "pop") {
      const std::int64_t size = static_cast<std::int64_t>(self->items.size());
      const Value at = count == 0 ? Value(std::int64_t{-1}) : constant_value(args[0]);
      if (!at.is_int()) return unsupported_builtin(name, args, false);
      const std::int64_t place = at.as_int() < 0 ? at.as_int() + size : at.as_int();
      if (place < 0 || place >= size)
        return raise(object::ErrorKind::IndexError, size == 0 ? "pop from empty list" : "pop index out of range");
      mutate(*self);
      Variable* item = self->items[static_cast<std::size_t>(place)];
      self->items.erase(self->items.begin() + static_cast<std::ptrdiff_t>(place));
      return real(item);
    }
    if (name == "clear" && count == 0) {
      mutate(*self);
      self->items.clear();
      return none;
    }
    if (name == "reverse" && count == 0) {
      mutate(*self);
      std::reverse(self->items.begin(), self->items.end());
      return none;
    }
    if (name == "copy" && count == 0) return list(self->items);
    if (name == "sort") {
      bool known = false;
      Variable* one[] = {self};
      Variable& sorted = arena_->make(VariableKind::Builtin);
      NNS_VARIABLE(made, call_python_builtin("sorted", &sorted, one, keywords, known));
      mutate(*self);
      self->items = made->items;
      return none;
    }
  }
  if (self->kind == VariableKind::List || self->kind == VariableKind::Tuple) {
    if ((name == "index" && count >= 1 && count <= 3) || ((name == "count" || name == "remove") && count == 1))
      return find_in_sequence(self, name, args);
    const bool is_named = self->cls != nullptr && self->cls->lookup(in_.intern("_fields")) != nullptr;
    if (is_named && (name == "_asdict" || name == "_replace" || name == "__replace__")) {
      const auto& fields = *self->cls->lookup(in_.intern("_fields"))->as<object::Tuple>();
      Variable* made = name == "_asdict" ? dict() : tuple(self->items);
      if (name != "_asdict") made->cls = self->cls;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (name == "_asdict" && !set_item(made, constant(fields[i]), self->items[i])) return nullptr;
        for (const KeywordArgument& one : keywords) {
          if (name != "_asdict" && one.name.view() == fields[i].as<object::Str>()->view()) made->items[i] = one.value;
        }
      }
      return made;
    }
  }
  if (self->kind == VariableKind::Set) {
    Variable* result = call_set_method(self, name, args, is_known);
    if (is_known || has_failed()) return result;
    is_known = true;
  }
  if (self->kind == VariableKind::DictView) {
    if (name == "isdisjoint" && count == 1) {
      NNS_VARIABLE(whole, as_set(self, true));
      return call_set_method(whole, name, args, is_known);
    }
    if (name == "__reversed__" && count == 0) return reverse_walk(self);
  }
  if (self->kind == VariableKind::Generator) {
    if (name == "send" && count == 1) {
      NNS_VARIABLE(sent, real(args[0]));
      Variable* item = resume_generator(self, sent);
      return item != nullptr || has_failed() ? item : raise_stop(self);
    }
    if (name == "throw" && count >= 1) {
      NNS_VARIABLE(thrown, real(count > 1 && !real(args[1])->is_none() ? args[1] : args[0]));
      Variable* exception = thrown;
      if (thrown->kind == VariableKind::Class) exception = call_class(thrown, {}, {});
      if (exception == nullptr) return nullptr;
      if (exception->kind != VariableKind::Exception)
        return raise(object::ErrorKind::TypeError,
                     "exceptions must be classes or instances deriving from BaseException, not str");
      Variable* item = throw_into(self, exception);
      return item != nullptr || has_failed() ? item : raise_stop(self);
    }
    if (name == "close" && count == 0) return close_generator(self) ? none : nullptr;
  }
  if (self->kind == VariableKind::Context) {
    if (name == "__enter__") return enter_mode(*self) ? none : nullptr;
    if (name == "__exit__") return leave_mode(*self) ? none : nullptr;
  }
  if (self->kind == VariableKind::NNModule && name == "__getattribute__" && count == 1) {
    const Value attribute = constant_value(args[0]);
    if (attribute.as<object::Str>() == nullptr) return unsupported_builtin(name, args, false);
    const Name wanted = in_.intern(attribute.as<object::Str>()->view());
    Dict* own = self->value.object()->instance_dict(false);
    const Value* found = own == nullptr || self->source == nullptr ? nullptr : own->find(wanted);
    if (found != nullptr) return build(*found, sources_->generic_attr(self->source, wanted.view()));
    return specialized_attribute(self, wanted);
  }
  if (self->kind == VariableKind::Object || self->kind == VariableKind::Exception) {
    if (name == "__init__" || name == "__init_subclass__" || name == "__del__") {
      if (self->kind == VariableKind::Exception) self->items.assign(args.begin(), args.end());
      return none;
    }
    if ((name == "__setattr__" && count == 2) || (name == "__delattr__" && count == 1)) {
      const Value attribute = constant_value(args[0]);
      if (attribute.as<object::Str>() == nullptr) return unsupported_builtin(name, args, false);
      Variable* value = count == 2 ? real(args[1]) : &arena_->make(VariableKind::Deleted);
      if (value == nullptr) return nullptr;
      return plain_store(self, in_.intern(attribute.as<object::Str>()->view()), value) ? none : nullptr;
    }
    if (name == "__getattribute__" && count == 1) {
      const Value attribute = constant_value(args[0]);
      const Name wanted = in_.intern(attribute.as<object::Str>()->view());
      bool is_found = false;
      Variable* own = own_attribute(self, wanted, is_found);
      if (is_found || has_failed()) return own;
      std::int64_t depth = 0;
      const Value* getter = class_lookup(type_of(*self), in_.names().dunder_getattr, depth, nullptr);
      if (getter != nullptr && python::as_function(*getter) != nullptr) {
        Variable& function = function_of(*getter);
        Variable* all[] = {self, args[0]};
        return inline_call(&function, all, {});
      }
      if (self->value.as<nn::Module>() != nullptr) return module_registry_attribute(self, wanted);
      return raise(
          object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*self).name(), wanted.view()));
    }
    if (name == "__eq__" && count == 1) return identical(self, args[0]);
    if (name == "__enter__" || name == "__exit__") {
      is_known = false;
      return nullptr;
    }
  }
  if (self->kind == VariableKind::Method && name == "__call__") return call(self, args, keywords);
  is_known = false;
  return nullptr;
}

// index(), count() and remove() of lists and tuples.
Variable* Translator::find_in_sequence(Variable* self, std::string_view name, Arguments args) {
  NNS_VARIABLE(wanted, real(args[0]));
  const auto size = static_cast<std::int64_t>(self->items.size());
  std::int64_t bounds[] = {0, size};
  for (std::size_t i = 1; i < args.size(); ++i) {
    const Value bound = constant_value(args[i]);
    if (!bound.is_int()) return has_failed() ? nullptr : unsupported_builtin(name, args, false);
    bounds[i - 1] = std::clamp<std::int64_t>(bound.as_int() < 0 ? bound.as_int() + size : bound.as_int(), 0, size);
  }
  std::int64_t found = -1, number = 0;
  for (std::int64_t i = bounds[0]; i < bounds[1]; ++i) {
    NNS_VARIABLE(item, real(self->items[static_cast<std::size_t>(i)]));
    NNS_VARIABLE(same, item->kind == VariableKind::Tensor || wanted->kind == VariableKind::Tensor
                           ? contains(list({item}), wanted)
                           : equal(item, wanted));
    if (!same->value.as_bool()) continue;
    ++number;
    if (found < 0) found = i;
    if (name != "count") break;
  }
  if (name == "count") return constant(Value(number));
  if (found < 0) {
    const std::string_view type = self->kind == VariableKind::List ? "list" : "tuple";
    return raise(object::ErrorKind::ValueError, fmt::format("{0}.{1}(x): x not in {0}", type, name));
  }
  if (name == "index") return constant(Value(found));
  mutate(*self);
  self->items.erase(self->items.begin() + static_cast<std::ptrdiff_t>(found));
  return constant(Value());
}

// OrderedDict's `last`, which stands behind `before` arguments: 1 or 0; -1: it is not told in a way that is followed.
int Translator::is_last_asked(Arguments args, Keywords keywords, std::size_t before) {
  if (args.size() > before + 1 || args.size() - before + keywords.size() > 1) return -1;
  if (args.size() == before && keywords.empty()) return 1;
  if (!keywords.empty() && keywords[0].name.view() != "last") return -1;
  const Value given = constant_value(keywords.empty() ? args[before] : keywords[0].value);
  return given.is_bool() ? (given.as_bool() ? 1 : 0) : -1;
}

Variable* Translator::call_dict_method(Variable* self, std::string_view name, Arguments args, Keywords keywords,
                                       bool& is_known) {
  is_known = true;
  const std::size_t count = args.size();
  Variable* none = constant(Value());
  if (self->kind == VariableKind::AttributeDict) {
    Variable* object = self->self;
    Dict* own = object->value.is_object() ? object->value.object()->instance_dict(false) : nullptr;
    if ((name == "get" || name == "__getitem__" || name == "__contains__" || name == "pop") && count >= 1) {
      const Value key = constant_value(args[0]);
      const auto* key_text = key.as<object::Str>();
      if (key_text == nullptr) return unsupported_builtin(name, args, false);
      const Name attribute = in_.intern(key_text->view());
      Variable* written = pending(object, attribute);
      const bool is_deleted = written != nullptr && written->kind == VariableKind::Deleted;
      const Value* stored = own == nullptr ? nullptr : own->find(attribute);
      const bool has = written != nullptr ? !is_deleted : stored != nullptr;
      if (name == "__contains__") {
        return constant(Value(has));
      }
      Variable* value = nullptr;
      if (has) {
        value = written != nullptr
                    ? real(written)
                    : build(Value(*stored), self->source == nullptr ? nullptr : sources_->dict_item(self->source, key));
        if (value == nullptr) return nullptr;
        if (name == "pop" && !plain_store(object, attribute, &arena_->make(VariableKind::Deleted))) return nullptr;
        return value;
      }
      if (name == "get" || count > 1) return count > 1 ? args[1] : none;
      return raise(object::key_error(in_, key));
    }
    if (name == "keys" || name == "items" || name == "values" || name == "update" || name == "__iter__" ||
        name == "copy") {
      if (name == "update") {
        Variable* made = dict();
        bool known = false;
        if (call_dict_method(made, "update", args, keywords, known) == nullptr) return nullptr;
        for (std::size_t i = 0; i < made->keys.size(); ++i) {
          if (!set_item(self, made->keys[i], made->items[i])) return nullptr;
        }
        return none;
      }
      Variable* made = dict();
      if (own != nullptr) {
        for (const Value& key : own->keys()) {
          made->keys.push_back(constant(key));
          made->items.push_back(
              lazy(*own->find(key), self->source == nullptr ? nullptr : sources_->dict_item(self->source, key)));
        }
      }
      for (const AttributeWrite& write : writes_) {
        if (write.object != object) continue;
        if (write.value->kind == VariableKind::Deleted) {
          const std::ptrdiff_t at = find_key(*made, *constant(write.name.value()));
          if (at >= 0) {
            made->keys.erase(made->keys.begin() + at);
            made->items.erase(made->items.begin() + at);
          }
        } else if (!set_item(made, constant(write.name.value()), write.value)) {
          return nullptr;
        }
      }
      if (name == "copy") return made;
      return call_dict_method(made, name, args, keywords, is_known);
    }
    is_known = false;
    return nullptr;
  }
  if (name == "keys" && count == 0) {
    guard_keys(*self);
    return dict_view(self, "keys");
  }
  if (name == "values" && count == 0) {
    guard_keys(*self);
    return dict_view(self, "values");
  }
  if (name == "items" && count == 0) {
    guard_keys(*self);
    return dict_view(self, "items");
  }
  if (name == "get" && count >= 1) {
    NNS_VARIABLE(key, real(args[0]));
    if (!check_hashable(key, false)) return nullptr;
    const std::ptrdiff_t at = find_key(*self, *key);
    if (has_failed()) return nullptr;
    if (self->source != nullptr && !self->is_new && !self->is_mutated && is_constant(key)) {
      if (at < 0) guard_key(GuardKind::DictNotContains, self->source, constant_value(key));
    }
    if (at >= 0) return real(self->items[static_cast<std::size_t>(at)]);
    return count > 1 ? args[1] : none;
  }
  if (name == "pop" && count >= 1) {
    NNS_VARIABLE(key, real(args[0]));
    if (!check_hashable(key, false)) return nullptr;
    const std::ptrdiff_t at = find_key(*self, *key);
    if (has_failed()) return nullptr;
    if (at < 0) return count > 1 ? args[1] : raise_key_error(key);
    Variable* value = self->items[static_cast<std::size_t>(at)];
    if (!delete_item(self, key)) return nullptr;
    return real(value);
  }
  if (name == "popitem" && count <= 1) {
    if (self->keys.empty()) return raise(object::ErrorKind::KeyError, "popitem(): dictionary is empty");
    const int is_last = is_last_asked(args, keywords, 0);
    if (is_last < 0) return has_failed() ? nullptr : unsupported_builtin(name, args, !keywords.empty());
    const std::ptrdiff_t at = is_last == 1 ? static_cast<std::ptrdiff_t>(self->keys.size()) - 1 : 0;
    Variable* pair = tuple({self->keys[static_cast<std::size_t>(at)], self->items[static_cast<std::size_t>(at)]});
    mutate(*self);
    self->keys.erase(self->keys.begin() + at);
    self->items.erase(self->items.begin() + at);
    return pair;
  }
  if (name == "move_to_end" && count >= 1) {
    NNS_VARIABLE(key, real(args[0]));
    if (!check_hashable(key, false)) return nullptr;
    const std::ptrdiff_t at = find_key(*self, *key);
    if (has_failed()) return nullptr;
    if (at < 0) return raise_key_error(key);
    const int is_last = is_last_asked(args, keywords, 1);
    if (is_last < 0) return has_failed() ? nullptr : unsupported_builtin(name, args, !keywords.empty());
    mutate(*self);
    for (std::vector<Variable*>* one : {&self->keys, &self->items}) {
      if (is_last == 1)
        std::rotate(one->begin() + at, one->begin() + at + 1, one->end());
      else
        std::rotate(one->begin(), one->begin() + at, one->begin() + at + 1);
    }
    return none;
  }
  if (name == "setdefault" && count >= 1) {
    NNS_VARIABLE(key, real(args[0]));
    if (!check_hashable(key, false)) return nullptr;
    const std::ptrdiff_t at = find_key(*self, *key);
    if (has_failed()) return nullptr;
    if (at >= 0) return real(self->items[static_cast<std::size_t>(at)]);
    Variable* value = count > 1 ? args[1] : none;
    return set_item(self, key, value) ? value : nullptr;
  }
  if (name == "update") {
    for (Variable* arg : args) {
      NNS_VARIABLE(given, real(arg));
      const bool holds_dict = given->contents != nullptr && given->contents->kind == VariableKind::Dict;
      Variable* const from = holds_dict ? given->contents : given;
      if (from->kind == VariableKind::Dict) {
        guard_keys(*from);
        for (std::size_t i = 0; i < from->keys.size(); ++i) {
          if (!set_item(self, from->keys[i], from->items[i])) return nullptr;
        }
        continue;
      }
      if (from->kind == VariableKind::AttributeDict) {
        bool known = false;
        NNS_VARIABLE(copy, call_dict_method(from, "copy", {}, {}, known));
        Variable* one[] = {copy};
        if (call_dict_method(self, "update", one, {}, known) == nullptr) return nullptr;
        continue;
      }
      std::vector<Variable*> pairs;
      if (!items_of(from, pairs)) return nullptr;
      for (Variable* pair : pairs) {
        std::vector<Variable*> both;
        if (!items_of(pair, both)) return nullptr;
        if (both.size() != 2)
          return raise(object::ErrorKind::ValueError,
                       "dictionary update sequence element has the wrong length; 2 is required");
        if (!set_item(self, both[0], both[1])) return nullptr;
      }
    }
    for (const KeywordArgument& keyword : keywords) {
      if (!set_item(self, constant(keyword.name.value()), keyword.value)) return nullptr;
    }
    return none;
  }
  if (name == "clear" && count == 0) {
    mutate(*self);
    self->keys.clear();
    self->items.clear();
    return none;
  }
  if (name == "copy" && count == 0) {
    Variable* made = dict();
    made->cls = self->cls;
    made->function = self->function;
    made->keys = self->keys;
    made->items = self->items;
    return made;
  }
  if (name == "__delitem__" && count == 1) return delete_item(self, args[0]) ? none : nullptr;
  if (name == "__reversed__" && count == 0) return reverse_walk(self);
  is_known = false;
  return nullptr;
}

}  // namespace nns::dynamo
