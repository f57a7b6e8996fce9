#include <algorithm>

#include "core/object/builtin_methods.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;

std::vector<Value>& items_of(Args a) { return a[0].as<List>()->items(); }

}  // namespace

void add_list_methods(Interpreter& interpreter) {
  Class& list = *interpreter.builtins().list;
  list.def("__init__(self, iterable=())", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(items_of(a), to_vector(in, a[1]));
    return Value();
  });
  list.def("append(self, object)", [](Interpreter&, Args a) -> PyResult<Value> {
    items_of(a).push_back(a[1]);
    return Value();
  });
  list.def("extend(self, iterable)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::vector<Value> more, to_vector(in, a[1]));
    items_of(a).insert(items_of(a).end(), more.begin(), more.end());
    return Value();
  });
  list.def("insert(self, index, object)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::int64_t at, index(in, a[1]));
    const auto size = static_cast<std::int64_t>(items_of(a).size());
    at = std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
    items_of(a).insert(items_of(a).begin() + static_cast<std::ptrdiff_t>(at), a[2]);
    return Value();
  });
  list.def("pop(self, index=-1)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::int64_t at, index(in, a[1]));
    std::vector<Value>& items = items_of(a);
    if (items.empty()) return error<ErrorKind::IndexError>(in, "pop from empty list");
    if (at < 0) at += static_cast<std::int64_t>(items.size());
    if (at < 0 || at >= static_cast<std::int64_t>(items.size())) {
      return error<ErrorKind::IndexError>(in, "pop index out of range");
    }
    Value taken = items[static_cast<std::size_t>(at)];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
    return taken;
  });
  list.def("remove(self, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    for (std::size_t i = 0; i < items_of(a).size(); ++i) {
      NNS_TRY_ASSIGN(const bool same, equal(in, Value(items_of(a)[i]), a[1]));
      if (!same) continue;
      items_of(a).erase(items_of(a).begin() + static_cast<std::ptrdiff_t>(i));
      return Value();
    }
    return value_error(in, "list.remove(x): x not in list");
  });
  list.def("index(self, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    for (std::size_t i = 0; i < items_of(a).size(); ++i) {
      NNS_TRY_ASSIGN(const bool same, equal(in, Value(items_of(a)[i]), a[1]));
      if (same) return Value(static_cast<std::int64_t>(i));
    }
    return value_error(in, "list.index(x): x not in list");
  });
  list.def("clear(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    a[0].as<List>()->clear_references();
    return Value();
  });
  list.def("reverse(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    std::reverse(items_of(a).begin(), items_of(a).end());
    return Value();
  });
  list.def("copy(self)", [](Interpreter& in, Args a) -> PyResult<Value> { return Value(in.list(items_of(a))); });

  interpreter.builtins().tuple->def_static("__new__(cls, iterable=())", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::vector<Value> items, to_vector(in, a[1]));
    return Value(make<Tuple>(*a[0].as<Class>(), std::move(items)));
  });

  Class& set = *interpreter.builtins().set;
  set.def("__init__(self, iterable=())", [](Interpreter& in, Args a) -> PyResult<Value> {
    Set& self = *a[0].as<Set>();
    NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, a[1]));
    for (const Value& item : items) {
      NNS_TRY(require_hashable(in, item));
      self.add(item);
    }
    return Value();
  });
  set.def("add(self, element)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(require_hashable(in, a[1]));
    a[0].as<Set>()->add(a[1]);
    return Value();
  });
  set.def("discard(self, element)", [](Interpreter&, Args a) -> PyResult<Value> {
    a[0].as<Set>()->discard(a[1]);
    return Value();
  });
  set.def("clear(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    a[0].as<Set>()->keys().clear();
    return Value();
  });
}

void add_iteration_methods(Interpreter& interpreter) {
  const Builtins& b = interpreter.builtins();
  for (Class* cls : {b.iterator, b.generator}) {
    cls->def("__iter__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
    cls->def("__next__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(Value item, next(in, a[0]));
      if (item.is_absent()) return make_error(in, ErrorKind::StopIteration, "");
      return item;
    });
  }
  b.slice->def_static("__new__(cls, start, stop=None, step=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(make<Slice>(in, a[1], a[2], a[3]));
  });
}

}  // namespace nns::object
