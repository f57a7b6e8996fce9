// How what torch defines in C++ is taken apart for pickles; the bodies are in torch/_tensor.py.
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/python/torch/parts.h"
#include "core/tensor/tensor.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

// cls.<signature> is torch._tensor.<function>.
void add(Class& cls, std::string_view signature, std::string_view function) {
  cls.def(signature, [function](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("torch._tensor", 0, nullptr));
    return in.call_method(module, in.intern(function), a);
  });
}

}  // namespace

void fill_reductions(Interpreter& interpreter) {
  const auto& library = tensor::TensorLibrary::of(interpreter);
  add(*library.tensor, "__reduce_ex__(self, proto)", "_reduce_tensor");
  add(*library.tensor, "__setstate__(self, state)", "_set_tensor_state");
  add(*library.parameter, "__reduce_ex__(self, proto)", "_reduce_parameter");
  add(*library.size, "__reduce__(self)", "_reduce_size");
  add(*library.dtype, "__reduce__(self)", "_reduce_dtype");
  add(*library.device, "__reduce__(self)", "_reduce_device");
  add(*library.layout, "__reduce__(self)", "_reduce_layout");
  add(*library.storage, "__reduce__(self)", "_reduce_storage");
  Dict& parameters = ops::python_module(interpreter, "torch.nn.parameter");
  for (const std::string_view name : {"UninitializedParameter", "UninitializedBuffer"}) {
    const Value* found = parameters.find(interpreter.intern(name));
    if (Class* cls = found == nullptr ? nullptr : found->as<Class>()) {
      add(*cls, "__reduce_ex__(self, proto)", "_reduce_uninitialized");
    }
  }
  const Value* generator = ops::python_module(interpreter, "torch").find(interpreter.intern("Generator"));
  if (Class* cls = generator == nullptr ? nullptr : generator->as<Class>()) {
    // Where the class says that it comes from.
    ops::python_module(interpreter, "torch._C").set(interpreter.intern("Generator"), Value(*generator));
    add(*cls, "__reduce__(self)", "_reduce_generator");
    add(*cls, "__setstate__(self, state)", "_set_generator_state");
  }
}

}  // namespace nns::python
