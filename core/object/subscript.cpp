#include <algorithm>

#include "core/object/bytes.h"
#include "core/object/iterator.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/range.h"
#include "core/object/slice.h"
#include "core/object/unicode.h"

namespace nns::object {
namespace {

// The place that `key` names in a sequence of `size` items; negative counts from the end. `kind` ("list") and `range`
// ("list index out of range") are for the errors.
PyResult<std::int64_t> number_of(Interpreter& in, const Value& key, std::int64_t size, std::string_view kind,
                                 std::string_view range) {
  const Value& plain = plain_number(key);
  std::int64_t at = 0;
  if (plain.is_int() || plain.is_bool()) {
    at = plain.as_int();
  } else {
    if (plain.as<BigInt>() == nullptr && own_special(in, key, in.names().dunder_index) == nullptr) {
      if (kind == "string") return type_error(in, "string indices must be integers, not '{}'", in.type_of(key).name());
      return type_error(in, "{} indices must be integers or slices, not {}", kind, in.type_of(key).name());
    }
    NNS_TRY_ASSIGN(const Value whole, index_value(in, key));
    if (!whole.is_int()) {
      return error<ErrorKind::IndexError>(in, "cannot fit '{}' into an index-sized integer", in.type_of(key).name());
    }
    at = whole.as_int();
  }
  if (at < 0) at += size;
  if (at < 0 || at >= size) return error<ErrorKind::IndexError>(in, "{} out of range", range);
  return at;
}

// The same for a sequence that lies in memory.
PyResult<std::size_t> place_of(Interpreter& in, const Value& key, std::size_t size, std::string_view kind,
                               std::string_view range) {
  NNS_TRY_ASSIGN(const std::int64_t at, number_of(in, key, static_cast<std::int64_t>(size), kind, range));
  return static_cast<std::size_t>(at);
}

// The key if it is a slice, else null. Programs derive no class from slice.
const Slice* as_slice(Interpreter& in, const Value& key) {
  return key.is_object() && &key.object()->type() == in.builtins().slice ? static_cast<const Slice*>(key.object())
                                                                         : nullptr;
}

PyResult<std::vector<Value>> slice_of(Interpreter& in, std::span<const Value> items, const Slice& slice) {
  NNS_TRY_ASSIGN(const Slice::Bounds bounds, slice.bounds(in, static_cast<std::int64_t>(items.size())));
  return taken_items(items, bounds);
}

std::string bytes_slice(std::string_view bytes, const Slice::Bounds& bounds) {
  if (bounds.count == 0) return "";
  if (bounds.step == 1) return std::string(bytes.substr(bounds[0], bounds.count));
  std::string taken;
  for (std::size_t i = 0; i < bounds.count; ++i) taken += bytes[bounds[i]];
  return taken;
}

PyResult<Value> text_item(Interpreter& in, const Str& text, const Value& key) {
  const std::string_view all = text.view();
  const Slice* slice = as_slice(in, key);
  if (slice == nullptr) {
    NNS_TRY_ASSIGN(const std::size_t at, place_of(in, key, text.length(), "string", "string index"));
    if (text.is_ascii()) return in.intern(all.substr(at, 1)).value();
    const std::size_t begin = byte_offset(all, at);
    return in.text(all.substr(begin, character_size(all, begin)));
  }
  NNS_TRY_ASSIGN(const Slice::Bounds bounds, slice->bounds(in, static_cast<std::int64_t>(text.length())));
  if (bounds.count == 0) return in.text("");
  if (text.is_ascii() && bounds.step == 1) return in.text(all.substr(bounds[0], bounds.count));
  if (text.is_ascii()) return in.text(bytes_slice(all, bounds));
  if (bounds.step == 1) {
    const std::size_t begin = byte_offset(all, bounds[0]);
    return in.text(all.substr(begin, byte_offset(all.substr(begin), bounds.count)));
  }
  const std::vector<std::string_view> characters = characters_of(all);
  std::string taken;
  for (std::size_t i = 0; i < bounds.count; ++i) taken += characters[bounds[i]];
  return in.text(taken);
}

PyResult<Value> bytes_item(Interpreter& in, const Bytes& bytes, const Value& key) {
  if (const Slice* slice = as_slice(in, key)) {
    NNS_TRY_ASSIGN(const Slice::Bounds bounds, slice->bounds(in, static_cast<std::int64_t>(bytes.view().size())));
    Class& cls = bytes.is_array() ? *in.builtins().byte_array : *in.builtins().bytes;
    return Value(make<Bytes>(cls, bytes_slice(bytes.view(), bounds)));
  }
  NNS_TRY_ASSIGN(const std::size_t at, place_of(in, key, bytes.view().size(), bytes.is_array() ? "bytearray" : "byte",
                                                bytes.is_array() ? "bytearray index" : "index"));
  return Value(static_cast<unsigned char>(bytes.view()[at]));
}

PyResult<Value> range_item(Interpreter& in, const Range& range, const Value& key) {
  if (const Slice* slice = as_slice(in, key)) {
    NNS_TRY_ASSIGN(const Slice::Bounds bounds, slice->bounds(in, static_cast<std::int64_t>(range.size())));
    const auto number = [&range](std::int64_t at) { return range.start() + at * range.step(); };
    return Value(make<Range>(in, number(bounds.start), number(bounds.stop), range.step() * bounds.step));
  }
  NNS_TRY_ASSIGN(const std::int64_t at,
                 number_of(in, key, static_cast<std::int64_t>(range.size()), "range", "range object index"));
  return Value(range[static_cast<std::uint64_t>(at)]);
}

// Behaviour: CPython Objects/listobject.c, list_ass_subscript. `values` Absent: the items go.
PyResult<void> assign_slice(Interpreter& in, List& list, const Slice& slice, const Value& values) {
  std::vector<Value> given;
  const bool deletes = values.is_absent();
  if (!deletes) {
    const bool extended = !slice.step().is_none() && !(slice.step().is_int() && slice.step().as_int() == 1);
    if (!can_iterate(in, values)) {
      return type_error(in, "{}", extended ? "must assign iterable to extended slice" : "can only assign an iterable");
    }
    NNS_TRY_ASSIGN(given, to_vector(in, values));
  }
  NNS_TRY_ASSIGN(const Slice::Bounds bounds, slice.bounds(in, static_cast<std::int64_t>(list.size())));
  std::vector<Value>& items = list.items();
  // What goes may run code when it goes: it must find the list in order.
  std::vector<Value> dropped;
  if (bounds.step == 1) {
    dropped = replace_items(items, bounds, std::move(given));
    drop_from_end(dropped);
    return {};
  }
  if (deletes) {
    std::vector<bool> goes(items.size(), false);
    for (std::size_t i = 0; i < bounds.count; ++i) goes[bounds[i]] = true;
    std::vector<Value> kept;
    for (std::size_t i = 0; i < items.size(); ++i) (goes[i] ? dropped : kept).push_back(items[i]);
    items.swap(kept);
    return {};
  }
  if (given.size() != bounds.count) {
    return value_error(in, "attempt to assign sequence of size {} to extended slice of size {}", given.size(),
                       bounds.count);
  }
  for (std::size_t i = 0; i < bounds.count; ++i) items[bounds[i]].swap(given[i]);
  return {};
}

PyResult<void> assign_bytes(Interpreter& in, Bytes& bytes, const Value& key, const Value& value) {
  std::string& contents = bytes.contents();
  if (const Slice* slice = as_slice(in, key)) {
    std::string given;
    if (const Bytes* source = value.as<Bytes>()) {
      given = source->view();
    } else if (!value.is_absent()) {
      NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, value));
      for (const Value& item : items) {
        NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, item, "byte"));
        given += static_cast<char>(byte);
      }
    }
    NNS_TRY_ASSIGN(const Slice::Bounds bounds, slice->bounds(in, static_cast<std::int64_t>(contents.size())));
    if (bounds.step == 1) {
      contents.replace(static_cast<std::size_t>(bounds.start), bounds.count, given);
      return {};
    }
    if (value.is_absent()) {
      std::string kept;
      std::vector<bool> goes(contents.size(), false);
      for (std::size_t i = 0; i < bounds.count; ++i) goes[bounds[i]] = true;
      for (std::size_t i = 0; i < contents.size(); ++i) {
        if (!goes[i]) kept += contents[i];
      }
      contents.swap(kept);
      return {};
    }
    if (given.size() != bounds.count) {
      return value_error(in, "attempt to assign bytes of size {} to extended slice of size {}", given.size(),
                         bounds.count);
    }
    for (std::size_t i = 0; i < bounds.count; ++i) contents[bounds[i]] = given[i];
    return {};
  }
  NNS_TRY_ASSIGN(const std::size_t at, place_of(in, key, contents.size(), "bytearray", "bytearray index"));
  if (value.is_absent()) {
    contents.erase(at, 1);
    return {};
  }
  NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, value, "byte"));
  contents[at] = static_cast<char>(byte);
  return {};
}

PyError not_subscriptable(Interpreter& in, const Value& container) {
  if (const Class* cls = container.as<Class>()) return type_error(in, "type '{}' is not subscriptable", cls->name());
  return type_error(in, "'{}' object is not subscriptable", in.type_of(container).name());
}

PyResult<Value> dict_item(Interpreter& in, Dict& dict, const Value& container, const Value& key) {
  NNS_TRY_ASSIGN(const Value* found, dict.try_find(in, key));
  if (found != nullptr) return *found;
  if (!is_exact(container) && in.type_of(container).lookup(in.names().dunder_missing) != nullptr) {
    return in.call_special(container, in.names().dunder_missing, {key});
  }
  return key_error(in, key);
}

}  // namespace

std::optional<std::int64_t> builtin_length(const Value& value) {
  if (!value.is_object()) return std::nullopt;
  switch (value.object()->kind()) {
    case ObjectKind::Str:
      return static_cast<std::int64_t>(value.as<Str>()->length());
    case ObjectKind::Tuple:
      return static_cast<std::int64_t>(value.as<Tuple>()->size());
    case ObjectKind::List:
      return static_cast<std::int64_t>(value.as<List>()->size());
    case ObjectKind::Dict:
      return static_cast<std::int64_t>(value.as<Dict>()->size());
    case ObjectKind::Set:
      return static_cast<std::int64_t>(value.as<Set>()->size());
    case ObjectKind::Bytes:
      return static_cast<std::int64_t>(value.as<Bytes>()->view().size());
    case ObjectKind::Range:
      return static_cast<std::int64_t>(value.as<Range>()->size());
    case ObjectKind::Other:
      if (const DictView* view = value.as<DictView>()) return static_cast<std::int64_t>(view->dict()->size());
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

PyResult<std::int64_t> length(Interpreter& interpreter, const Value& value) {
  if (is_exact(value)) {
    if (const auto size = builtin_length(value)) return *size;
  }
  if (interpreter.type_of(value).lookup(interpreter.names().dunder_len) == nullptr) {
    return type_error(interpreter, "object of type '{}' has no len()", interpreter.type_of(value).name());
  }
  NNS_TRY_ASSIGN(const Value size, interpreter.call_special(value, interpreter.names().dunder_len));
  NNS_TRY_ASSIGN(const std::int64_t number, index(interpreter, size));
  if (number < 0) return value_error(interpreter, "__len__() should return >= 0");
  return number;
}

PyResult<Value> builtin_getitem(Interpreter& in, const Value& container, const Value& key) {
  const Slice* slice = as_slice(in, key);
  if (const List* list = container.as<List>()) {
    if (slice != nullptr) {
      NNS_TRY_ASSIGN(auto taken, slice_of(in, list->items(), *slice));
      return Value(in.list(std::move(taken)));
    }
    NNS_TRY_ASSIGN(const std::size_t at, place_of(in, key, list->size(), "list", "list index"));
    return list->items()[at];
  }
  if (Dict* dict = container.as<Dict>()) return dict_item(in, *dict, container, key);
  if (const Tuple* tuple = container.as<Tuple>()) {
    if (slice != nullptr) {
      NNS_TRY_ASSIGN(auto taken, slice_of(in, tuple->items(), *slice));
      return Value(in.tuple(std::move(taken)));
    }
    NNS_TRY_ASSIGN(const std::size_t at, place_of(in, key, tuple->size(), "tuple", "tuple index"));
    return (*tuple)[at];
  }
  if (const Str* text = container.as<Str>()) return text_item(in, *text, key);
  if (const Bytes* bytes = container.as<Bytes>()) return bytes_item(in, *bytes, key);
  if (const Range* range = container.as<Range>()) return range_item(in, *range, key);
  return not_subscriptable(in, container);
}

PyResult<Value> getitem(Interpreter& interpreter, const Value& container, const Value& key) {
  if (is_exact(container) && builtin_length(container)) return builtin_getitem(interpreter, container, key);
  if (interpreter.type_of(container).lookup(interpreter.names().dunder_getitem) != nullptr) {
    return interpreter.call_special(container, interpreter.names().dunder_getitem, {key});
  }
  if (const Class* cls = container.as<Class>()) {
    if (cls->lookup(interpreter.names().dunder_class_getitem) != nullptr) {
      return interpreter.call_method(container, interpreter.names().dunder_class_getitem, {key});
    }
  }
  return not_subscriptable(interpreter, container);
}

PyResult<void> builtin_setitem(Interpreter& in, const Value& container, const Value& key, const Value& value) {
  if (Dict* dict = container.as<Dict>()) return dict->try_set(in, key, value);
  if (List* list = container.as<List>()) {
    if (const Slice* slice = as_slice(in, key)) return assign_slice(in, *list, *slice, value);
    NNS_TRY_ASSIGN(const std::size_t at, place_of(in, key, list->size(), "list", "list assignment index"));
    Value taken = value;
    list->items()[at].swap(taken);
    return {};
  }
  if (Bytes* bytes = container.as<Bytes>(); bytes != nullptr && bytes->is_array()) {
    return assign_bytes(in, *bytes, key, value);
  }
  return type_error(in, "'{}' object does not support item assignment", in.type_of(container).name());
}

PyResult<void> setitem(Interpreter& interpreter, const Value& container, const Value& key, const Value& value) {
  if (is_exact(container)) return builtin_setitem(interpreter, container, key, value);
  if (interpreter.type_of(container).lookup(interpreter.names().dunder_setitem) == nullptr) {
    return type_error(interpreter, "'{}' object does not support item assignment",
                      interpreter.type_of(container).name());
  }
  NNS_TRY(interpreter.call_special(container, interpreter.names().dunder_setitem, {key, value}));
  return {};
}

PyResult<void> builtin_delitem(Interpreter& in, const Value& container, const Value& key) {
  if (Dict* dict = container.as<Dict>()) {
    NNS_TRY_ASSIGN(const Value taken, dict->try_take(in, key));
    if (taken.is_absent()) return key_error(in, key);
    return {};
  }
  if (List* list = container.as<List>()) {
    if (const Slice* slice = as_slice(in, key)) return assign_slice(in, *list, *slice, Value::absent());
    NNS_TRY_ASSIGN(const std::size_t at, place_of(in, key, list->size(), "list", "list assignment index"));
    const Value dropped = list->items()[at];
    list->items().erase(list->items().begin() + static_cast<std::ptrdiff_t>(at));
    return {};
  }
  if (Bytes* bytes = container.as<Bytes>(); bytes != nullptr && bytes->is_array()) {
    return assign_bytes(in, *bytes, key, Value::absent());
  }
  return type_error(in, "'{}' object doesn't support item deletion", in.type_of(container).name());
}

PyResult<void> delitem(Interpreter& interpreter, const Value& container, const Value& key) {
  if (is_exact(container)) return builtin_delitem(interpreter, container, key);
  if (interpreter.type_of(container).lookup(interpreter.names().dunder_delitem) == nullptr) {
    return type_error(interpreter, "'{}' object doesn't support item deletion", interpreter.type_of(container).name());
  }
  NNS_TRY(interpreter.call_special(container, interpreter.names().dunder_delitem, {key}));
  return {};
}

PyResult<bool> builtin_contains(Interpreter& in, const Value& container, const Value& item) {
  if (Dict* dict = container.as<Dict>()) return dict->try_contains(in, item);
  if (Set* set = container.as<Set>()) {
    PyResult<bool> found = set->try_contains(in, item);
    // A set is looked for as the frozenset with its elements.
    if (found.ok() || item.as<Set>() == nullptr) return found;
    const Ref<Set> frozen = make<Set>(*in.builtins().frozen_set);
    for (const Value& key : item.as<Set>()->keys().keys()) NNS_TRY(frozen->try_add(in, key));
    return set->try_contains(in, Value(frozen));
  }
  if (const Str* text = container.as<Str>()) {
    const Str* part = item.as<Str>();
    if (part != nullptr) return text->view().find(part->view()) != std::string_view::npos;
    return type_error(in, "'in <string>' requires string as left operand, not {}", in.type_of(item).name());
  }
  if (const Bytes* bytes = container.as<Bytes>()) {
    if (const Bytes* part = item.as<Bytes>()) return bytes->view().find(part->view()) != std::string_view::npos;
    NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, item, "byte"));
    return bytes->view().find(static_cast<char>(byte)) != std::string_view::npos;
  }
  if (const Range* range = container.as<Range>(); range != nullptr) {
    const Value& plain = plain_number(item);
    if (plain.is_int() || plain.is_bool()) return range->contains(plain.as_int());
    if (plain.as<BigInt>() != nullptr) return false;
  }
  if (const DictView* view = container.as<DictView>()) {
    if (view->what() == DictView::What::Keys) return view->dict()->try_contains(in, item);
    const Tuple* pair = item.as<Tuple>();
    if (view->what() == DictView::What::Items) {
      if (pair == nullptr || pair->size() != 2) return false;
      NNS_TRY_ASSIGN(const Value* found, view->dict()->try_find(in, (*pair)[0]));
      if (found == nullptr) return false;
      const Value value = *found;
      return equal(in, value, (*pair)[1]);
    }
  }
  NNS_TRY_ASSIGN(const Value iterator, iter(in, container));
  while (true) {
    NNS_TRY_ASSIGN(const Value one, next(in, iterator));
    if (one.is_absent()) return false;
    NNS_TRY_ASSIGN(const bool same, equal(in, one, item));
    if (same) return true;
  }
}

PyResult<bool> contains(Interpreter& interpreter, const Value& container, const Value& item) {
  if (!is_exact(container)) {
    if (const Value* method = interpreter.type_of(container).lookup(interpreter.names().dunder_contains)) {
      if (method->is_none()) {
        return type_error(interpreter, "'{}' object is not a container", interpreter.type_of(container).name());
      }
      NNS_TRY_ASSIGN(const Value answer,
                     interpreter.call_special(container, interpreter.names().dunder_contains, {item}));
      return truth(interpreter, answer);
    }
  }
  if (!builtin_length(container) && !can_iterate(interpreter, container)) {
    return type_error(interpreter, "argument of type '{}' is not a container or iterable",
                      interpreter.type_of(container).name());
  }
  return builtin_contains(interpreter, container, item);
}

}  // namespace nns::object
