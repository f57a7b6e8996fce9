#include "core/object/new_class.h"

#include <algorithm>

#include "core/object/characters.h"
#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/object/unicode.h"

namespace nns::object {
namespace {

// A class body's names, taken apart.
struct ClassBody {
  Ref<Dict> attributes;
  std::vector<Name> slots;
  bool has_slots = false, has_dict_slot = false;
  Value cell = Value::absent();
  std::string qualified_name, module = "__main__";
};

// Classes that no other may be derived from.
bool is_final(Interpreter& in, const Class& cls) {
  const Builtins& b = in.builtins();
  const Class* const final_classes[] = {b.boolean,
                                        b.none,
                                        b.function,
                                        b.builtin_function,
                                        b.method,
                                        b.range,
                                        b.slice,
                                        b.generator,
                                        b.iterator,
                                        b.getset,
                                        b.member,
                                        b.dict_keys,
                                        b.dict_items,
                                        b.dict_values,
                                        &in.type_of(in.ellipsis()),
                                        &in.type_of(in.not_implemented())};
  return std::find(std::begin(final_classes), std::end(final_classes), &cls) != std::end(final_classes);
}

PyResult<std::vector<Class*>> classes_of(Interpreter& in, const Tuple& bases) {
  std::vector<Class*> classes;
  for (const Value& base : bases.items()) {
    Class* cls = base.as<Class>();
    if (cls == nullptr) {
      const Name entries = in.find_name("__mro_entries__");
      if (entries && in.type_of(base).lookup(entries) != nullptr) {
        return type_error(in, "type() doesn't support MRO entry resolution; use types.new_class()");
      }
      return type_error(in, "bases must be types");
    }
    if (is_final(in, *cls)) return type_error(in, "type '{}' is not an acceptable base type", cls->full_name());
    classes.push_back(cls);
  }
  return classes;
}

bool is_identifier(std::string_view text) {
  const std::u32string points = code_points(text);
  return !points.empty() && is_identifier_start(points[0]) &&
         std::all_of(points.begin(), points.end(), is_identifier_part);
}

// Names with two underscores in front belong to the class.
std::string mangled(std::string_view class_name, std::string_view name) {
  if (!name.starts_with("__") || name.ends_with("__")) return std::string(name);
  const std::size_t first = class_name.find_first_not_of('_');
  if (first == std::string_view::npos) return std::string(name);
  return fmt::format("_{}{}", class_name.substr(first), name);
}

PyResult<void> read_slots(Interpreter& in, std::string_view class_name, const Value& listed, ClassBody& body) {
  body.has_slots = true;
  std::vector<Value> items;
  if (listed.as<Str>() != nullptr) {
    items.push_back(listed);
  } else {
    NNS_TRY_ASSIGN(items, to_vector(in, listed));
  }
  for (const Value& item : items) {
    const Str* text = item.as<Str>();
    if (text == nullptr) {
      return type_error(in, "__slots__ items must be strings, not '{}'", in.type_of(item).name());
    }
    if (!is_identifier(text->view())) return type_error(in, "__slots__ must be identifiers");
    if (text->view() == "__dict__") {
      if (body.has_dict_slot) return type_error(in, "__dict__ slot disallowed: we already got one");
      body.has_dict_slot = true;
      continue;
    }
    if (text->view() == "__weakref__") continue;
    const Name name = in.intern(mangled(class_name, text->view()));
    if (body.attributes->contains(name)) {
      return value_error(in, "'{}' in __slots__ conflicts with class variable", text->view());
    }
    body.slots.push_back(name);
  }
  return {};
}

bool is_plain_function(const Value& value) {
  return value.is_object() && value.object()->descriptor_kind() == DescriptorKind::Method;
}

PyResult<ClassBody> read_body(Interpreter& in, std::string_view class_name, Dict& names) {
  const Names& known = in.names();
  ClassBody body;
  body.attributes = in.dict();
  for (std::size_t at = 0; Dict::Entry* entry = names.next(at);) body.attributes->set(entry->key, entry->value);
  Dict& attributes = *body.attributes;
  body.cell = attributes.take(known.dunder_classcell.value());
  const Value qualified = attributes.take(known.dunder_qualname.value());
  if (!qualified.is_absent()) {
    const Str* text = qualified.as<Str>();
    if (text == nullptr) return type_error(in, "type __qualname__ must be a str, not {}", in.type_of(qualified).name());
    body.qualified_name = text->view();
  }
  if (const Value* module = attributes.find(known.dunder_module)) {
    if (const Str* text = module->as<Str>()) body.module = text->view();
  }
  // What is called through the class is bound to it, or to nothing, without saying so.
  if (Value* maker = attributes.find(known.dunder_new); maker != nullptr && is_plain_function(*maker)) {
    *maker = Value(make<WrappedMethod>(in, WrappedMethod::Binding::Static, *maker));
  }
  for (const Name name : {known.dunder_init_subclass, known.dunder_class_getitem}) {
    if (Value* method = attributes.find(name); method != nullptr && is_plain_function(*method)) {
      *method = Value(make<WrappedMethod>(in, WrappedMethod::Binding::Class, *method));
    }
  }
  if (attributes.contains(known.dunder_eq) && !attributes.contains(known.dunder_hash)) {
    attributes.set(known.dunder_hash, Value());
  }
  if (!attributes.contains(known.dunder_doc)) attributes.set(known.dunder_doc, Value());
  if (const Value* listed = attributes.find(known.dunder_slots)) {
    const Value keep = *listed;
    NNS_TRY(read_slots(in, class_name, keep, body));
  }
  return body;
}

// The class in whose instances the last slot of `cls` was added.
const Class* slot_owner(const Class* cls) {
  while (true) {
    const Class* with_slots = nullptr;
    for (const Ref<Class>& base : cls->bases()) {
      if (base->slot_count() == cls->slot_count()) with_slots = base.get();
    }
    if (with_slots == nullptr || cls->slot_count() == 0) return cls;
    cls = with_slots;
  }
}

PyResult<void> check_layouts(Interpreter& in, const std::vector<Class*>& bases) {
  const Class* widest = nullptr;
  for (const Class* base : bases) {
    if (base->slot_count() > 0 && (widest == nullptr || base->slot_count() > widest->slot_count())) widest = base;
  }
  for (const Class* base : bases) {
    if (base->slot_count() > 0 && !slot_owner(widest)->is_subclass_of(*slot_owner(base))) {
      return type_error(in, "multiple bases have instance lay-out conflict");
    }
  }
  return {};
}

PyResult<void> tell_attributes(Interpreter& in, const Value& cls, Dict& attributes) {
  std::vector<std::pair<Value, Value>> entries;
  for (std::size_t at = 0; Dict::Entry* entry = attributes.next(at);) entries.emplace_back(entry->key, entry->value);
  for (const auto& [name, value] : entries) {
    if (!value.is_object() || in.type_of(value).lookup(in.names().dunder_set_name) == nullptr) continue;
    NNS_TRY(in.call_special(value, in.names().dunder_set_name, {cls, name}));
  }
  return {};
}

PyResult<void> tell_bases(Interpreter& in, Class& cls, std::span<const Keyword> keywords) {
  const Value* found = cls.lookup_after(in.names().dunder_init_subclass, cls);
  if (found == nullptr) return {};
  Value method = *found;
  if (method.is_object()) {
    NNS_TRY_ASSIGN(method, method.object()->bind(Value::absent(), cls));
  }
  NNS_TRY(in.call(method, std::span<const Value>(), keywords));
  return {};
}

// The metaclass that must make the class: the most derived one of those of the bases.
Class& winner_of(Class& metaclass, const std::vector<Class*>& bases) {
  Class* winner = &metaclass;
  for (const Class* base : bases) {
    if (base->type().is_subclass_of(*winner)) winner = &base->type();
  }
  return *winner;
}

}  // namespace

PyResult<Value> new_class(Interpreter& in, Class& metaclass, const Value& name, const Value& bases, const Value& names,
                          std::span<const Keyword> keywords) {
  const Str* text = name.as<Str>();
  const Tuple* base_values = bases.as<Tuple>();
  Dict* namespace_dict = names.as<Dict>();
  const auto wrong = [&in](int place, std::string_view wanted, const Value& given) {
    return type_error(in, "type.__new__() argument {} must be {}, not {}", place, wanted, in.type_of(given).name());
  };
  if (text == nullptr) return wrong(1, "str", name);
  if (base_values == nullptr) return wrong(2, "tuple", bases);
  if (namespace_dict == nullptr) return wrong(3, "dict", names);
  NNS_TRY_ASSIGN(const std::vector<Class*> classes, classes_of(in, *base_values));
  // 1. A metaclass of a base that is derived from this one makes the class, if it has its own way to.
  Class& winner = winner_of(metaclass, classes);
  const Value* maker = winner.lookup(in.names().dunder_new);
  if (&winner != &metaclass && maker != nullptr && !maker->is(*in.builtins().type->lookup(in.names().dunder_new))) {
    Value function = *maker;
    if (const auto* wrapped = function.as<WrappedMethod>()) function = wrapped->function();
    const Value arguments[] = {Value(static_cast<Object*>(&winner)), name, bases, names};
    return in.call(function, arguments, keywords);
  }
  // 2. The class and its attributes.
  NNS_TRY_ASSIGN(const ClassBody body, read_body(in, text->view(), *namespace_dict));
  NNS_TRY(check_layouts(in, classes));
  const auto plain = in.builtins().object->make_instance();
  const bool is_plain = std::all_of(classes.begin(), classes.end(),
                                    [plain](const Class* base) { return base->make_instance() == plain; });
  const auto rigid = std::find_if(classes.begin(), classes.end(), [&in](const Class* base) {
    return base->is_subclass_of(*in.builtins().integer) || base->is_subclass_of(*in.builtins().tuple) ||
           base->is_subclass_of(*in.builtins().bytes);
  });
  if (!body.slots.empty() && rigid != classes.end()) {
    return type_error(in, "nonempty __slots__ not supported for subtype of '{}'", (*rigid)->name());
  }
  // Instances of other layouts (lists, dicts) have no places: their slots are entries of a __dict__.
  const bool has_dict = !body.has_slots || body.has_dict_slot || (!is_plain && !body.slots.empty());
  NNS_TRY_ASSIGN(
      const Ref<Class> made,
      Class::make(
          in,
          {.name = text->view(), .module = body.module, .bases = classes, .metaclass = &winner, .has_dict = has_dict}));
  if (!body.qualified_name.empty()) made->set_qualified_name(body.qualified_name);
  for (std::size_t at = 0; Dict::Entry* entry = body.attributes->next(at);) {
    if (Str* key = entry->key.as<Str>()) made->set_attribute(in.intern(*key), entry->value);
  }
  if (is_plain) {
    for (const Name slot : body.slots) {
      made->set_attribute(slot, Value(make<Member>(in, slot, *made, made->add_slot())));
    }
  }
  // 3. Whoever wants to know of it.
  const Value cls(made);
  if (const Name contents = in.find_name("cell_contents"); !body.cell.is_absent() && contents) {
    if (in.type_of(body.cell).lookup(contents) != nullptr) NNS_TRY(setattr(in, body.cell, contents, cls));
  }
  NNS_TRY(tell_attributes(in, cls, *body.attributes));
  NNS_TRY(tell_bases(in, *made, keywords));
  return cls;
}

// Behaviour: CPython Objects/abstract.c, object_recursive_isinstance.
PyResult<bool> is_instance(Interpreter& in, const Value& value, const Value& cls) {
  Class* wanted = cls.as<Class>();
  if (wanted != nullptr && &in.type_of(value) == wanted) return true;
  if (const Tuple* several = cls.as<Tuple>()) {
    const Interpreter::Depth depth(in);
    if (depth.too_deep()) return in.recursion_error();
    for (const Value& one : several->items()) {
      NNS_TRY_ASSIGN(const bool answer, is_instance(in, value, one));
      if (answer) return true;
    }
    return false;
  }
  const Name check = in.names().dunder_instancecheck;
  const Value* method = in.type_of(cls).lookup(check);
  const Value* general = in.builtins().type->lookup(check);
  if (method != nullptr && (general == nullptr || !method->is(*general))) {
    NNS_TRY_ASSIGN(const Value answer, in.call_special(cls, check, {value}));
    return truth(in, answer);
  }
  if (wanted == nullptr) {
    return type_error(in, "isinstance() arg 2 must be a type, a tuple of types, or a union");
  }
  if (isinstance(in, value, *wanted)) return true;
  // What a proxy says that it is.
  if (!value.is_object() || own_special(in, value, in.names().dunder_class) == nullptr) return false;
  NNS_TRY_ASSIGN(const Value said, getattr_or_absent(in, value, in.names().dunder_class));
  const Class* said_class = said.as<Class>();
  return said_class != nullptr && said_class->is_subclass_of(*wanted);
}

PyResult<bool> is_subclass(Interpreter& in, const Value& derived, const Value& cls) {
  if (const Tuple* several = cls.as<Tuple>()) {
    const Interpreter::Depth depth(in);
    if (depth.too_deep()) return in.recursion_error();
    for (const Value& one : several->items()) {
      NNS_TRY_ASSIGN(const bool answer, is_subclass(in, derived, one));
      if (answer) return true;
    }
    return false;
  }
  const Name check = in.names().dunder_subclasscheck;
  const Value* method = in.type_of(cls).lookup(check);
  const Value* general = in.builtins().type->lookup(check);
  if (method != nullptr && (general == nullptr || !method->is(*general))) {
    NNS_TRY_ASSIGN(const Value answer, in.call_special(cls, check, {derived}));
    return truth(in, answer);
  }
  const Class *wanted = cls.as<Class>(), *given = derived.as<Class>();
  if (given == nullptr) return type_error(in, "issubclass() arg 1 must be a class");
  if (wanted == nullptr) return type_error(in, "issubclass() arg 2 must be a class, a tuple of classes, or a union");
  return given->is_subclass_of(*wanted);
}

}  // namespace nns::object
