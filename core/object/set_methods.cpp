#include "core/object/builtin_methods.h"
#include "core/object/builtin_operators.h"
#include "core/object/instance.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;
using Op = BinaryOperator;

Set& self_of(Args a) { return *a[0].as<Set>(); }
std::span<const Value> rest_of(Args a) { return a[1].as<Tuple>()->items(); }

// A set or frozenset with these elements, of the built-in class that `like` is derived from.
PyResult<Ref<Set>> set_of(Interpreter& in, const Value& like, const Value& iterable) {
  Class& frozen = *in.builtins().frozen_set;
  Ref<Set> made = make<Set>(in.type_of(like).is_subclass_of(frozen) ? frozen : *in.builtins().set);
  NNS_TRY(for_each(in, iterable, [&](const Value& item) { return made->try_add(in, item); }));
  return made;
}

PyResult<void> add_all(Interpreter& in, Set& set, const Value& iterable) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, iterable));
  for (const Value& item : items) NNS_TRY(set.try_add(in, item));
  return {};
}

// The set operation with any iterable in place of a set.
PyResult<Value> combined(Interpreter& in, Op op, const Value& self, const Value& iterable) {
  Value other = iterable;
  if (iterable.as<Set>() == nullptr) {
    NNS_TRY_ASSIGN(const Ref<Set> made, set_of(in, Value(in.set()), iterable));
    other = Value(made);
  }
  return builtin_operation(in, op, self, other);
}

PyResult<Value> combined_all(Interpreter& in, Op op, Args a) {
  NNS_TRY_ASSIGN(const Ref<Set> copy, set_of(in, a[0], a[0]));
  Value result(copy);
  for (const Value& one : rest_of(a)) {
    NNS_TRY_ASSIGN(result, combined(in, op, result, one));
  }
  return result;
}

// The elements become those of another set.
void take_over(Set& self, const Set& other) {
  const std::vector<Value> keys = other.keys().keys();
  self.keys().clear();
  for (const Value& key : keys) self.add(key);
}

PyResult<Value> update_with(Interpreter& in, Op op, const Value& self, const Value& iterable) {
  NNS_TRY_ASSIGN(const Value made, combined(in, op, self, iterable));
  take_over(*self.as<Set>(), *made.as<Set>());
  return Value();
}

PyResult<bool> takes_part(Interpreter& in, Args a, bool wanted) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, a[1]));
  for (const Value& item : items) {
    NNS_TRY_ASSIGN(const bool found, self_of(a).try_contains(in, item));
    if (found == wanted) return true;
  }
  return false;
}

void add_shared_methods(Class& cls) {
  add_container_methods(cls, &cls == cls.interpreter().builtins().frozen_set);
  add_operator_methods(cls, {Op::And, Op::Or, Op::Xor, Op::Sub}, true);
  add_comparison_methods(cls);
  cls.def("copy(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Set> made, set_of(in, a[0], a[0]));
    return Value(std::move(made));
  });
  cls.def("union(self, /, *others)", [](Interpreter& in, Args a) { return combined_all(in, Op::Or, a); });
  cls.def("intersection(self, /, *others)", [](Interpreter& in, Args a) { return combined_all(in, Op::And, a); });
  cls.def("difference(self, /, *others)", [](Interpreter& in, Args a) { return combined_all(in, Op::Sub, a); });
  cls.def("symmetric_difference(self, other, /)",
          [](Interpreter& in, Args a) { return combined(in, Op::Xor, a[0], a[1]); });
  cls.def("isdisjoint(self, other, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool shares, takes_part(in, a, true));
    return Value(!shares);
  });
  cls.def("issuperset(self, other, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool lacks, takes_part(in, a, false));
    return Value(!lacks);
  });
  cls.def("issubset(self, other, /)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return combined(in, Op::Le, a[0], a[1]); });
}

PyResult<Value> pop(Interpreter& in, Args a) {
  std::size_t at = 0;
  const Dict::Entry* entry = self_of(a).keys().next(at);
  if (entry == nullptr) return key_error(in, in.text("pop from an empty set"));
  const Value key = entry->key;
  self_of(a).discard(key);
  return key;
}

// Takes the element out and tells whether it was there; a set is looked for as a frozenset.
PyResult<bool> take(Interpreter& in, Args a) {
  Value key = a[1];
  PyResult<Value> taken = self_of(a).keys().try_take(in, key, Dict::Role::SetElement);
  if (!taken.ok() && key.as<Set>() != nullptr) {
    NNS_TRY_ASSIGN(key, combined(in, Op::Or, Value(make<Set>(*in.builtins().frozen_set)), a[1]));
    taken = self_of(a).keys().try_take(in, key, Dict::Role::SetElement);
  }
  NNS_TRY_ASSIGN(const Value value, std::move(taken));
  return !value.is_absent();
}

void add_changing_methods(Class& set) {
  set.def("__init__(self, iterable=(), /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    self_of(a).keys().clear();
    NNS_TRY(add_all(in, self_of(a), a[1]));
    return Value();
  });
  set.def("add(self, object, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(self_of(a).try_add(in, a[1]));
    return Value();
  });
  set.def("discard(self, object, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(take(in, a));
    return Value();
  });
  set.def("remove(self, object, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool found, take(in, a));
    if (!found) return key_error(in, a[1]);
    return Value();
  });
  set.def("pop(self, /)", pop);
  set.def("clear(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    self_of(a).keys().clear();
    return Value();
  });
  set.def("update(self, /, *others)", [](Interpreter& in, Args a) -> PyResult<Value> {
    for (const Value& one : rest_of(a)) NNS_TRY(add_all(in, self_of(a), one));
    return Value();
  });
  set.def("intersection_update(self, /, *others)", [](Interpreter& in, Args a) -> PyResult<Value> {
    for (const Value& one : rest_of(a)) NNS_TRY(update_with(in, Op::And, a[0], one));
    return Value();
  });
  set.def("difference_update(self, /, *others)", [](Interpreter& in, Args a) -> PyResult<Value> {
    for (const Value& one : rest_of(a)) NNS_TRY(update_with(in, Op::Sub, a[0], one));
    return Value();
  });
  set.def("symmetric_difference_update(self, other, /)",
          [](Interpreter& in, Args a) { return update_with(in, Op::Xor, a[0], a[1]); });
  const auto in_place = [&set](std::string_view name, Op op) {
    set.def(fmt::format("{}(self, value, /)", name), [op](Interpreter& in, Args a) -> PyResult<Value> {
      if (a[1].as<Set>() == nullptr && a[1].as<DictView>() == nullptr) return in.not_implemented();
      NNS_TRY(update_with(in, op, a[0], a[1]));
      return a[0];
    });
  };
  in_place("__iand__", Op::And);
  in_place("__ior__", Op::Or);
  in_place("__ixor__", Op::Xor);
  in_place("__isub__", Op::Sub);
}

}  // namespace

void add_set_methods(Interpreter& interpreter) {
  Class& set = *interpreter.builtins().set;
  Class& frozen = *interpreter.builtins().frozen_set;
  add_shared_methods(set);
  add_shared_methods(frozen);
  add_changing_methods(set);
  frozen.def_static("__new__(cls, iterable=(), /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Class& cls = *a[0].as<Class>();
    if (cls.is_immutable() && a[1].is_object() && &in.type_of(a[1]) == &cls) return a[1];
    const Ref<Set> made = make_set(cls);
    NNS_TRY(add_all(in, *made, a[1]));
    return Value(made);
  });
}

}  // namespace nns::object
