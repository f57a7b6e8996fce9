// class statements and super().
#include <fmt/format.h>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/python/eval/machine.h"

namespace nns::python {

using object::Keyword;
using object::Tuple;

PyResult<Value> Machine::super_attribute(const Super& super, Name name) {
  if (name == interpreter_.names().dunder_class) return Value(static_cast<object::Object*>(classes.super));
  const Value* found = super.owner->lookup_after(name, *super.after);
  if (found == nullptr) return Value::absent();
  const Value keep = *found;
  if (!keep.is_object()) return keep;
  // super() of a class method has the class itself in place of an instance.
  const bool is_class = super.self.as<Class>() == super.owner.get();
  return keep.object()->bind(is_class ? Value::absent() : super.self, *super.owner);
}

// Behaviour: CPython Objects/typeobject.c, super_init_without_args.
PyResult<Value> Machine::current_super() {
  Interpreter& in = interpreter_;
  const Frame* frame = frame_;
  if (frame == nullptr || !frame->function) return object::runtime_error(in, "super(): no current frame");
  const Code& code = *frame->code;
  if (code.positional_count == 0) return object::runtime_error(in, "super(): no arguments");
  Value self = frame->slots[0];
  for (std::size_t i = 0; i < code.cells.size(); ++i) {
    if (code.cell_parameters[i] == 0) self = frame->cell(i).value;
  }
  if (self.is_absent()) return object::runtime_error(in, "super(): arg[0] deleted");
  for (std::size_t i = 0; i < code.free.size(); ++i) {
    if (code.free[i] != in.names().dunder_class) continue;
    const Value& cell = frame->cell(code.cells.size() + i).value;
    if (cell.is_absent()) return object::runtime_error(in, "super(): empty __class__ cell");
    // What super.__new__ does for an instance of the class.
    Class* const after = cell.as<Class>();
    if (after != nullptr && self.is_object() && self.as<Class>() == nullptr &&
        self.object()->type().is_subclass_of(*after)) {
      Class& owner = self.object()->type();
      return Value(object::make<Super>(*classes.super, *after, std::move(self), owner));
    }
    return in.call(Value(static_cast<object::Object*>(classes.super)), {cell, self});
  }
  return object::runtime_error(in, "super(): __class__ cell not found");
}

// Behaviour: CPython Python/bltinmodule.c, builtin___build_class__.
PyResult<Value> Machine::build_class(std::span<const Value> positional, std::span<const Keyword> keywords) {
  Interpreter& in = interpreter_;
  Function* body = positional.size() < 2 ? nullptr : as_function(positional[0]);
  if (body == nullptr) return object::type_error(in, "__build_class__: func must be a function");
  const Value& name = positional[1];
  // 1. Bases; what is no class may stand for others.
  std::vector<Value> bases;
  bool was_replaced = false;
  const std::span<const Value> given = positional.subspan(2);
  for (const Value& base : given) {
    if (base.as<Class>() == nullptr) {
      NNS_TRY_ASSIGN(const Value entries, object::getattr_or_absent(in, base, names.dunder_mro_entries));
      if (!entries.is_absent()) {
        NNS_TRY_ASSIGN(const Value replaced, in.call(entries, {Value(in.tuple({given.begin(), given.end()}))}));
        const auto* several = replaced.as<Tuple>();
        if (several == nullptr) return object::type_error(in, "__mro_entries__ must return a tuple");
        bases.insert(bases.end(), several->items().begin(), several->items().end());
        was_replaced = true;
        continue;
      }
    }
    bases.push_back(base);
  }
  // 2. The metaclass: the one that is named, or the most derived of the bases'.
  Value metaclass(static_cast<object::Object*>(in.builtins().type));
  std::vector<Keyword> rest;
  bool is_named = false;
  for (const Keyword& keyword : keywords) {
    if (keyword.name == names.metaclass) {
      metaclass = keyword.value;
      is_named = true;
    } else {
      rest.push_back(keyword);
    }
  }
  if (!is_named && !bases.empty()) metaclass = Value(static_cast<object::Object*>(&in.type_of(bases[0])));
  if (Class* given_class = metaclass.as<Class>()) {
    std::vector<Class*> base_classes;
    for (const Value& base : bases) {
      if (Class* cls = base.as<Class>()) base_classes.push_back(cls);
    }
    NNS_TRY_ASSIGN(Class* const winner, object::derived_metaclass(in, given_class, base_classes));
    metaclass = Value(static_cast<object::Object*>(winner));
  }
  const Value bases_tuple = in.tuple(bases);
  // 3. The namespace and the body.
  Ref<Dict> names_dict = in.dict();
  NNS_TRY_ASSIGN(const Value prepare, object::getattr_or_absent(in, metaclass, names.dunder_prepare));
  if (!prepare.is_absent()) {
    const Value arguments[] = {name, bases_tuple};
    NNS_TRY_ASSIGN(const Value prepared, in.call(prepare, arguments, rest));
    Dict* dict = prepared.as<Dict>();
    if (dict == nullptr) {
      return object::type_error(in, "{}.__prepare__() must return a mapping, not {}",
                                metaclass.as<Class>() != nullptr ? metaclass.as<Class>()->name() : "<metaclass>",
                                in.type_of(prepared).name());
    }
    names_dict = Ref<Dict>(dict);
  }
  NNS_TRY_ASSIGN(const Value cell, run_class_body(*body, names_dict));
  if (was_replaced) {
    names_dict->set(in.intern("__orig_bases__"), Value(in.tuple({given.begin(), given.end()})));
  }
  // 4. The class; the cell learns of it before __init_subclass__ may ask.
  if (cell.is_object()) names_dict->set(names.dunder_class_cell, cell);
  const Value arguments[] = {name, bases_tuple, Value(names_dict)};
  NNS_TRY_ASSIGN(Value made, in.call(metaclass, arguments, rest));
  if (cell.is_object()) static_cast<Cell&>(*cell.object()).value = made;
  return made;
}

}  // namespace nns::python
