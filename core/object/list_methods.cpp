#include <algorithm>
#include <optional>

#include "core/object/builtin_methods.h"
#include "core/object/builtin_operators.h"
#include "core/object/instance.h"
#include "core/object/iterator.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;
using Op = BinaryOperator;

std::vector<Value>& items_of(Args a) { return a[0].as<List>()->items(); }

// A bound of index(value, start, stop): negative counts from the end.
PyResult<std::size_t> bound_of(Interpreter& in, const Value& value, std::size_t size, std::size_t otherwise) {
  if (value.is_absent()) return otherwise;
  NNS_TRY_ASSIGN(const Value whole, index_value(in, value));
  if (!whole.is_int()) return integer_sign(whole) < 0 ? std::size_t{0} : size;
  std::int64_t at = whole.as_int();
  if (at < 0) at = std::max<std::int64_t>(at + static_cast<std::int64_t>(size), 0);
  return static_cast<std::size_t>(std::min<std::int64_t>(at, static_cast<std::int64_t>(size)));
}

// Where `value` stands; none: nowhere. The items may change while they are compared.
template <class ItemAt>
PyResult<std::optional<std::size_t>> find_value(Interpreter& in, ItemAt item_at, std::size_t start, std::size_t stop,
                                                const Value& value) {
  for (std::size_t i = start; i < stop; ++i) {
    const Value item = item_at(i);
    if (item.is_absent()) break;
    NNS_TRY_ASSIGN(const bool same, equal(in, item, value));
    if (same) return std::optional<std::size_t>(i);
  }
  return std::optional<std::size_t>();
}

auto list_items(Args a) {
  return [&items = items_of(a)](std::size_t i) { return i < items.size() ? items[i] : Value::absent(); };
}
auto tuple_items(Args a) {
  return [items = a[0].as<Tuple>()->items()](std::size_t i) { return i < items.size() ? items[i] : Value::absent(); };
}

template <class ItemAt>
PyResult<Value> count_value(Interpreter& in, ItemAt item_at, const Value& value) {
  std::int64_t count = 0;
  for (std::size_t i = 0;; ++i) {
    const Value item = item_at(i);
    if (item.is_absent()) return Value(count);
    NNS_TRY_ASSIGN(const bool same, equal(in, item, value));
    count += same ? 1 : 0;
  }
}

// How two values stand to each other, less than 0 for a < b, where that runs no code of a program: ints, floats but
// NaN, texts, and tuples of such. None: the operators have to be asked.
std::optional<int> plain_order(const Value& a, const Value& b, int nesting) {
  constexpr int kMostNesting = 8;
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (a.is_int() && b.is_int()) return order(a.as_int(), b.as_int());
  if (a.is_float() && b.is_float()) {
    if (a.as_float() != a.as_float() || b.as_float() != b.as_float()) return std::nullopt;
    return order(a.as_float(), b.as_float());
  }
  if (!a.is_object() || !b.is_object() || a.object()->kind() != b.object()->kind() || !is_exact(a) || !is_exact(b)) {
    return std::nullopt;
  }
  if (const Str* text = a.as<Str>()) return text->view().compare(b.as<Str>()->view());
  const Tuple *x = a.as<Tuple>(), *y = b.as<Tuple>();
  if (x == nullptr || nesting == kMostNesting) return std::nullopt;
  for (std::size_t i = 0; i < std::min(x->size(), y->size()); ++i) {
    const std::optional<int> items = plain_order((*x)[i], (*y)[i], nesting + 1);
    if (!items || *items != 0) return items;
  }
  return order(x->size(), y->size());
}

// The order of keys that compare without code of a program and all in one way: ints, floats but NaN, texts, and tuples
// that have such items in the same places. A few million comparisons need not ask each time what they compare.
class PlainOrder {
 public:
  // None: the keys are others.
  static std::optional<std::vector<std::uint32_t>> of(std::span<const Value> keys, bool reverse) {
    if (keys.empty() || keys.size() > UINT32_MAX) return std::nullopt;
    const Kind kind = kind_of(keys[0]);
    const auto is_alike = [kind](const Value& key) { return kind_of(key) == kind; };
    if (kind == Kind::Other || !std::all_of(keys.begin(), keys.end(), is_alike)) return std::nullopt;
    switch (kind) {
      case Kind::Int:
        return sorted<std::int64_t>(keys, reverse, [](const Value& key) { return key.as_int(); });
      case Kind::Float:
        return sorted<double>(keys, reverse, [](const Value& key) { return key.as_float(); });
      case Kind::Text:
        return sorted<std::string_view>(keys, reverse, [](const Value& key) { return key.as<Str>()->view(); });
      default:
        return of_tuples(keys, reverse);
    }
  }

 private:
  enum class Kind : std::uint8_t { Int, Float, Text, Tuple, Other };

  static Kind kind_of(const Value& key) {
    if (key.is_int()) return Kind::Int;
    if (key.is_float()) return key.as_float() == key.as_float() ? Kind::Float : Kind::Other;
    if (!key.is_object() || !is_exact(key)) return Kind::Other;
    return key.object()->kind() == ObjectKind::Str     ? Kind::Text
           : key.object()->kind() == ObjectKind::Tuple ? Kind::Tuple
                                                       : Kind::Other;
  }

  template <class Key>
  struct Placed {
    Key key;
    std::uint32_t at;
  };

  template <class Key, class Less>
  static std::vector<std::uint32_t> sorted_by(std::vector<Placed<Key>>& all, bool reverse, Less less) {
    // Equal items keep their order, also from the greatest to the least.
    if (reverse) {
      std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) { return less(y.key, x.key); });
    } else if (!std::is_sorted(all.begin(), all.end(),
                               [&](const auto& x, const auto& y) { return less(x.key, y.key); })) {
      std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) { return less(x.key, y.key); });
    }
    std::vector<std::uint32_t> order(all.size());
    std::transform(all.begin(), all.end(), order.begin(), [](const Placed<Key>& one) { return one.at; });
    return order;
  }

  template <class Key, class Read>
  static std::vector<Placed<Key>> placed(std::span<const Value> keys, Read read) {
    std::vector<Placed<Key>> all;
    all.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) all.push_back({read(keys[i]), static_cast<std::uint32_t>(i)});
    return all;
  }

  template <class Key, class Read>
  static std::vector<std::uint32_t> sorted(std::span<const Value> keys, bool reverse, Read read) {
    std::vector<Placed<Key>> all = placed<Key>(keys, read);
    return sorted_by(all, reverse, [](const Key& x, const Key& y) { return x < y; });
  }

  static std::optional<std::vector<std::uint32_t>> of_tuples(std::span<const Value> keys, bool reverse) {
    const std::span<const Value> first = keys[0].as<Tuple>()->items();
    std::vector<Kind> kinds(first.size());
    std::transform(first.begin(), first.end(), kinds.begin(), kind_of);
    for (const Value& key : keys) {
      const std::span<const Value> items = key.as<Tuple>()->items();
      if (items.size() != kinds.size()) return std::nullopt;
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (kinds[i] >= Kind::Tuple || kind_of(items[i]) != kinds[i]) return std::nullopt;
      }
    }
    auto all = placed<const Value*>(keys, [](const Value& key) { return key.as<Tuple>()->items().data(); });
    return sorted_by(all, reverse, [&kinds](const Value* x, const Value* y) {
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i] == Kind::Int) {
          if (x[i].as_int() != y[i].as_int()) return x[i].as_int() < y[i].as_int();
        } else if (kinds[i] == Kind::Float) {
          if (x[i].as_float() != y[i].as_float()) return x[i].as_float() < y[i].as_float();
        } else if (const int order = x[i].as<Str>()->view().compare(y[i].as<Str>()->view()); order != 0) {
          return order < 0;
        }
      }
      return false;
    });
  }
};

// Merges sorted runs: stable, and it stops at the first error that a comparison raises.
// Behaviour: CPython Objects/listobject.c, list_sort_impl: only __lt__ is asked.
class Sorter {
 public:
  struct Entry {
    Value key, item;
  };
  explicit Sorter(Interpreter& in) : in_(in) {}

  PyResult<void> sort(std::vector<Entry>& entries) {
    std::vector<Entry> spare(entries.size());
    // 1. Short runs by insertion. 2. Merged, twice as long each time.
    constexpr std::size_t kRun = 16;
    for (std::size_t begin = 0; begin < entries.size(); begin += kRun) {
      NNS_TRY(insertion_sort(entries, begin, std::min(begin + kRun, entries.size())));
    }
    for (std::size_t width = kRun; width < entries.size(); width *= 2) {
      for (std::size_t begin = 0; begin < entries.size(); begin += 2 * width) {
        const std::size_t middle = std::min(begin + width, entries.size());
        NNS_TRY(merge(entries, spare, begin, middle, std::min(begin + 2 * width, entries.size())));
      }
      entries.swap(spare);
    }
    return {};
  }

 private:
  PyResult<bool> is_less(const Entry& a, const Entry& b) {
    if (const std::optional<int> order = plain_order(a.key, b.key, 0)) return *order < 0;
    return less(in_, a.key, b.key);
  }

  PyResult<void> insertion_sort(std::vector<Entry>& entries, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin + 1; i < end; ++i) {
      for (std::size_t j = i; j > begin; --j) {
        NNS_TRY_ASSIGN(const bool smaller, is_less(entries[j], entries[j - 1]));
        if (!smaller) break;
        std::swap(entries[j], entries[j - 1]);
      }
    }
    return {};
  }

  PyResult<void> merge(std::vector<Entry>& from, std::vector<Entry>& to, std::size_t begin, std::size_t middle,
                       std::size_t end) {
    std::size_t left = begin, right = middle;
    for (std::size_t at = begin; at < end; ++at) {
      bool take_right = left == middle;
      if (!take_right && right < end) {
        NNS_TRY_ASSIGN(take_right, is_less(from[right], from[left]));
      }
      to[at] = std::move(from[take_right ? right++ : left++]);
    }
    return {};
  }

  Interpreter& in_;
};

PyResult<void> sort_items(Interpreter& in, std::vector<Value>& items, const Value& key, bool reverse) {
  std::vector<Value> own;
  if (!key.is_none()) {
    own.reserve(items.size());
    for (const Value& item : items) {
      NNS_TRY_ASSIGN(Value made, in.call(key, std::span<const Value>(&item, 1)));
      own.push_back(std::move(made));
    }
  }
  const std::vector<Value>& keys = key.is_none() ? items : own;
  if (const auto order = PlainOrder::of(keys, reverse)) {
    std::vector<Value> sorted(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) sorted[i].swap(items[(*order)[i]]);
    items.swap(sorted);
    return {};
  }
  std::vector<Sorter::Entry> entries;
  entries.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) entries.push_back({keys[i], items[i]});
  // Equal items keep their order, also from the greatest to the least.
  if (reverse) std::reverse(entries.begin(), entries.end());
  NNS_TRY(Sorter(in).sort(entries));
  if (reverse) std::reverse(entries.begin(), entries.end());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = entries[i].item;
  return {};
}

PyResult<Value> sort_list(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const bool reverse, truth(in, a[2]));
  // Meanwhile the list is empty; whoever changes it then is told.
  std::vector<Value> items = std::exchange(items_of(a), {});
  PyResult<void> done = sort_items(in, items, a[1], reverse);
  const bool was_changed = !items_of(a).empty();
  items_of(a).swap(items);
  NNS_TRY(std::move(done));
  if (was_changed) return value_error(in, "list modified during sort");
  return Value();
}

PyResult<Value> pop(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(std::int64_t at, index(in, a[1]));
  std::vector<Value>& items = items_of(a);
  if (items.empty()) return error<ErrorKind::IndexError>(in, "pop from empty list");
  if (at < 0) at += static_cast<std::int64_t>(items.size());
  if (at < 0 || at >= static_cast<std::int64_t>(items.size())) {
    return error<ErrorKind::IndexError>(in, "pop index out of range");
  }
  Value taken = std::move(items[static_cast<std::size_t>(at)]);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
  return taken;
}

PyResult<Value> reversed_list(Interpreter& in, Args a) {
  std::size_t left = items_of(a).size();
  return Value(make_iterator(in, {a[0]}, [left](std::span<const Value> kept) mutable -> PyResult<Value> {
    const std::vector<Value>& items = kept[0].as<List>()->items();
    if (left == 0 || left > items.size()) return Value::absent();
    return items[--left];
  }));
}

PyResult<Value> extend(Interpreter& in, const Value& self, const Value& more) {
  NNS_TRY_ASSIGN(const std::vector<Value> given, to_vector(in, more));
  std::vector<Value>& items = self.as<List>()->items();
  items.insert(items.end(), given.begin(), given.end());
  return Value();
}

void add_finding_methods(Class& list) {
  list.def("remove(self, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const auto found, find_value(in, list_items(a), 0, items_of(a).size(), a[1]));
    if (!found) return value_error(in, "list.remove(x): x not in list");
    const Value dropped = items_of(a)[*found];
    items_of(a).erase(items_of(a).begin() + static_cast<std::ptrdiff_t>(*found));
    return Value();
  });
  list.def("index(self, value, start=absent, stop=absent, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const std::size_t size = items_of(a).size();
    NNS_TRY_ASSIGN(const std::size_t start, bound_of(in, a[2], size, 0));
    NNS_TRY_ASSIGN(const std::size_t stop, bound_of(in, a[3], size, size));
    NNS_TRY_ASSIGN(const auto found, find_value(in, list_items(a), start, stop, a[1]));
    if (found) return Value(*found);
    return value_error(in, "list.index(x): x not in list");
  });
  list.def("count(self, value, /)",
           [](Interpreter& in, Args a) -> PyResult<Value> { return count_value(in, list_items(a), a[1]); });
}

void add_tuple_methods(Class& tuple) {
  tuple.def_static("__new__(cls, iterable=(), /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Class& cls = *a[0].as<Class>();
    if (cls.is_immutable() && is_exact(a[1]) && a[1].as<Tuple>() != nullptr) return a[1];
    NNS_TRY_ASSIGN(std::vector<Value> items, to_vector(in, a[1]));
    return Value(make_tuple(cls, std::move(items)));
  });
  tuple.def("index(self, value, start=absent, stop=absent, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const std::size_t size = a[0].as<Tuple>()->size();
    NNS_TRY_ASSIGN(const std::size_t start, bound_of(in, a[2], size, 0));
    NNS_TRY_ASSIGN(const std::size_t stop, bound_of(in, a[3], size, size));
    NNS_TRY_ASSIGN(const auto found, find_value(in, tuple_items(a), start, stop, a[1]));
    if (found) return Value(*found);
    return value_error(in, "tuple.index(x): x not in tuple");
  });
  tuple.def("count(self, value, /)",
            [](Interpreter& in, Args a) -> PyResult<Value> { return count_value(in, tuple_items(a), a[1]); });
  tuple.def("__getnewargs__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto items = a[0].as<Tuple>()->items();
    return Value(in.tuple({Value(in.tuple({items.begin(), items.end()}))}));
  });
  add_operator_methods(tuple, {Op::Add, Op::Mul}, false);
  tuple.def("__rmul__(self, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value made, builtin_operation(in, Op::Mul, a[0], a[1]));
    return made.is_absent() ? in.not_implemented() : made;
  });
  add_comparison_methods(tuple);
  add_container_methods(tuple, true);
  add_item_methods(tuple, false);
}

}  // namespace

void add_list_methods(Interpreter& interpreter) {
  Class& list = *interpreter.builtins().list;
  list.def("__init__(self, iterable=(), /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::vector<Value> items, to_vector(in, a[1]));
    items_of(a).swap(items);
    return Value();
  });
  list.def("append(self, object, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    items_of(a).push_back(a[1]);
    return Value();
  });
  list.def("extend(self, iterable, /)",
           [](Interpreter& in, Args a) -> PyResult<Value> { return extend(in, a[0], a[1]); });
  list.def("insert(self, index, object, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::int64_t at, index(in, a[1]));
    const auto size = static_cast<std::int64_t>(items_of(a).size());
    at = std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
    items_of(a).insert(items_of(a).begin() + static_cast<std::ptrdiff_t>(at), a[2]);
    return Value();
  });
  list.def("pop(self, index=-1, /)", pop);
  list.def("clear(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    std::vector<Value> dropped = std::exchange(items_of(a), {});
    drop_from_end(dropped);
    return Value();
  });
  list.def("reverse(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    std::reverse(items_of(a).begin(), items_of(a).end());
    return Value();
  });
  list.def("copy(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> { return Value(in.list(items_of(a))); });
  list.def("sort(self, /, *, key=None, reverse=False)", sort_list);
  list.def("__reversed__(self, /)", reversed_list);
  list.def("__iadd__(self, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(extend(in, a[0], a[1]));
    return a[0];
  });
  list.def("__imul__(self, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value made, builtin_operation(in, Op::Mul, a[0], a[1]));
    if (made.is_absent()) return in.not_implemented();
    items_of(a).swap(made.as<List>()->items());
    return a[0];
  });
  add_finding_methods(list);
  add_operator_methods(list, {Op::Add, Op::Mul}, false);
  list.def("__rmul__(self, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value made, builtin_operation(in, Op::Mul, a[0], a[1]));
    return made.is_absent() ? in.not_implemented() : made;
  });
  add_comparison_methods(list);
  add_container_methods(list, false);
  add_item_methods(list, true);
  add_tuple_methods(*interpreter.builtins().tuple);
}

void add_iteration_methods(Interpreter& interpreter) {
  const Builtins& b = interpreter.builtins();
  for (Class* cls : {b.iterator, b.generator}) {
    cls->def("__iter__(self, /)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
    cls->def("__next__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(Value item, next(in, a[0]));
      if (item.is_absent()) return make_error(in, ErrorKind::StopIteration, "");
      return item;
    });
  }
  for (const std::string_view name :
       {"list_iterator", "tuple_iterator", "str_iterator", "str_ascii_iterator", "bytes_iterator", "bytearray_iterator",
        "range_iterator", "set_iterator", "dict_keyiterator", "dict_valueiterator", "dict_itemiterator",
        "dict_reversekeyiterator", "dict_reversevalueiterator", "dict_reverseitemiterator", "callable_iterator"}) {
    interpreter.define_class({.name = name, .module = "builtins", .bases = {b.iterator}});
  }
  b.slice->def_static("__new__(cls, *args)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const std::span<const Value> given = a[1].as<Tuple>()->items();
    if (given.empty()) return type_error(in, "slice expected at least 1 argument, got 0");
    if (given.size() > 3) return type_error(in, "slice expected at most 3 arguments, got {}", given.size());
    if (given.size() == 1) return Value(make<Slice>(in, Value(), given[0], Value()));
    return Value(make<Slice>(in, given[0], given[1], given.size() == 3 ? given[2] : Value()));
  });
  b.slice->def("indices(self, length, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t length, index(in, a[1]));
    if (length < 0) return value_error(in, "length should not be negative");
    NNS_TRY_ASSIGN(const Slice::Bounds bounds, a[0].as<Slice>()->bounds(in, length));
    return Value(in.tuple({Value(bounds.start), Value(bounds.stop), Value(bounds.step)}));
  });
  b.slice->property("start",
                    [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Slice>()->start(); });
  b.slice->property("stop",
                    [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Slice>()->stop(); });
  b.slice->property("step",
                    [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Slice>()->step(); });
  add_comparison_methods(*b.slice);
  add_value_methods(*b.slice);
}

}  // namespace nns::object
