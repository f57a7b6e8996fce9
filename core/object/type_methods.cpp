#include "core/object/builtin_methods.h"
#include "core/object/new_class.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;

PyResult<Class*> class_of(Interpreter& in, const Value& self) {
  if (Class* cls = self.as<Class>()) return cls;
  return type_error(in, "descriptor requires a 'type' object but received a '{}'", in.type_of(self).name());
}

Value tuple_of(Interpreter& in, std::span<Class* const> classes) {
  std::vector<Value> items;
  for (Class* cls : classes) items.emplace_back(static_cast<Object*>(cls));
  return in.tuple(std::move(items));
}

PyResult<Value> get_name(Interpreter& in, const Value& self) {
  NNS_TRY_ASSIGN(const Class* cls, class_of(in, self));
  return in.text(cls->name());
}

PyResult<Value> get_qualified_name(Interpreter& in, const Value& self) {
  NNS_TRY_ASSIGN(const Class* cls, class_of(in, self));
  return in.text(cls->qualified_name());
}

// Sets a text of a class; `attribute` is its name.
template <class Set>
PyResult<void> set_text(Interpreter& in, const Value& self, const Value& value, std::string_view attribute, Set set) {
  NNS_TRY_ASSIGN(Class * cls, class_of(in, self));
  if (cls->is_immutable()) {
    return type_error(in, "cannot set '{}' attribute of immutable type '{}'", attribute, cls->name());
  }
  if (value.is_absent()) return type_error(in, "cannot delete '{}' attribute of type '{}'", attribute, cls->name());
  const Str* text = value.as<Str>();
  if (text == nullptr) {
    return type_error(in, "can only assign string to {}.{}, not '{}'", cls->name(), attribute,
                      in.type_of(value).name());
  }
  set(*cls, text->view());
  return {};
}

PyResult<void> set_name(Interpreter& in, const Value& self, const Value& value) {
  return set_text(in, self, value, "__name__", [](Class& cls, std::string_view text) {
    // The qualified name stays what it was.
    cls.set_qualified_name(std::string(cls.qualified_name()));
    cls.rename(text);
  });
}

PyResult<void> set_qualified_name(Interpreter& in, const Value& self, const Value& value) {
  return set_text(in, self, value, "__qualname__",
                  [](Class& cls, std::string_view text) { cls.set_qualified_name(text); });
}

PyResult<Value> get_module(Interpreter& in, const Value& self) {
  NNS_TRY_ASSIGN(const Class* cls, class_of(in, self));
  const Value* own = const_cast<Dict&>(cls->attributes()).find(in.names().dunder_module);
  // Of type itself it is this property.
  if (own != nullptr && own->as<GetSet>() == nullptr) return *own;
  return in.text(cls->module());
}

PyResult<void> set_module(Interpreter& in, const Value& self, const Value& value) {
  NNS_TRY_ASSIGN(Class * cls, class_of(in, self));
  if (cls->is_immutable()) {
    return type_error(in, "cannot set '__module__' attribute of immutable type '{}'", cls->name());
  }
  if (const Str* text = value.as<Str>()) cls->set_module(text->view());
  cls->set_attribute(in.names().dunder_module, value);
  return {};
}

PyResult<Value> get_doc(Interpreter& in, const Value& self) {
  NNS_TRY_ASSIGN(Class * cls, class_of(in, self));
  const Value* own = cls->attributes_for_reading().find(in.names().dunder_doc);
  if (own == nullptr) return Value();
  const Value keep = *own;
  if (keep.is_object() && keep.object()->descriptor_kind() != DescriptorKind::None) {
    return keep.object()->bind(Value::absent(), *cls);
  }
  return keep;
}

PyResult<void> set_doc(Interpreter& in, const Value& self, const Value& value) {
  NNS_TRY_ASSIGN(Class * cls, class_of(in, self));
  if (cls->is_immutable()) {
    return type_error(in, "cannot set '__doc__' attribute of immutable type '{}'", cls->name());
  }
  cls->set_attribute(in.names().dunder_doc, value);
  return {};
}

PyResult<Value> new_type(Interpreter& in, Args a) {
  Class* metaclass = a[0].as<Class>();
  if (metaclass == nullptr || !metaclass->is_subclass_of(*in.builtins().type)) {
    return type_error(in, "type.__new__(X): X is not a type object ({})", in.type_of(a[0]).name());
  }
  const std::span<const Value> given = a[1].as<Tuple>()->items();
  if (given.size() != 3) {
    if (metaclass == in.builtins().type) return type_error(in, "type() takes 1 or 3 arguments");
    return type_error(in, "type.__new__() takes exactly 3 arguments ({} given)", given.size());
  }
  const std::vector<Keyword> keywords = keywords_of(in, *a[2].as<Dict>());
  return new_class(in, *metaclass, given[0], given[1], given[2], keywords);
}

PyResult<Value> call_class(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Class * cls, class_of(in, a[0]));
  const std::vector<Keyword> keywords = keywords_of(in, *a[2].as<Dict>());
  return cls->construct({a[1].as<Tuple>()->items(), keywords});
}

}  // namespace

void add_type_methods(Interpreter& interpreter) {
  Class& type = *interpreter.builtins().type;
  type.property("__name__", get_name, set_name);
  type.property("__qualname__", get_qualified_name, set_qualified_name);
  type.property("__module__", get_module, set_module);
  type.property("__doc__", get_doc, set_doc);
  type.property("__mro__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Class* cls, class_of(in, self));
    return tuple_of(in, cls->mro());
  });
  type.property("__bases__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Class* cls, class_of(in, self));
    std::vector<Class*> bases;
    for (const Ref<Class>& base : cls->bases()) bases.push_back(base.get());
    return tuple_of(in, bases);
  });
  type.property("__base__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Class* cls, class_of(in, self));
    if (cls->bases().empty()) return Value();
    // The base that the layout of instances comes from.
    const auto plain = in.builtins().object->make_instance();
    for (const Ref<Class>& base : cls->bases()) {
      if (base->make_instance() != plain) return Value(base);
    }
    return Value(cls->bases()[0]);
  });
  type.def("mro(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Class* cls, class_of(in, a[0]));
    NNS_TRY_ASSIGN(std::vector<Value> items, to_vector(in, tuple_of(in, cls->mro())));
    return Value(in.list(std::move(items)));
  });
  type.def("__subclasses__(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Class* cls, class_of(in, a[0]));
    NNS_TRY_ASSIGN(std::vector<Value> items, to_vector(in, tuple_of(in, cls->subclasses())));
    return Value(in.list(std::move(items)));
  });
  type.def_static("__new__(metacls, *args, **kwds)", new_type);
  type.def("__init__(self, *args, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const std::size_t given = a[1].as<Tuple>()->size();
    if (given != 1 && given != 3) return type_error(in, "type.__init__() takes 1 or 3 arguments");
    return Value();
  });
  type.def("__call__(self, *args, **kwargs)", call_class);
  type.def_class("__prepare__(cls, *args, **kwargs)",
                 [](Interpreter& in, Args) -> PyResult<Value> { return Value(in.dict()); });
  type.def("__instancecheck__(self, instance, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Class* cls, class_of(in, a[0]));
    return Value(isinstance(in, a[1], *cls));
  });
  type.def("__subclasscheck__(self, subclass, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Class* cls, class_of(in, a[0]));
    const Class* derived = a[1].as<Class>();
    if (derived == nullptr) return type_error(in, "issubclass() arg 1 must be a class");
    return Value(derived->is_subclass_of(*cls));
  });
}

}  // namespace nns::object
