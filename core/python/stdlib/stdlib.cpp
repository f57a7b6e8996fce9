#include "core/python/stdlib/stdlib.h"

#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/python/eval/run.h"
#include "core/python/stdlib/files.h"
#include "core/python/stdlib/sources.h"
#include "core/python/stdlib/trees.h"

namespace nns::python {
void add_native(Machine& machine, Dict& attributes, std::string_view signature, object::NativeBody body) {
  Interpreter& in = machine.interpreter();
  const Ref<object::NativeFunction> function = in.function(signature, std::move(body));
  function->set_type(*in.builtins().builtin_function);
  if (const Value* module = attributes.find(in.names().dunder_name)) {
    function->instance_dict(true)->set(in.names().dunder_module, *module);
  }
  attributes.set(in.intern(function->name()), Value(function));
}

std::vector<NativeModule> native_modules() {
  return {{"math", fill_math},
          {"sys", fill_sys},
          {"_time", fill_time},
          {"gc", fill_gc},
          {"_weakref", fill_weakref},
          {"copy", fill_copy},
          {"_collections", fill_collections},
          {"_warnings", fill_warnings},
          {"_digests", fill_digests},
          {"_entropy", fill_entropy},
          {"_zlib", fill_zlib},
          {"unicodedata", fill_unicodedata},
          {"_turns", fill_turns},
          {"_files", fill_files},
          {"_pickle", fill_pickle},
          {"_source", fill_source},
          {"_imp", fill_imports},
          {"_re", fill_regex}};
}

std::vector<std::string> stdlib_modules() {
  std::vector<std::string> names = {
#define NNS_SOURCE(name, is_package, text) name,
#include "core/python/stdlib/sources.def"
#undef NNS_SOURCE
  };
  for (const NativeModule& native : native_modules()) names.emplace_back(native.name);
  return names;
}

void add_stdlib(Machine& machine) {
  Interpreter& in = machine.interpreter();
  add_reduction(machine);
  // sys is there from the start: print() looks at its streams.
  const Ref<ModuleObject> sys = machine.new_module("sys");
  fill_sys(machine, sys->dict());
  add_sys_facts(machine, sys->dict());
  machine.modules().set(in.intern("sys"), Value(sys));
  machine.add_finder(Machine::FinderOrder::BuiltIn, [&machine](std::string_view name) -> PyResult<Value> {
    for (const NativeModule& native : native_modules()) {
      if (native.name != name) continue;
      const Ref<ModuleObject> module = machine.new_module(name);
      native.fill(machine, module->dict());
      return Value(module);
    }
    return Value::absent();
  });
  add_embedded_modules(machine, Machine::FinderOrder::Library,
                       {
#define NNS_SOURCE(name, is_package, text) {name, is_package, stdlib_sources::text, stdlib_sources::text##Tree},
#include "core/python/stdlib/sources.def"
#undef NNS_SOURCE
                       });
}

}  // namespace nns::python
