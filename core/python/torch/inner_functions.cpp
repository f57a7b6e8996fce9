#include "core/python/torch/inner_functions.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/nn/inner_functions.h"
#include "core/ops/python_function.h"

namespace nns::python {

void fill_inner_functions(object::Interpreter& interpreter) {
  const auto show = [&](std::string_view from, std::string_view name, std::string_view module, std::string_view as) {
    const object::Value* const found = ops::python_module(interpreter, from).find(name);
    if (found != nullptr) ops::python_module(interpreter, module).set(interpreter.intern(as), *found);
  };
  constexpr std::string_view kNn = "torch._C._nn";
  for (const nn::InnerFunction& one : nn::inner_functions()) {
    if (one.path.starts_with(kNn)) show("torch.nn.functional", one.name, kNn, one.path.substr(kNn.size() + 1));
  }
  for (const std::string_view part : {"linalg", "fft"}) {
    const std::string shown = fmt::format("torch.{}", part);
    std::vector<std::string> names;
    std::size_t at = 0;
    object::Dict& all = ops::python_module(interpreter, shown);
    while (const object::Dict::Entry* entry = all.next(at)) {
      if (const auto* name = entry->key.as<object::Str>()) names.emplace_back(name->view());
    }
    for (const std::string& name : names)
      show(shown, name, fmt::format("torch._C._{}", part), fmt::format("{}_{}", part, name));
  }
}

}  // namespace nns::python
