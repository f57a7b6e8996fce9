#include "core/python/builtins/builtins.h"

#include "core/object/operations.h"

namespace nns::python {

using object::NativeFunction;

void add_builtin(Machine& machine, std::string_view signature, object::NativeBody body) {
  Interpreter& in = machine.interpreter();
  const Ref<NativeFunction> function = in.function(signature, std::move(body));
  // A program sees functions of the language, not of its own.
  function->set_type(*in.builtins().builtin_function);
  function->instance_dict(true)->set(in.names().dunder_module, in.text("builtins"));
  machine.builtins().set(in.intern(function->name()), Value(function));
}

void add_builtins(Machine& machine) {
  use_unicode();
  Interpreter& in = machine.interpreter();
  Dict& builtins = machine.builtins();
  if (!builtins.empty()) return;
  const object::Builtins& b = in.builtins();
  const auto add_class = [&](Class& cls) {
    builtins.set(in.intern(cls.name()), Value(static_cast<object::Object*>(&cls)));
  };
  for (Class* cls : {b.object,   b.type,          b.integer,      b.boolean, b.floating,
                     b.str,      b.tuple,         b.list,         b.dict,    b.set,
                     b.property, b.static_method, b.class_method, b.slice,   b.complex_number,
                     b.bytes,    b.byte_array,    b.frozen_set,   b.range,   machine.classes.super}) {
    add_class(*cls);
  }
  for (Class* cls : b.exceptions) {
    if (cls != nullptr && cls->module() == "builtins") add_class(*cls);
  }
  for (const auto& [name, kind] :
       {std::pair("EnvironmentError", object::ErrorKind::OSError), std::pair("IOError", object::ErrorKind::OSError)}) {
    builtins.set(in.intern(name), Value(static_cast<object::Object*>(&b.exception(kind))));
  }
  builtins.set(in.intern("NotImplemented"), in.not_implemented());
  builtins.set(in.intern("Ellipsis"), in.ellipsis());
  builtins.set(in.intern("__debug__"), Value(true));
  builtins.set(in.names().dunder_name, in.text("builtins"));
  add_value_functions(machine);
  add_iteration_functions(machine);
  add_program_functions(machine);
  add_descriptors(machine);
  add_exceptions(machine);
  add_type_operations(machine);
  add_quick_calls(machine);
  const Ref<ModuleObject> module = object::make<ModuleObject>(*machine.classes.module);
  module->replace_dict(Ref<Dict>(&builtins));
  machine.modules().set(in.intern("builtins"), Value(module));
}

}  // namespace nns::python
