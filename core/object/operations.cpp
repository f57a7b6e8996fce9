#include "core/object/operations.h"

#include "core/object/class.h"
#include "core/object/iterator.h"

namespace nns::object {
namespace {

const Value* special(Interpreter& interpreter, const Value& value, Name name) {
  return value.is_object() ? interpreter.type_of(value).lookup(name) : nullptr;
}

PyResult<Value> item_of_sequence(Interpreter& interpreter, std::span<const Value> items, const Value& key,
                                 std::string_view what) {
  NNS_TRY_ASSIGN(std::int64_t at, index(interpreter, key));
  const auto size = static_cast<std::int64_t>(items.size());
  if (at < 0) at += size;
  if (at < 0 || at >= size) {
    return error<ErrorKind::IndexError>(interpreter, "{} index out of range", what);
  }
  return items[static_cast<std::size_t>(at)];
}

PyResult<std::vector<Value>> slice_of(Interpreter& interpreter, std::span<const Value> items, const Slice& slice) {
  NNS_TRY_ASSIGN(const auto indices, slice.indices(interpreter, static_cast<std::int64_t>(items.size())));
  std::vector<Value> taken;
  for (const std::int64_t at : indices) taken.push_back(items[static_cast<std::size_t>(at)]);
  return taken;
}

// The place of `key` in a list of `size` items; negative counts from the end.
PyResult<std::size_t> list_place(Interpreter& interpreter, const Value& key, std::size_t size, std::string_view what) {
  NNS_TRY_ASSIGN(std::int64_t at, index(interpreter, key));
  if (at < 0) at += static_cast<std::int64_t>(size);
  if (at < 0 || at >= static_cast<std::int64_t>(size)) {
    return error<ErrorKind::IndexError>(interpreter, "{} index out of range", what);
  }
  return static_cast<std::size_t>(at);
}

}  // namespace

PyResult<bool> truth(Interpreter& interpreter, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::None:
    case Value::Kind::Absent:
    case Value::Kind::Empty:
      return false;
    case Value::Kind::Bool:
    case Value::Kind::Int:
      return value.as_int() != 0;
    case Value::Kind::Float:
      return value.as_float() != 0;
    case Value::Kind::Object:
      break;
  }
  if (const Str* text = value.as<Str>()) return !text->view().empty();
  if (const Tuple* tuple = value.as<Tuple>()) return tuple->size() != 0;
  if (const List* list = value.as<List>()) return list->size() != 0;
  if (const Dict* dict = value.as<Dict>()) return !dict->empty();
  if (const Set* set = value.as<Set>()) return set->size() != 0;
  if (special(interpreter, value, interpreter.names().dunder_bool) != nullptr) {
    NNS_TRY_ASSIGN(const Value answer, interpreter.call_special(value, interpreter.names().dunder_bool));
    if (answer.is_bool()) return answer.as_bool();
    return type_error(interpreter, "__bool__ should return bool, returned {}", interpreter.type_of(answer).name());
  }
  if (special(interpreter, value, interpreter.names().dunder_len) != nullptr) {
    NNS_TRY_ASSIGN(const std::int64_t size, length(interpreter, value));
    return size != 0;
  }
  return true;
}

PyResult<bool> equal(Interpreter& interpreter, const Value& a, const Value& b) {
  if (a.is(b)) return true;
  const auto same_items = [&interpreter](std::span<const Value> left, std::span<const Value> right) -> PyResult<bool> {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      NNS_TRY_ASSIGN(const bool same, equal(interpreter, left[i], right[i]));
      if (!same) return false;
    }
    return true;
  };
  if (const Tuple* left = a.as<Tuple>()) {
    const Tuple* right = b.as<Tuple>();
    if (right != nullptr) return same_items(left->items(), right->items());
  }
  if (const List* left = a.as<List>()) {
    const List* right = b.as<List>();
    if (right != nullptr) return same_items(left->items(), right->items());
  }
  if (Dict* left = a.as<Dict>()) {
    Dict* right = b.as<Dict>();
    if (right != nullptr) {
      if (left->size() != right->size()) return false;
      for (std::size_t at = 0; Dict::Entry* entry = left->next(at);) {
        const Value* other = right->find(entry->key);
        if (other == nullptr) return false;
        NNS_TRY_ASSIGN(const bool same, equal(interpreter, entry->value, *other));
        if (!same) return false;
      }
      return true;
    }
  }
  if (const Set* left = a.as<Set>()) {
    if (const Set* right = b.as<Set>()) {
      if (left->size() != right->size()) return false;
      for (const Value& key : left->keys().keys()) {
        if (!right->contains(key)) return false;
      }
      return true;
    }
  }
  for (const auto& [self, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (special(interpreter, self, interpreter.names().dunder_eq) == nullptr) continue;
    NNS_TRY_ASSIGN(const Value answer, interpreter.call_special(self, interpreter.names().dunder_eq, {other}));
    return truth(interpreter, answer);
  }
  return equal_keys(a, b);
}

PyResult<std::int64_t> length(Interpreter& interpreter, const Value& value) {
  if (const Str* text = value.as<Str>()) return static_cast<std::int64_t>(text->length());
  if (const Tuple* tuple = value.as<Tuple>()) return static_cast<std::int64_t>(tuple->size());
  if (const List* list = value.as<List>()) return static_cast<std::int64_t>(list->size());
  if (const Dict* dict = value.as<Dict>()) return static_cast<std::int64_t>(dict->size());
  if (const Set* set = value.as<Set>()) return static_cast<std::int64_t>(set->size());
  if (const DictView* view = value.as<DictView>()) return static_cast<std::int64_t>(view->dict()->size());
  if (special(interpreter, value, interpreter.names().dunder_len) == nullptr) {
    return type_error(interpreter, "object of type '{}' has no len()", interpreter.type_of(value).name());
  }
  NNS_TRY_ASSIGN(const Value size, interpreter.call_special(value, interpreter.names().dunder_len));
  return index(interpreter, size);
}

PyResult<std::int64_t> index(Interpreter& interpreter, const Value& value) {
  if (value.is_int() || value.is_bool()) return value.as_int();
  if (special(interpreter, value, interpreter.names().dunder_index) != nullptr) {
    NNS_TRY_ASSIGN(const Value answer, interpreter.call_special(value, interpreter.names().dunder_index));
    if (answer.is_int() || answer.is_bool()) return answer.as_int();
    return type_error(interpreter, "__index__ returned non-int (type {})", interpreter.type_of(answer).name());
  }
  return type_error(interpreter, "'{}' object cannot be interpreted as an integer", interpreter.type_of(value).name());
}

PyResult<void> require_hashable(Interpreter& interpreter, const Value& value) {
  if (value.as<List>() != nullptr || value.as<Dict>() != nullptr || value.as<Set>() != nullptr) {
    return type_error(interpreter, "unhashable type: '{}'", interpreter.type_of(value).name());
  }
  if (const Tuple* tuple = value.as<Tuple>()) {
    for (const Value& item : tuple->items()) NNS_TRY(require_hashable(interpreter, item));
  }
  return {};
}

PyResult<Value> getitem(Interpreter& interpreter, const Value& container, const Value& key) {
  const Slice* slice = key.as<Slice>();
  if (const Tuple* tuple = container.as<Tuple>()) {
    if (slice == nullptr) return item_of_sequence(interpreter, tuple->items(), key, "tuple");
    NNS_TRY_ASSIGN(auto taken, slice_of(interpreter, tuple->items(), *slice));
    return Value(interpreter.tuple(std::move(taken)));
  }
  if (const List* list = container.as<List>()) {
    if (slice == nullptr) return item_of_sequence(interpreter, list->items(), key, "list");
    NNS_TRY_ASSIGN(auto taken, slice_of(interpreter, list->items(), *slice));
    return Value(interpreter.list(std::move(taken)));
  }
  if (Dict* dict = container.as<Dict>()) {
    NNS_TRY(require_hashable(interpreter, key));
    if (const Value* found = dict->find(key)) return *found;
    return key_error(interpreter, key);
  }
  if (special(interpreter, container, interpreter.names().dunder_getitem) == nullptr) {
    return type_error(interpreter, "'{}' object is not subscriptable", interpreter.type_of(container).name());
  }
  return interpreter.call_special(container, interpreter.names().dunder_getitem, {key});
}

PyResult<void> setitem(Interpreter& interpreter, const Value& container, const Value& key, const Value& value) {
  if (Dict* dict = container.as<Dict>()) {
    NNS_TRY(require_hashable(interpreter, key));
    dict->set(key, value);
    return {};
  }
  if (List* list = container.as<List>()) {
    NNS_TRY_ASSIGN(const std::size_t at, list_place(interpreter, key, list->size(), "list assignment"));
    list->items()[at] = value;
    return {};
  }
  if (special(interpreter, container, interpreter.names().dunder_setitem) == nullptr) {
    return type_error(interpreter, "'{}' object does not support item assignment",
                      interpreter.type_of(container).name());
  }
  NNS_TRY(interpreter.call_special(container, interpreter.names().dunder_setitem, {key, value}));
  return {};
}

PyResult<void> delitem(Interpreter& interpreter, const Value& container, const Value& key) {
  if (Dict* dict = container.as<Dict>()) {
    NNS_TRY(require_hashable(interpreter, key));
    if (dict->erase(key)) return {};
    return key_error(interpreter, key);
  }
  if (List* list = container.as<List>()) {
    NNS_TRY_ASSIGN(const std::size_t at, list_place(interpreter, key, list->size(), "list assignment"));
    list->items().erase(list->items().begin() + static_cast<std::ptrdiff_t>(at));
    return {};
  }
  if (special(interpreter, container, interpreter.names().dunder_delitem) == nullptr) {
    return type_error(interpreter, "'{}' object doesn't support item deletion", interpreter.type_of(container).name());
  }
  NNS_TRY(interpreter.call_special(container, interpreter.names().dunder_delitem, {key}));
  return {};
}

PyResult<bool> contains(Interpreter& interpreter, const Value& container, const Value& item) {
  if (const Dict* dict = container.as<Dict>()) {
    NNS_TRY(require_hashable(interpreter, item));
    return dict->contains(item);
  }
  if (const Set* set = container.as<Set>()) {
    NNS_TRY(require_hashable(interpreter, item));
    return set->contains(item);
  }
  if (const DictView* view = container.as<DictView>(); view != nullptr && view->what() == DictView::What::Keys) {
    return view->dict()->contains(item);
  }
  if (const Str* text = container.as<Str>()) {
    const Str* part = item.as<Str>();
    if (part == nullptr) {
      return type_error(interpreter, "'in <string>' requires string as left operand, not {}",
                        interpreter.type_of(item).name());
    }
    return text->view().find(part->view()) != std::string_view::npos;
  }
  if (special(interpreter, container, interpreter.names().dunder_contains) != nullptr) {
    NNS_TRY_ASSIGN(const Value answer,
                   interpreter.call_special(container, interpreter.names().dunder_contains, {item}));
    return truth(interpreter, answer);
  }
  NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(interpreter, container));
  for (const Value& one : items) {
    NNS_TRY_ASSIGN(const bool same, equal(interpreter, one, item));
    if (same) return true;
  }
  return false;
}

bool is_mapping(const Value& value) { return value.as<Dict>() != nullptr; }

}  // namespace nns::object
