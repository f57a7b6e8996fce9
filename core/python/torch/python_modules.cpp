#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/python/eval/run.h"
#include "core/python/torch/parts.h"
#include "core/python/torch/sources.h"

namespace nns::python {
namespace {

struct SourceModule {
  std::string_view name;
  bool is_package;
  std::string_view text;
};
// The files of this folder that are written in Python.
std::vector<SourceModule> source_modules() {
  return {
#define NNS_SOURCE(name, is_package, text) {name, is_package, torch_sources::text},
#include "core/python/torch/sources.def"
#undef NNS_SOURCE
  };
}

// A name of a module that a program may use without importing what defines it. An empty `attribute`: the module itself.
struct LazyName {
  std::string_view module, name, source, attribute;
};
constexpr LazyName kLazyNames[] = {
    {"torch", "save", "torch.serialization", "save"},
    {"torch", "load", "torch.serialization", "load"},
    {"torch", "serialization", "torch.serialization", ""},
    {"torch", "storage", "torch.storage", ""},
    {"torch", "_utils", "torch._utils", ""},
    {"torch", "_tensor", "torch._tensor", ""},
    {"torch", "TypedStorage", "torch.storage", "TypedStorage"},
    {"torch", "FloatStorage", "torch.storage", "FloatStorage"},
    {"torch", "DoubleStorage", "torch.storage", "DoubleStorage"},
    {"torch", "HalfStorage", "torch.storage", "HalfStorage"},
    {"torch", "BFloat16Storage", "torch.storage", "BFloat16Storage"},
    {"torch", "LongStorage", "torch.storage", "LongStorage"},
    {"torch", "IntStorage", "torch.storage", "IntStorage"},
    {"torch", "ShortStorage", "torch.storage", "ShortStorage"},
    {"torch", "CharStorage", "torch.storage", "CharStorage"},
    {"torch", "ByteStorage", "torch.storage", "ByteStorage"},
    {"torch", "BoolStorage", "torch.storage", "BoolStorage"},
    {"torch", "ComplexFloatStorage", "torch.storage", "ComplexFloatStorage"},
    {"torch", "ComplexDoubleStorage", "torch.storage", "ComplexDoubleStorage"},
    {"torch", "QInt8Storage", "torch.storage", "QInt8Storage"},
    {"torch", "QUInt8Storage", "torch.storage", "QUInt8Storage"},
    {"torch", "QInt32Storage", "torch.storage", "QInt32Storage"},
    {"torch.utils", "data", "torch.utils.data", ""},
};

// Imports what has the name and keeps it, so that the next look finds it in the module.
PyResult<Value> lazy_attribute(Interpreter& in, std::string_view module, const Value& wanted) {
  const auto* name = wanted.as<object::Str>();
  const std::string_view text = name == nullptr ? std::string_view() : name->view();
  for (const LazyName& row : kLazyNames) {
    if (row.module != module || row.name != text) continue;
    NNS_TRY_ASSIGN(Value found, Machine::of(in).import_module(row.source, 0, nullptr));
    if (!row.attribute.empty()) {
      NNS_TRY_ASSIGN(found, object::getattr(in, found, in.intern(row.attribute)));
    }
    ops::python_module(in, module).set(in.intern(text), found);
    return found;
  }
  return object::attribute_error(in, "module '{}' has no attribute '{}'", module, text);
}

}  // namespace

void fill_lazy_names(Interpreter& in) {
  for (const std::string_view module : {"torch", "torch.utils"}) {
    const auto function =
        in.function("__getattr__(name)", [module](Interpreter& i, std::span<const Value> a) -> PyResult<Value> {
          return lazy_attribute(i, module, a[0]);
        });
    ops::python_module(in, module).set(in.names().dunder_getattr, Value(function));
  }
}

void add_python_modules(Machine& machine) {
  machine.add_finder([&machine](std::string_view name) -> PyResult<Value> {
    for (const SourceModule& source : source_modules()) {
      if (source.name != name) continue;
      return load_module(machine,
                         {source.name, source.is_package, fmt::format("<{}>", name), std::string(source.text)});
    }
    return Value::absent();
  });
}

}  // namespace nns::python
