// What importlib needs from C++.
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {

void fill_imports(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  attributes.set(in.intern("PathFinder"), machine.path_finder);
  // Of a module in the program's folders: its file (None without __init__.py), its folders (None of a plain module).
  add_native(machine, attributes, "locate(name, /)", [](Interpreter& i, std::span<const Value> a) -> PyResult<Value> {
    const auto* const name = a[0].as<object::Str>();
    if (name == nullptr) {
      return object::type_error(i, "module name must be str, not {}", i.type_of(a[0]).name());
    }
    const Machine& own = Machine::of(i);
    const auto place = own.locate_module ? own.locate_module(name->view()) : std::nullopt;
    if (!place) return Value();
    std::vector<Value> folders;
    for (const std::string& folder : place->folders) folders.push_back(i.text(folder));
    return Value(i.tuple({place->file.empty() ? Value() : i.text(place->file),
                          place->is_package ? Value(i.list(std::move(folders))) : Value()}));
  });
}

}  // namespace nns::python
