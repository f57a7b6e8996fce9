#include "core/tensor/stand_ins.h"

#include "core/object/numbers.h"
#include "core/object/operations.h"

namespace nns::tensor {
namespace {

bool is_number(const Value& value) {
  return value.is_float() || value.is_int() || value.is_bool() || value.as<object::Complex>() != nullptr;
}

// Whether a value can be of a class that a program wrote.
bool may_stand(const Value& value) {
  return value.is_object() && value.as<Tensor>() == nullptr && value.as<object::List>() == nullptr &&
         value.as<object::Tuple>() == nullptr && value.as<object::Str>() == nullptr;
}

}  // namespace

bool stands_for_number(Interpreter& interpreter, const Value& value) {
  if (!may_stand(value)) return false;
  if (const auto* number = value.as<object::Number>()) return is_number(number->plain());
  return interpreter.type_of(value).lookup(interpreter.intern("__torch_number__")) != nullptr;
}

PyResult<Value> plain_operand(Interpreter& interpreter, const Value& value) {
  if (!may_stand(value)) return value;
  if (const auto* number = value.as<object::Number>(); number != nullptr && is_number(number->plain())) {
    return number->plain();
  }
  const object::Class& cls = interpreter.type_of(value);
  for (const bool of_number : {true, false}) {
    const std::string_view method = of_number ? "__torch_number__" : "__torch_tensor__";
    const object::Name name = interpreter.intern(method);
    if (cls.lookup(name) == nullptr) continue;
    NNS_TRY_ASSIGN(Value plain, interpreter.call_special(value, name));
    if (of_number ? !is_number(plain) : plain.as<Tensor>() == nullptr) {
      return object::type_error(interpreter, "{}() must give a {}, not {}", method, of_number ? "number" : "tensor",
                                object::type_name_of(interpreter, plain));
    }
    return plain;
  }
  return value;
}

}  // namespace nns::tensor
