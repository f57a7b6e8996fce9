#include "core/object/builtin_methods.h"
#include "core/object/hash.h"
#include "core/object/operations.h"

// Bodies of the methods that a program calls by name, through super() or in classes derived from the built-in ones.
namespace nns::object {
namespace {

using Args = std::span<const Value>;

}  // namespace

void add_value_methods(Class& cls) {
  cls.def("__repr__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, default_repr(in, a[0]));
    return in.text(text);
  });
  cls.def("__hash__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t number, builtin_hash(in, a[0]));
    return Value(number);
  });
}

void add_container_methods(Class& cls, bool is_hashable) {
  add_value_methods(cls);
  if (!is_hashable) cls.attribute("__hash__", Value());
  cls.def("__len__(self, /)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(*builtin_length(a[0])); });
  cls.def("__contains__(self, key, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool found, builtin_contains(in, a[0], a[1]));
    return Value(found);
  });
  cls.def("__iter__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> { return builtin_iter(in, a[0]); });
}

void add_item_methods(Class& cls, bool changes) {
  cls.def("__getitem__(self, key, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return builtin_getitem(in, a[0], a[1]); });
  if (!changes) return;
  cls.def("__setitem__(self, key, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(builtin_setitem(in, a[0], a[1], a[2]));
    return Value();
  });
  cls.def("__delitem__(self, key, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(builtin_delitem(in, a[0], a[1]));
    return Value();
  });
}

}  // namespace nns::object
