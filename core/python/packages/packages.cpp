#include "core/python/packages/packages.h"

#include <set>

#include "core/python/builtins/builtins.h"
#include "core/python/eval/run.h"
#include "core/python/packages/sources.h"
#include "core/python/packages/trees.h"
#include "core/python/stdlib/stdlib.h"
#include "core/python/torch/torch.h"

namespace nns::python {

void add_python(Machine& machine) {
  add_builtins(machine);
  add_stdlib(machine);
  add_torch(machine);
  add_embedded_modules(machine, Machine::FinderOrder::Packages,
                       {
#define NNS_SOURCE(name, is_package, text) {name, is_package, packages_sources::text, packages_sources::text##Tree},
#include "core/python/packages/sources.def"
#undef NNS_SOURCE
                       });
}

PyResult<std::vector<std::string>> importable_modules(Machine& machine) {
  NNS_TRY(machine.import_module("torch", 0, nullptr));
  std::set<std::string> names = {"builtins", "torch"
#define NNS_SOURCE(name, is_package, text) , name
#include "core/python/packages/sources.def"
#undef NNS_SOURCE
  };
  for (const std::string& name : stdlib_modules()) names.insert(name);
  for (const std::string& name : torch_python_modules()) names.insert(name);
  for (const Value& key : machine.modules().keys()) {
    const auto* name = key.as<object::Str>();
    if (name != nullptr && name->view().starts_with("torch.")) names.insert(std::string(name->view()));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace nns::python
