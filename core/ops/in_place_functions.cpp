#include <vector>

#include "core/ops/made_functions.h"
#include "core/ops/python_function.h"

// Functions of torch that write into their first argument: what the method of that name does.
// Behaviour: aten/src/ATen/native/native_functions.yaml, the variants of such ops.
namespace nns::ops {
namespace {

constexpr std::string_view kWritingFirst[] = {
    "abs_",        "absolute_", "addmv_",     "arccos_",    "arccosh_", "arcsin_", "arcsinh_",  "arctan_",
    "as_strided_", "arctanh_",  "clamp_max_", "clamp_min_", "clip_",    "fix_",    "negative_", "resize_as_"};

}  // namespace

void add_in_place_functions(Interpreter& interpreter) {
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  object::Dict& torch = python_module(interpreter, "torch");
  for (const std::string_view name : kWritingFirst) {
    const object::Name key = interpreter.intern(name);
    const Value* const found = cls.attributes_for_reading().find(key);
    const auto* const method = found == nullptr ? nullptr : found->as<PythonFunction>();
    if (method == nullptr || torch.find(key) != nullptr) continue;
    auto made = object::make<PythonFunction>(interpreter, method->name(), PythonFunction::Form::Function);
    for (const Overload& overload : method->overloads()) {
      const auto given = overload.signature.parameters();
      std::vector<PythonParameter> parameters(given.begin(), given.end());
      parameters[0].name = interpreter.intern("input");
      made->add({PythonSignature(interpreter, method->name(), std::move(parameters), false), overload.body});
    }
    torch.set(key, Value(std::move(made)));
  }
}

}  // namespace nns::ops
