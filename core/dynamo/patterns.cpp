// What match statements ask of trackers. Behaviour: CPython's Python/ceval.c, match_keys and match_class.
#include "core/dynamo/engine.h"
#include "core/object/operations.h"

namespace nns::dynamo {

// The values of keys as a tuple; None: one is missing.
Variable* Translator::match_keys(Variable* given, Variable* keys) {
  NNS_VARIABLE(subject, real(given));
  std::vector<Variable*> wanted, found;
  if (!items_of(keys, wanted)) return nullptr;
  for (Variable* key : wanted) {
    NNS_VARIABLE(has, contains(subject, key));
    if (!has->value.as_bool()) return constant(Value());
    NNS_VARIABLE(value, get_item(subject, key));
    found.push_back(value);
  }
  return tuple(std::move(found));
}

// The attributes that a class pattern names as a tuple; None: it does not match.
Variable* Translator::match_class(Variable* subject, Variable* cls, Variable* names, std::size_t positional) {
  Variable& function = arena_->make(VariableKind::Builtin);
  function.value = engine_.builtin("isinstance");
  Variable* args[] = {subject, cls};
  NNS_VARIABLE(is_instance, call_builtin(&function, args, {}));
  if (!is_instance->value.as_bool()) return constant(Value());
  std::vector<Variable*> found, wanted;
  Class* const pattern = cls->value.as<Class>();
  const Value* order = pattern == nullptr ? nullptr : pattern->lookup(in_.intern("__match_args__"));
  const auto* by_position = order == nullptr ? nullptr : order->as<object::Tuple>();
  // Of a builtin class the one positional pattern is the value itself.
  const bool is_itself = by_position == nullptr && positional == 1 && pattern != nullptr && pattern->is_immutable();
  if (is_itself) found.push_back(subject);
  const std::size_t allowed = is_itself ? 1 : by_position == nullptr ? 0 : by_position->size();
  if (positional > allowed) {
    return raise(object::type_error(in_, "{}() accepts {} positional sub-pattern{} ({} given)", pattern->name(),
                                    allowed, allowed == 1 ? "" : "s", positional));
  }
  for (std::size_t i = 0; i < positional && !is_itself; ++i) wanted.push_back(constant((*by_position)[i]));
  std::vector<Variable*> by_name;
  if (!items_of(names, by_name)) return nullptr;
  wanted.insert(wanted.end(), by_name.begin(), by_name.end());
  for (Variable* name : wanted) {
    Variable* value = load_attribute(subject, in_.intern(constant_value(name).as<object::Str>()->view()));
    if (value == nullptr) {
      if (failure_.kind != Failure::Kind::Observed ||
          !is_exception(*failure_.exception, object::ErrorKind::AttributeError))
        return nullptr;
      failure_ = {};
      return constant(Value());
    }
    found.push_back(value);
  }
  return tuple(std::move(found));
}

}  // namespace nns::dynamo
