// What makes types of types: list[int], int | None. The module _generics in Python has both.
#include "core/object/operations.h"
#include "core/python/builtins/builtins.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

PyResult<Value> call_generics(Interpreter& in, std::string_view function, std::initializer_list<Value> arguments) {
  NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("_generics", 0, nullptr));
  return in.call_method(module, in.intern(function), arguments);
}

// cls[...] of a built-in class.
PyResult<Value> make_alias(Interpreter& in, Args a) { return call_generics(in, "GenericAlias", {a[0], a[1]}); }

}  // namespace

void add_type_operations(Machine& machine) {
  Interpreter& in = machine.interpreter();
  const object::Builtins& b = in.builtins();
  for (Class* cls : {b.list, b.tuple, b.dict, b.set, b.frozen_set, b.type, b.slice, b.weak_reference,
                     machine.classes.generator, machine.classes.coroutine, machine.classes.async_generator,
                     &b.exception(object::ErrorKind::BaseExceptionGroup)}) {
    cls->def_class("__class_getitem__(cls, item, /)", make_alias);
  }
  for (const std::string_view name : {"enumerate", "filter", "map", "zip", "reversed"}) {
    const Value* found = machine.builtins().find(name);
    if (Class* cls = found == nullptr ? nullptr : found->as<Class>()) {
      cls->def_class("__class_getitem__(cls, item, /)", make_alias);
    }
  }
  const auto parameters = [](Interpreter& i, const Value& self) -> PyResult<Value> {
    Dict* own = self.as<Class>() != nullptr ? &self.as<Class>()->attributes_for_reading()
                : self.is_object()          ? self.object()->instance_dict(false)
                                            : nullptr;
    const Value* found = own == nullptr ? nullptr : own->find("__type_params__");
    return found == nullptr || found->as<object::Tuple>() == nullptr ? Value(i.tuple()) : *found;
  };
  const auto set_parameters = [](Interpreter& i, const Value& self, const Value& value) -> PyResult<void> {
    if (value.as<object::Tuple>() == nullptr) {
      return object::type_error(i, "__type_params__ must be set to a tuple");
    }
    if (Class* cls = self.as<Class>()) {
      cls->set_attribute(i.intern("__type_params__"), value);
    } else {
      self.object()->instance_dict(true)->set(i.intern("__type_params__"), value);
    }
    return {};
  };
  b.type->property("__type_params__", parameters, set_parameters);
  b.function->property("__type_params__", parameters, set_parameters);
  // Behaviour: CPython Objects/unionobject.c, _Py_union_type_or.
  b.type->def("__or__(self, other, /)", [](Interpreter& i, Args a) {
    return call_generics(i, "make_union", {a[0], a[1]});
  });
  b.type->def("__ror__(self, other, /)", [](Interpreter& i, Args a) {
    return call_generics(i, "make_union", {a[1], a[0]});
  });
}

}  // namespace nns::python
