// property, staticmethod and classmethod as a program makes them.
#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/python/builtins/builtins.h"

namespace nns::python {
namespace {

using object::Property;
using object::WrappedMethod;
using Args = std::span<const Value>;

// A property like `self` with one of its functions replaced: x.setter(f).
template <int which>
PyResult<Value> with_function(Interpreter& in, Args a) {
  const auto& self = *a[0].as<Property>();
  return Value(object::make<Property>(in, which == 0 ? a[1] : self.getter(), which == 1 ? a[1] : self.setter(),
                                      which == 2 ? a[1] : self.deleter()));
}

// Gives what __new__ made the class that it was called with.
PyResult<void> become(Interpreter& in, object::Object& made, const Value& given) {
  Class* cls = given.as<Class>();
  if (cls == nullptr || !cls->is_subclass_of(made.type())) {
    return object::type_error(in, "{}.__new__(X): X is not a subtype of {}", made.type().name(), made.type().name());
  }
  made.set_type(*cls);
  return {};
}

template <WrappedMethod::Binding binding>
PyResult<Value> wrap(Interpreter& in, Args a) {
  const Ref<WrappedMethod> made = object::make<WrappedMethod>(in, binding, a[1]);
  NNS_TRY(become(in, *made, a[0]));
  return Value(made);
}

// Whether one of the functions is abstract.
PyResult<Value> is_abstract(Interpreter& in, std::initializer_list<Value> functions) {
  for (const Value& one : functions) {
    NNS_TRY_ASSIGN(const Value mark, object::getattr_or_absent(in, one, in.intern("__isabstractmethod__")));
    if (mark.is_absent()) continue;
    NNS_TRY_ASSIGN(const bool is_marked, object::truth(in, mark));
    if (is_marked) return Value(true);
  }
  return Value(false);
}

// Getters of ours trust that they are asked for objects of their classes: what is no attribute of the object's own
// class has no business with it.
PyResult<void> require_own(Interpreter& in, const Value& descriptor, const Value& instance) {
  const auto* computed = descriptor.as<object::GetSet>();
  const auto* member = descriptor.as<object::Member>();
  if (computed == nullptr && member == nullptr) return {};
  const Name name = computed != nullptr ? in.intern(computed->name()) : member->name();
  Class& cls = in.type_of(instance);
  for (Class* one : cls.mro()) {
    const Value* found = one->attributes_for_reading().find(name);
    if (found != nullptr && found->is(descriptor)) return {};
  }
  return object::type_error(in, "descriptor '{}' doesn't apply to a '{}' object", name.view(), cls.name());
}

// What the language does with a class attribute, as a method: f.__get__(instance, owner).
PyResult<Value> get(Interpreter& in, Args a) {
  const Value& self = a[0];
  const bool is_ours = as_function(self) != nullptr || self.as<object::NativeFunction>() != nullptr ||
                       self.as<Property>() != nullptr || self.as<WrappedMethod>() != nullptr ||
                       self.as<object::GetSet>() != nullptr || self.as<object::Member>() != nullptr;
  if (!is_ours)
    return object::type_error(in, "descriptor '__get__' does not apply to a '{}' object", in.type_of(self).name());
  if (a[1].is_none() && a[2].is_none()) return object::type_error(in, "__get__(None, None) is invalid");
  if (!a[1].is_none()) NNS_TRY(require_own(in, self, a[1]));
  Class* owner = a[2].as<Class>();
  return self.object()->bind(a[1].is_none() ? Value::absent() : a[1], owner != nullptr ? *owner : in.type_of(a[1]));
}

template <class Descriptor>
void add_set_and_delete(Class& cls) {
  cls.def("__set__(self, instance, value, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    auto* self = a[0].as<Descriptor>();
    if (self == nullptr) return object::type_error(in, "descriptor '__set__' does not apply to this object");
    NNS_TRY(require_own(in, a[0], a[1]));
    NNS_TRY(self->assign(a[1], in.intern(""), a[2]));
    return Value();
  });
  cls.def("__delete__(self, instance, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    auto* self = a[0].as<Descriptor>();
    if (self == nullptr) return object::type_error(in, "descriptor '__delete__' does not apply to this object");
    NNS_TRY(require_own(in, a[0], a[1]));
    NNS_TRY(self->assign(a[1], in.intern(""), Value::absent()));
    return Value();
  });
}

}  // namespace

void add_descriptors(Machine& machine) {
  Interpreter& in = machine.interpreter();
  Class& property = *in.builtins().property;
  property.def_static("__new__(cls, fget=None, fset=None, fdel=None, doc=None)",
                      [](Interpreter& i, Args a) -> PyResult<Value> {
                        const Ref<Property> made = object::make<Property>(i, a[1], a[2], a[3]);
                        NNS_TRY(become(i, *made, a[0]));
                        return Value(made);
                      });
  property.def("__init__(self, *args, **kwargs)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  property.def("getter(self, fget)", with_function<0>);
  property.def("setter(self, fset)", with_function<1>);
  property.def("deleter(self, fdel)", with_function<2>);
  property.property("fget",
                    [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Property>()->getter(); });
  property.property("fset",
                    [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Property>()->setter(); });
  property.property("fdel",
                    [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<Property>()->deleter(); });
  property.property("__doc__", [](Interpreter& i, const Value& self) -> PyResult<Value> {
    const Value getter = self.as<Property>()->getter();
    return getter.is_none() ? Value() : object::getattr(i, getter, i.names().dunder_doc);
  });
  property.property("__isabstractmethod__", [](Interpreter& i, const Value& self) -> PyResult<Value> {
    const auto& own = *self.as<Property>();
    return is_abstract(i, {own.getter(), own.setter(), own.deleter()});
  });
  for (Class* cls : {in.builtins().static_method, in.builtins().class_method}) {
    const bool is_static = cls == in.builtins().static_method;
    cls->def_static("__new__(cls, function)",
                    is_static ? wrap<WrappedMethod::Binding::Static> : wrap<WrappedMethod::Binding::Class>);
    cls->def("__init__(self, *args)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
    cls->def("__repr__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const std::string shown, object::repr(i, a[0].as<WrappedMethod>()->function()));
      return i.text(fmt::format("<{}({})>", i.type_of(a[0]).name(), shown));
    });
    cls->property("__isabstractmethod__", [](Interpreter& i, const Value& self) -> PyResult<Value> {
      return is_abstract(i, {self.as<WrappedMethod>()->function()});
    });
    for (const std::string_view name : {"__func__", "__wrapped__"}) {
      cls->property(name, [](Interpreter&, const Value& self) -> PyResult<Value> {
        return self.as<WrappedMethod>()->function();
      });
    }
  }
  const object::Builtins& b = in.builtins();
  for (Class* cls : {b.function, b.property, b.static_method, b.class_method, b.getset, b.member}) {
    cls->def("__get__(self, instance, owner=None, /)", get);
  }
  // A method is bound already.
  b.method->def("__get__(self, instance, owner=None, /)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  add_set_and_delete<Property>(*b.property);
  add_set_and_delete<object::GetSet>(*b.getset);
  add_set_and_delete<object::Member>(*b.member);
  for (Class* cls : {b.function, b.builtin_function, b.method}) {
    cls->def("__call__(self, /, *args, **kwargs)", [](Interpreter& i, Args a) -> PyResult<Value> {
      if (as_function(a[0]) == nullptr && a[0].as<object::NativeFunction>() == nullptr &&
          a[0].as<object::BoundMethod>() == nullptr) {
        return object::type_error(i, "descriptor '__call__' doesn't apply to a '{}' object", i.type_of(a[0]).name());
      }
      return i.call(a[0], a[1].as<object::Tuple>()->items(), object::keywords_of(i, *a[2].as<Dict>()));
    });
  }
  // A static method can be called as it is. Behaviour: Python 3.10 and later.
  in.builtins().static_method->def("__call__(self, *args, **kwargs)", [](Interpreter& i, Args a) -> PyResult<Value> {
    return i.call(a[0].as<WrappedMethod>()->function(), a[1].as<object::Tuple>()->items(),
                  object::keywords_of(i, *a[2].as<Dict>()));
  });
}

}  // namespace nns::python
