// Methods of Tensor whose bodies are written in Python: module torch._methods.
#include "core/object/operations.h"
#include "core/ops/dispatch.h"
#include "core/ops/overrides.h"
#include "core/python/eval/machine.h"
#include "core/python/torch/parts.h"
#include "core/tensor/tensor.h"

namespace nns::python {
namespace {

constexpr std::string_view kPythonMethods[] = {
    "cauchy_",
    "geometric_",
    "log_normal_",
    "apply_",
    "map_",
    "map2_",
    "frexp",
    "histogram",
    "igamma",
    "igammac",
    "inner",
    "put_",
    "put",
    "renorm",
    "renorm_",
    "dim_order",
    "module_load",
    "float_power_",
    "unsafe_chunk",
    "unsafe_split",
    "chalf",
    "new_empty_strided",
    "nonzero_static",
    "record_stream",
    "smm",
    "sspaddmm",
    "align_as",
    "align_to",
    "refine_names",
    "rename",
    "rename_",
    "int_repr",
    "dequantize",
    "q_scale",
    "q_zero_point",
    "to_mkldnn",
    "to_padded_tensor",
};

}  // namespace

void fill_python_methods(Interpreter& interpreter) {
  Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  // Behaviour: torch/csrc/utils/tensor_new.cpp, base_tensor_ctor.
  cls.def_static("__new__(cls, *args, **kwargs)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value legacy, Machine::of(in).import_module("torch._legacy_tensors", 0, nullptr));
    NNS_TRY_ASSIGN(const Value function, object::getattr(in, legacy, in.intern("new_of_default_dtype")));
    const auto arguments = a[1].as<object::Tuple>()->items();
    NNS_TRY_ASSIGN(Value made,
                   in.call(function, {arguments.begin(), arguments.end()}, object::keywords_of(in, *a[2].as<Dict>())));
    Class& wanted = *a[0].as<Class>();
    NNS_TRY(ops::begin_dispatching(in, wanted));
    if (&wanted != tensor::TensorLibrary::of(in).tensor) ops::become(*made.as<tensor::Tensor>(), wanted);
    return made;
  });
  cls.def_static("_make_wrapper_subclass(*args, **kwargs)",
                 [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                   NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("torch._dispatch", 0, nullptr));
                   NNS_TRY_ASSIGN(const Value function, object::getattr(in, module, in.intern("make_wrapper")));
                   const auto given = a[0].as<object::Tuple>()->items();
                   return in.call(function, {given.begin(), given.end()}, object::keywords_of(in, *a[1].as<Dict>()));
                 });
  // Asked before there is the first tensor of a class with __torch_dispatch__.
  const auto load =
      interpreter.function("_load_dispatch()", [](Interpreter& in, std::span<const Value>) -> PyResult<Value> {
        return Machine::of(in).import_module("torch._dispatch", 0, nullptr);
      });
  ops::python_module(interpreter, "torch._C").set(interpreter.intern("_load_dispatch"), Value(load));
  for (const std::string_view method : kPythonMethods) {
    const std::string name(method);
    cls.def(name + "(self, *args, **kwargs)", [name](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("torch._methods", 0, nullptr));
      NNS_TRY_ASSIGN(const Value function, object::getattr(in, module, in.intern(name)));
      std::vector<Value> positional{a[0]};
      const auto rest = a[1].as<object::Tuple>()->items();
      positional.insert(positional.end(), rest.begin(), rest.end());
      return in.call(function, positional, object::keywords_of(in, *a[2].as<Dict>()));
    });
  }
}

}  // namespace nns::python
