#include "core/autograd/python_api.h"

#include "core/object/operations.h"

namespace nns::autograd {

object::Class& add_python_class(Interpreter& interpreter, std::string_view module, std::string_view name,
                                std::vector<object::Class*> bases) {
  const object::Name key = interpreter.intern(name);
  object::Class& cls = interpreter.define_class({.name = key.view(), .module = module, .bases = std::move(bases)});
  ops::python_module(interpreter, module).set(key, Value(static_cast<object::Object*>(&cls)));
  return cls;
}

void add_python_function(Interpreter& interpreter, std::string_view module, std::string_view signature,
                         object::NativeBody body) {
  const object::Name name = interpreter.intern(signature.substr(0, signature.find('(')));
  ops::python_module(interpreter, module).set(name, Value(interpreter.function(signature, std::move(body))));
}

PyResult<std::vector<Ref<Tensor>>> tensors_of(Interpreter& interpreter, const Value& value, std::string_view what) {
  if (Tensor* const one = value.as<Tensor>()) return std::vector<Ref<Tensor>>{Ref<Tensor>(one)};
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(interpreter, value));
  std::vector<Ref<Tensor>> found;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Tensor* const one = items[i].as<Tensor>();
    if (one == nullptr) {
      return object::type_error(interpreter, "element {} of {} tuple is not a Tensor", i, what);
    }
    found.emplace_back(one);
  }
  return found;
}

}  // namespace nns::autograd
