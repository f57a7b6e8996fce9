// Instances of the program's classes that derive from dict and list: objects with attributes, whose items are those of
// a container that they hold. Behaviour: torch/_dynamo/variables/user_defined.py, UserDefinedDictVariable and
// UserDefinedListVariable.
#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"

namespace nns::dynamo {

VariableKind Translator::user_container_kind(const Class& cls) const {
  if (cls.is_immutable()) return VariableKind::Null;
  const auto& builtins = in_.builtins();
  for (const Class* one : cls.mro()) {
    if (one == builtins.dict || one == builtins.ordered_dict) return VariableKind::Dict;
    if (one == builtins.list) return VariableKind::List;
    if (one == builtins.set || one == builtins.frozen_set) return VariableKind::Set;
    // Named tuples are tuples with a class.
    if (one == builtins.tuple)
      return cls.lookup(in_.intern("_fields")) == nullptr ? VariableKind::Tuple : VariableKind::Null;
    // Other containers of the library's, and modules, have ways of their own.
    const bool is_counter = one->module() == "collections" && one->name() == "Counter";
    const bool is_library =
        one->module() == "collections" || one->module() == "torch" || one->module().starts_with("torch.");
    if (one->is_immutable() || (is_library && !is_counter)) return VariableKind::Null;
  }
  return VariableKind::Null;
}

Variable* Translator::build_user_container(const Value& value, const Source* source) {
  Class& cls = value.object()->type();
  const VariableKind kind = user_container_kind(cls);
  Variable& made = arena_->make(VariableKind::Object);
  made.value = value;
  made.source = source;
  made.cls = &cls;
  track(value, &made);
  if (source != nullptr) guard_type(source, value);
  Variable& contents = arena_->make(kind);
  contents.value = value;
  contents.source = source;
  made.contents = &contents;
  if (kind == VariableKind::Set) {
    if (source != nullptr) guard_constant(GuardKind::ConstantMatch, source, value);
    for (const Value& key : value.as<object::Set>()->keys().keys()) contents.items.push_back(build(key, nullptr));
    return &made;
  }
  if (kind == VariableKind::List || kind == VariableKind::Tuple) {
    const std::span<const Value> items = kind == VariableKind::Tuple
                                             ? value.as<object::Tuple>()->items()
                                             : std::span<const Value>(value.as<object::List>()->items());
    if (source != nullptr) guard_length(source, items.size(), value);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Source* at = source == nullptr ? nullptr : sources_->item(source, Value(static_cast<std::int64_t>(i)));
      contents.items.push_back(lazy(items[i], at));
    }
    return &made;
  }
  const auto& mro = cls.mro();
  if (std::find(mro.begin(), mro.end(), in_.builtins().ordered_dict) != mro.end())
    contents.cls = in_.builtins().ordered_dict;
  Dict& dict = *value.as<Dict>();
  for (const Value& key : dict.keys()) {
    contents.keys.push_back(build(key, nullptr));
    contents.items.push_back(lazy(*dict.find(key), source == nullptr ? nullptr : sources_->dict_item(source, key)));
  }
  return &made;
}

Variable* Translator::plain_of(Variable* object, std::initializer_list<Name> methods) const {
  if (object->contents == nullptr) return object;
  for (const Name& method : methods) {
    const Value* found = method ? object->cls->lookup(method) : nullptr;
    if (found != nullptr && python::as_function(*found) != nullptr) return object;
  }
  return object->contents;
}

Variable* Translator::call_contents_method(Variable* object, std::string_view name, Arguments args, Keywords keywords,
                                           bool& is_known) {
  Variable* const contents = object->contents;
  const bool is_dict = contents->kind == VariableKind::Dict;
  is_known = true;
  if (name == "__init__") {
    if (is_dict) return call_dict_method(contents, "update", args, keywords, is_known);
    if (args.empty() || contents->kind == VariableKind::Tuple) return constant(Value());
    bool known = false;
    if (contents->kind == VariableKind::Set) return call_set_method(contents, "update", args, known);
    if (call_container_method(contents, "clear", {}, {}, known) == nullptr) return nullptr;
    return call_container_method(contents, "extend", args, keywords, known);
  }
  if (name == "__getitem__" && is_dict && args.size() == 1) {
    NNS_VARIABLE(key, real(args[0]));
    const Value* missing = type_of(*object).lookup(in_.intern("__missing__"));
    if (missing != nullptr && find_key(*contents, *key) < 0) {
      if (contents->source != nullptr && !contents->is_new && !contents->is_mutated && is_constant(key))
        guard_key(GuardKind::DictNotContains, contents->source, constant_value(key));
      return call_method(object, in_.intern("__missing__"), args);
    }
    return get_item(contents, key);
  }
  if (name == "__delitem__" && args.size() == 1) return delete_item(contents, args[0]) ? constant(Value()) : nullptr;
  if (name == "__eq__" && args.size() == 1) {
    NNS_VARIABLE(other, real(args[0]));
    return equal(contents, other->contents != nullptr ? other->contents : other);
  }
  if (name == "__repr__" || name == "__str__") return string_of(contents, true);
  // What asks for the object itself.
  const bool is_of_object = name == "__setattr__" || name == "__delattr__" || name == "__getattribute__" ||
                            name == "__init_subclass__" || name == "__del__" || name == "__enter__" ||
                            name == "__exit__";
  if (!is_of_object) {
    if (is_dict) {
      Variable* result = call_dict_method(contents, name, args, keywords, is_known);
      if (is_known || has_failed()) return result;
    }
    return call_container_method(contents, name, args, keywords, is_known);
  }
  is_known = false;
  return nullptr;
}

}  // namespace nns::dynamo
