#include "core/python/packages/packages.h"

#include "core/python/builtins/builtins.h"
#include "core/python/eval/run.h"
#include "core/python/packages/sources.h"
#include "core/python/stdlib/stdlib.h"
#include "core/python/torch/torch.h"

namespace nns::python {

void add_python(Machine& machine) {
  add_builtins(machine);
  add_stdlib(machine);
  add_torch(machine);
  add_embedded_modules(machine, Machine::FinderOrder::Packages,
                       {
#define NNS_SOURCE(name, is_package, text) {name, is_package, packages_sources::text},
#include "core/python/packages/sources.def"
#undef NNS_SOURCE
                       });
}

}  // namespace nns::python
