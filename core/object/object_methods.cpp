#include <algorithm>

#include "core/object/builtin_methods.h"
#include "core/object/format.h"
#include "core/object/hash.h"
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
  // Of a tensor and its like the entries are replaced, not the dict.
  if (Dict* const own = instance == nullptr && self.is_object() ? self.object()->instance_dict(true) : nullptr;
      own != nullptr && dict != nullptr && self.as<Class>() == nullptr) {
    const Ref<Dict> given(dict);
    if (own != dict) own->clear();
    if (own != dict) own->copy_from(*given);
    return {};
  }
  if (instance == nullptr || dict == nullptr) {
    return type_error(interpreter, "__dict__ must be set to a dictionary, not a '{}'",
                      interpreter.type_of(value).name());
  }
  instance->replace_dict(Ref<Dict>(dict));
  return {};
}

// The classes of C++ that the instances of a class are, the first of each line: their C++ types. A class of a program
// has a __doc__ of its own, if only None.
std::vector<const Class*> native_roots(Interpreter& interpreter, const Class& cls) {
  const Class* const object = interpreter.builtins().object;
  std::vector<const Class*> roots;
  for (const Class* one : cls.mro()) {
    // Beside __module__ it has something: methods that ask nothing of their objects cannot be disappointed.
    const bool is_native = one->attributes().size() > 1 &&
                           const_cast<Dict&>(one->attributes()).find(interpreter.names().dunder_doc) == nullptr;
    if (one == object || !is_native || one->mro().size() < 2) continue;
    const Class* const root = one->mro()[one->mro().size() - 2];
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  }
  std::sort(roots.begin(), roots.end());
  return roots;
}

// Whether an instance of `cls` has all that the methods of C++ of `other` ask of it: it may lose mixins, as a lazy
// module does when it becomes the module that it stands for.
bool is_one_of(Interpreter& interpreter, const Class& cls, const Class& other) {
  const std::vector<const Class*> has = native_roots(interpreter, cls);
  const std::vector<const Class*> needs = native_roots(interpreter, other);
  return has.empty() == needs.empty() && std::includes(has.begin(), has.end(), needs.begin(), needs.end());
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
  if (!self.is_object() || self.object()->type().make_instance() != cls->make_instance() ||
      !is_one_of(interpreter, self.object()->type(), *cls)) {
    return type_error(interpreter, "__class__ assignment: '{}' object layout differs from '{}'", cls->name(),
                      interpreter.type_of(self).name());
  }
  self.object()->set_type(*cls);
  return {};
}

// Other libraries' functions may have the class of built-in ones.
// The parameters as Python would write them: __text_signature__. None where a default has no text.
PyResult<Value> signature_text(Interpreter& in, const Signature& signature) {
  using Kind = Parameter::Kind;
  std::string text;
  Kind last = Kind::PositionalOnly;
  bool has_any = false;
  const auto add = [&](std::string_view part) { text += fmt::format("{}{}", text.empty() ? "" : ", ", part); };
  for (const Parameter& one : signature.parameters()) {
    if (last == Kind::PositionalOnly && one.kind != last && has_any) add("/");
    if (one.kind == Kind::KeywordOnly && last != Kind::KeywordOnly && last != Kind::VarPositional) add("*");
    const std::string_view stars = one.kind == Kind::VarPositional ? "*" : one.kind == Kind::VarKeyword ? "**" : "";
    add(fmt::format("{}{}", stars, one.name.view()));
    if (!one.default_value.is_absent()) {
      if (one.default_value.is_empty_container()) return Value();  // may be left out
      NNS_TRY_ASSIGN(const std::string shown, repr(in, one.default_value));
      if (shown.starts_with('<')) return Value();
      text += "=" + shown;
    }
    last = one.kind;
    has_any = true;
  }
  if (last == Kind::PositionalOnly && has_any) add("/");
  return in.text("(" + text + ")");
}

PyResult<const NativeFunction*> native_function(Interpreter& interpreter, const Value& self, std::string_view name) {
  if (const NativeFunction* const function = self.as<NativeFunction>()) return function;
  return attribute_error(interpreter, "'{}' object has no attribute '{}'", interpreter.type_of(self).name(), name);
}

// What a method says of itself is what its function says.
constexpr std::string_view kOfFunction[] = {"__name__", "__qualname__", "__module__", "__dict__"};
template <std::size_t which>
PyResult<Value> of_function(Interpreter& in, const Value& self) {
  return getattr(in, self.as<BoundMethod>()->function(), in.intern(kOfFunction[which]));
}

}  // namespace

void add_object_methods(Interpreter& interpreter) {
  Class& object = *interpreter.builtins().object;
  object.def_static("__new__(cls, *args, **kwargs)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    Class* cls = a[0].as<Class>();
    if (cls == nullptr)
      return type_error(in, "object.__new__(X): X is not a type object ({})", in.type_of(a[0]).name());
    return cls->new_instance();
  });
  object.def("__init__(self, *args, **kwargs)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const bool excess = a[1].as<Tuple>()->size() > 0 || !a[2].as<Dict>()->empty();
    if (!excess) return Value();
    if (own_special(in, a[0], in.names().dunder_init) != nullptr) {
      return type_error(in, "object.__init__() takes exactly one argument (the instance to initialize)");
    }
    if (own_special(in, a[0], in.names().dunder_new) != nullptr) return Value();
    return type_error(in, "{}() takes no arguments", in.type_of(a[0]).name());
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
  object.def("__getstate__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const Dict* dict = a[0].is_object() ? a[0].object()->instance_dict(true) : nullptr;
    if (dict == nullptr) return Value();
    const Ref<Dict> state = in.dict();
    state->copy_from(*dict);
    return Value(state);
  });
  object.def("__eq__(self, value, /)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    return a[0].is(a[1]) ? Value(true) : in.not_implemented();
  });
  object.def("__ne__(self, value, /)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    if (own_special(in, a[0], in.names().dunder_eq) == nullptr)
      return a[0].is(a[1]) ? Value(false) : in.not_implemented();
    NNS_TRY_ASSIGN(const Value same, in.call_special(a[0], in.names().dunder_eq, {a[1]}));
    if (same.is(in.not_implemented())) return same;
    NNS_TRY_ASSIGN(const bool is_same, truth(in, same));
    return Value(!is_same);
  });
  for (const std::string_view order : {"__lt__", "__le__", "__gt__", "__ge__"}) {
    object.def(fmt::format("{}(self, value, /)", order),
               [](Interpreter& in, std::span<const Value>) -> PyResult<Value> { return in.not_implemented(); });
  }
  object.def("__hash__(self, /)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t number, builtin_hash(in, a[0]));
    return Value(number);
  });
  object.def("__str__(self, /)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, default_str(in, a[0]));
    return in.text(text);
  });
  object.def("__format__(self, format_spec, /)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const Str* spec = a[1].as<Str>();
    if (spec == nullptr) return type_error(in, "__format__() argument must be str, not {}", in.type_of(a[1]).name());
    NNS_TRY_ASSIGN(const std::string text, builtin_format(in, a[0], spec->view()));
    return in.text(text);
  });
  object.def_class("__init_subclass__(cls, *args, **kwargs)",
                   [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                     if (!a[2].as<Dict>()->empty()) {
                       return type_error(in, "{}.__init_subclass__() takes no keyword arguments",
                                         a[0].as<Class>()->qualified_name());
                     }
                     return Value();
                   });
  object.def_class("__subclasshook__(cls, object, /)",
                   [](Interpreter& in, std::span<const Value>) -> PyResult<Value> { return in.not_implemented(); });
  object.attribute("__doc__", Value());
  object.property("__dict__", get_dict, set_dict);
  object.property("__class__", get_class, set_class);

  for (Class* functions : {interpreter.builtins().function, interpreter.builtins().builtin_function}) {
    functions->property("__name__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const NativeFunction* const function, native_function(in, self, "__name__"));
      return in.text(function->name());
    });
    functions->property("__qualname__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const NativeFunction* const function, native_function(in, self, "__qualname__"));
      return in.text(function->qualified_name());
    });
    functions->property("__text_signature__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
      const auto* const function = self.as<NativeFunction>();
      return function == nullptr ? PyResult<Value>(Value()) : signature_text(in, function->signature());
    });
  }
  interpreter.builtins().method->property(
      "__self__", [](Interpreter&, const Value& self) -> PyResult<Value> { return self.as<BoundMethod>()->self(); });
  interpreter.builtins().method->property("__func__", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return self.as<BoundMethod>()->function();
  });
  interpreter.builtins().method->property(kOfFunction[0], of_function<0>);
  interpreter.builtins().method->property(kOfFunction[1], of_function<1>);
  interpreter.builtins().method->property(kOfFunction[2], of_function<2>);
  interpreter.builtins().method->property(kOfFunction[3], of_function<3>);

  Class& exception = interpreter.builtins().exception(ErrorKind::BaseException);
  exception.def("__init__(self, *args)", [](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
    if (Exception* self = a[0].as<Exception>()) self->set_arguments(Ref<Tuple>(a[1].as<Tuple>()));
    return Value();
  });
  exception.property(
      "args",
      [](Interpreter& in, const Value& self) -> PyResult<Value> {
        const Exception* raised = self.as<Exception>();
        return raised->arguments() ? Value(raised->arguments()) : Value(in.tuple());
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        if (value.is_absent()) return type_error(in, "args may not be deleted");
        NNS_TRY_ASSIGN(std::vector<Value> arguments, to_vector(in, value));
        self.as<Exception>()->set_arguments(in.tuple(std::move(arguments)));
        return {};
      });
}

}  // namespace nns::object
