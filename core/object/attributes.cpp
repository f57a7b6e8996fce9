#include <algorithm>
#include <set>

#include "core/object/class.h"
#include "core/object/instance.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

PyError no_attribute(Interpreter& interpreter, const Value& value, Name name) {
  const Class* cls = value.as<Class>();
  PyError error = cls != nullptr
                      ? attribute_error(interpreter, "type object '{}' has no attribute '{}'", cls->name(), name.view())
                      : attribute_error(interpreter, "'{}' object has no attribute '{}'",
                                        interpreter.type_of(value).name(), name.view());
  Dict& own = *error.exception().instance_dict(true);
  own.set(interpreter.intern("name"), name.value());
  own.set(interpreter.intern("obj"), value);
  return error;
}

PyResult<void> require_mutable(Interpreter& interpreter, const Class& cls, Name name) {
  if (!cls.is_immutable()) return {};
  return type_error(interpreter, "cannot set '{}' attribute of immutable type '{}'", name.view(), cls.name());
}

// What an assignment says where instances of the class have no place for the name.
PyError no_place(Interpreter& interpreter, const Value& value, Name name) {
  const Class& cls = interpreter.type_of(value);
  if (cls.lookup(name) != nullptr) {
    return attribute_error(interpreter, "'{}' object attribute '{}' is read-only", cls.name(), name.view());
  }
  return attribute_error(interpreter, "'{}' object has no attribute '{}' and no __dict__ for setting new attributes",
                         cls.name(), name.view());
}

PyResult<Value> bound_or_plain(const Value& attribute, const Value& self, Class& owner) {
  if (!attribute.is_object()) return attribute;
  Object* object = attribute.object();
  // Texts and numbers are no descriptors; asking them is the common case.
  switch (object->kind()) {
    case ObjectKind::Str:
    case ObjectKind::Tuple:
    case ObjectKind::List:
    case ObjectKind::Dict:
    case ObjectKind::Set:
    case ObjectKind::Class:
    case ObjectKind::Tensor:
    case ObjectKind::Module:
      return attribute;
    default:
      break;
  }
  if (object->descriptor_kind() == DescriptorKind::None) return attribute;
  const Ref<Object> alive(object);
  return object->bind(self, owner);
}

}  // namespace

// Behaviour: CPython Objects/object.c, _PyObject_GenericGetAttrWithDict; Objects/typeobject.c, type_getattro.
PyResult<Value> generic_getattr(Interpreter& interpreter, const Value& value, Name name) {
  Class& cls = interpreter.type_of(value);
  const Value* attribute = cls.lookup(name);
  // 1. A data descriptor of the class wins.
  const bool is_object = attribute != nullptr && attribute->is_object();
  if (is_object && attribute->object()->kind() == ObjectKind::Other &&
      attribute->object()->descriptor_kind() == DescriptorKind::Data) {
    const Value keep = *attribute;
    return keep.object()->bind(value, cls);
  }
  if (value.is_object()) {
    // 2. Of a class: its own attributes and those of its bases; of an instance: its __dict__.
    if (Class* as_class = value.as<Class>()) {
      if (const Value* own = as_class->lookup(name)) return bound_or_plain(*own, Value::absent(), *as_class);
    } else if (Dict* own = value.object()->instance_dict(false)) {
      if (const Value* found = own->find(name)) return *found;
    }
  }
  // 3. Anything else of the class, bound.
  if (attribute == nullptr) {
    // What a method has not itself, its function has.
    if (&cls == interpreter.builtins().method) {
      return generic_getattr(interpreter, value.as<BoundMethod>()->function(), name);
    }
    return Value::absent();
  }
  return bound_or_plain(*attribute, value, cls);
}

PyResult<Value> getattr(Interpreter& interpreter, const Value& value, Name name) {
  Class& cls = interpreter.type_of(value);
  const Names& names = interpreter.names();
  PyResult<Value> found = [&]() -> PyResult<Value> {
    if (const Value* own = own_special(interpreter, value, names.dunder_getattribute)) {
      return interpreter.call(Value(*own), std::vector<Value>{value, name.value()});
    }
    return generic_getattr(interpreter, value, name);
  }();
  const bool missing = found.ok() ? found->is_absent() : found.error().is(ErrorKind::AttributeError);
  if (!missing) return found;
  if (const Value* fallback = cls.lookup(names.dunder_getattr)) {
    const Value keep = *fallback;
    const Value arguments[] = {value, name.value()};
    return interpreter.call(keep, arguments);
  }
  if (!found.ok()) return found;
  return no_attribute(interpreter, value, name);
}

PyResult<Value> getattr_or_absent(Interpreter& interpreter, const Value& value, Name name) {
  // Without an error that nobody would see.
  if (own_special(interpreter, value, interpreter.names().dunder_getattribute) == nullptr &&
      interpreter.type_of(value).lookup(interpreter.names().dunder_getattr) == nullptr) {
    PyResult<Value> plain = generic_getattr(interpreter, value, name);
    if (!plain.ok() && plain.error().is(ErrorKind::AttributeError)) return Value::absent();
    return plain;
  }
  PyResult<Value> found = getattr(interpreter, value, name);
  if (!found.ok() && found.error().is(ErrorKind::AttributeError)) return Value::absent();
  return found;
}

PyResult<bool> hasattr(Interpreter& interpreter, const Value& value, Name name) {
  NNS_TRY_ASSIGN(const Value found, getattr_or_absent(interpreter, value, name));
  return !found.is_absent();
}

PyResult<void> generic_setattr(Interpreter& interpreter, const Value& value, Name name, const Value& new_value) {
  Class& cls = interpreter.type_of(value);
  if (const Value* attribute = cls.lookup(name); attribute != nullptr && attribute->is_object()) {
    const Value keep = *attribute;
    if (keep.object()->descriptor_kind() == DescriptorKind::Data) return keep.object()->assign(value, name, new_value);
  }
  if (Class* as_class = value.as<Class>()) {
    NNS_TRY(require_mutable(interpreter, *as_class, name));
    as_class->set_attribute(name, new_value);
    return {};
  }
  Dict* own = value.is_object() ? value.object()->instance_dict(true) : nullptr;
  if (own == nullptr) return no_place(interpreter, value, name);
  own->set(name, new_value);
  return {};
}

PyResult<void> setattr(Interpreter& interpreter, const Value& value, Name name, const Value& new_value) {
  if (const Value* own = own_special(interpreter, value, interpreter.names().dunder_setattr)) {
    const Value keep = *own;
    const Value arguments[] = {value, name.value(), new_value};
    NNS_TRY(interpreter.call(keep, arguments));
    return {};
  }
  return generic_setattr(interpreter, value, name, new_value);
}

PyResult<void> generic_delattr(Interpreter& interpreter, const Value& value, Name name) {
  Class& cls = interpreter.type_of(value);
  if (const Value* attribute = cls.lookup(name); attribute != nullptr && attribute->is_object()) {
    const Value keep = *attribute;
    if (keep.object()->descriptor_kind() == DescriptorKind::Data) {
      return keep.object()->assign(value, name, Value::absent());
    }
  }
  if (Class* as_class = value.as<Class>()) {
    NNS_TRY(require_mutable(interpreter, *as_class, name));
    if (as_class->delete_attribute(name)) return {};
    return no_attribute(interpreter, value, name);
  }
  Dict* own = value.is_object() ? value.object()->instance_dict(false) : nullptr;
  if (own != nullptr && own->erase(name)) return {};
  return no_attribute(interpreter, value, name);
}

PyResult<void> delattr(Interpreter& interpreter, const Value& value, Name name) {
  if (const Value* own = own_special(interpreter, value, interpreter.names().dunder_delattr)) {
    const Value keep = *own;
    NNS_TRY(interpreter.call(keep, {value, name.value()}));
    return {};
  }
  return generic_delattr(interpreter, value, name);
}

std::vector<std::string> generic_dir(Interpreter& interpreter, const Value& value) {
  std::set<std::string> names;
  const auto add_keys = [&names](Dict& dict) {
    for (const Value& key : dict.keys()) {
      if (const Str* text = key.as<Str>()) names.emplace(text->view());
    }
  };
  Class* as_class = value.as<Class>();
  Class& cls = as_class != nullptr ? *as_class : interpreter.type_of(value);
  for (Class* one : cls.mro()) add_keys(one->attributes_for_reading());
  if (as_class == nullptr && value.is_object()) {
    if (Dict* own = value.object()->instance_dict(false)) add_keys(*own);
  }
  return {names.begin(), names.end()};
}

PyResult<Value> dir(Interpreter& interpreter, const Value& value) {
  std::vector<Value> texts;
  if (const Value* own = interpreter.type_of(value).lookup(interpreter.names().dunder_dir);
      own != nullptr && value.as<Class>() == nullptr) {
    const Value keep = *own;
    NNS_TRY_ASSIGN(const Value listed, interpreter.call(keep, {value}));
    NNS_TRY_ASSIGN(texts, to_vector(interpreter, listed));
  } else {
    for (const std::string& name : generic_dir(interpreter, value)) texts.push_back(interpreter.text(name));
  }
  std::stable_sort(texts.begin(), texts.end(), [](const Value& a, const Value& b) {
    const Str* left = a.as<Str>();
    const Str* right = b.as<Str>();
    return left != nullptr && right != nullptr && left->view() < right->view();
  });
  return Value(interpreter.list(std::move(texts)));
}

bool isinstance(Interpreter& interpreter, const Value& value, const Class& cls) {
  if (interpreter.type_of(value).is_subclass_of(cls)) return true;
  return cls.instance_check() != nullptr && cls.instance_check()(value);
}

std::string type_name_of(Interpreter& interpreter, const Value& value) {
  if (const Class* cls = value.as<Class>()) return cls->full_name();
  if (const NativeFunction* function = value.as<NativeFunction>()) return std::string(function->qualified_name());
  return interpreter.type_of(value).full_name();
}

}  // namespace nns::object
