#include "core/object/builtin_methods.h"
#include "core/object/instance.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

PyResult<Name> name_of(Interpreter& interpreter, const Value& value) {
  if (Str* text = value.as<Str>()) return interpreter.intern(*text);
  return type_error(interpreter, "attribute name must be string, not '{}'", interpreter.type_of(value).name());
}

PyResult<Value> get_dict(Interpreter& interpreter, const Value& self) {
  if (const Class* cls = self.as<Class>()) return Value(const_cast<Dict*>(&cls->attributes()));
  Dict* dict = self.is_object() ? self.object()->instance_dict(true) : nullptr;
  if (dict != nullptr) return Value(dict);
  return attribute_error(interpreter, "'{}' object has no attribute '__dict__'", interpreter.type_of(self).name());
}

PyResult<void> set_dict(Interpreter& interpreter, const Value& self, const Value& value) {
  Instance* instance = self.as<Instance>();
  Dict* dict = value.as<Dict>();
  if (instance == nullptr || dict == nullptr) {
    return type_error(interpreter, "__dict__ must be set to a dictionary, not a '{}'",
                      interpreter.type_of(value).name());
  }
  instance->replace_dict(Ref<Dict>(dict));
  return {};
}

PyResult<Value> get_class(Interpreter& interpreter, const Value& self) {
  return Value(static_cast<Object*>(&interpreter.type_of(self)));
}

PyResult<void> set_class(Interpreter& interpreter, const Value& self, const Value& value) {
  Class* cls = value.as<Class>();
  if (cls == nullptr) {
    return type_error(interpreter, "__class__ must be set to a class, not '{}' object",
                      interpreter.type_of(value).name());
  }
  if (!self.is_object() || self.object()->type().make_instance() != cls->make_instance()) {
    return type_error(interpreter, "__class__ assignment: '{}' object layout differs from '{}'", cls->name(),
                      interpreter.type_of(self).name());
  }
  self.object()->set_type(*cls);
  return {};
}

template <class T>
PyResult<Value> class_text(Interpreter& interpreter, const Value& self, T text) {
  if (const Class* cls = self.as<Class>()) return interpreter.text(text(*cls));
  return type_error(interpreter, "descriptor requires a 'type' object");
}

PyResult<Value> classes_tuple(Interpreter& interpreter, std::span<Class* const> classes) {
  std::vector<Value> items;
  for (Class* cls : classes) items.emplace_back(static_cast<Object*>(cls));
  return Value(interpreter.tuple(std::move(items)));
}

}  // namespace

void add_object_methods(Interpreter& interpreter) {
  Class& object = *interpreter.builtins().object;
  object.def_static("__new__(cls, *args, **kwargs)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    Class* cls = a[0].as<Class>();
    if (cls == nullptr)
      return type_error(in, "object.__new__(X): X is not a type object ({})", in.type_of(a[0]).name());
    if (cls->make_instance() == nullptr) return type_error(in, "cannot create '{}' instances", cls->full_name());
    return Value(cls->make_instance()(*cls));
  });
  object.def("__init__(self, *args, **kwargs)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const bool excess = a[1].as<Tuple>()->size() > 0 || !a[2].as<Dict>()->empty();
    if (excess) return type_error(in, "{}() takes no arguments", in.type_of(a[0]).name());
    return Value();
  });
  object.def("__repr__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, default_repr(in, a[0]));
    return in.text(text);
  });
  object.def("__getattribute__(self, name)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, name_of(in, a[1]));
    NNS_TRY_ASSIGN(Value found, generic_getattr(in, a[0], name));
    if (!found.is_absent()) return found;
    return attribute_error(in, "'{}' object has no attribute '{}'", in.type_of(a[0]).name(), name.view());
  });
  object.def("__setattr__(self, name, value)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, name_of(in, a[1]));
    NNS_TRY(generic_setattr(in, a[0], name, a[2]));
    return Value();
  });
  object.def("__delattr__(self, name)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Name name, name_of(in, a[1]));
    NNS_TRY(generic_delattr(in, a[0], name));
    return Value();
  });
  object.def("__dir__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    std::vector<Value> names;
    for (const std::string& name : generic_dir(in, a[0])) names.push_back(in.text(name));
    return Value(in.list(std::move(names)));
  });
  object.def("__getstate__(self)", [](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
    Dict* dict = a[0].is_object() ? a[0].object()->instance_dict(true) : nullptr;
    return dict == nullptr ? Value() : Value(dict);
  });
  object.property("__dict__", get_dict, set_dict);
  object.property("__class__", get_class, set_class);

  Class& type = *interpreter.builtins().type;
  type.property("__name__", [](Interpreter& in, const Value& self) {
    return class_text(in, self, [](const Class& cls) { return cls.name(); });
  });
  type.property("__qualname__", [](Interpreter& in, const Value& self) {
    return class_text(in, self, [](const Class& cls) { return cls.name(); });
  });
  type.property("__mro__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return classes_tuple(in, self.as<Class>()->mro());
  });
  type.property("__bases__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    std::vector<Class*> bases;
    for (const Ref<Class>& base : self.as<Class>()->bases()) bases.push_back(base.get());
    return classes_tuple(in, bases);
  });
  type.def("mro(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    std::vector<Value> items;
    for (Class* cls : a[0].as<Class>()->mro()) items.emplace_back(static_cast<Object*>(cls));
    return Value(in.list(std::move(items)));
  });

  interpreter.builtins().function->property("__name__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return in.text(self.as<NativeFunction>()->name());
  });
  interpreter.builtins().function->property("__qualname__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return in.text(self.as<NativeFunction>()->qualified_name());
  });
  interpreter.builtins().method->property(
      "__self__", [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<BoundMethod>()->self(); });
  interpreter.builtins().method->property("__func__", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return self.as<BoundMethod>()->function();
  });

  Class& exception = interpreter.builtins().exception(ErrorKind::BaseException);
  exception.def("__init__(self, *args)", [](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
    if (Exception* self = a[0].as<Exception>()) self->set_arguments(Ref<Tuple>(a[1].as<Tuple>()));
    return Value();
  });
  exception.property("args", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    const Exception* raised = self.as<Exception>();
    return raised->arguments() ? Value(raised->arguments()) : Value(in.tuple());
  });
}

}  // namespace nns::object
