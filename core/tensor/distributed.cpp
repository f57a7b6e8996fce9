#include "core/tensor/distributed.h"

#include <algorithm>

#include "core/object/operations.h"

namespace nns::tensor {

namespace {

const Value* method_of(const Tensor& tensor, std::string_view name) {
  return tensor.type().lookup(tensor.interpreter().intern(name));
}

// The first distributed tensor of an argument: itself, or an item of a list or tuple.
const Tensor* distributed_in(const Value& value) {
  std::span<const Value> items(&value, 1);
  if (const auto* tuple = value.as<object::Tuple>()) items = tuple->items();
  if (const auto* list = value.as<object::List>()) items = list->items();
  for (const Value& one : items) {
    const Tensor* const tensor = one.as<Tensor>();
    if (tensor != nullptr && is_distributed(*tensor)) return tensor;
  }
  return nullptr;
}

}  // namespace

bool is_distributed(const Tensor& tensor) {
  const TensorLibrary& library = TensorLibrary::of(tensor.interpreter());
  if (!library.any_sparse || &tensor.type() == library.tensor || &tensor.type() == library.parameter) [[likely]]
    return false;
  return method_of(tensor, "_call_distributed") != nullptr;
}

// Functions look for sparse tensors first, and only once there is one: the same sign makes them look for these.
void expect_distributed(Interpreter& interpreter) { TensorLibrary::of(interpreter).any_sparse = true; }

PyResult<Value> distributed_answer(Interpreter& interpreter, std::string_view function,
                                   const object::Arguments& arguments) {
  const Tensor* found = nullptr;
  for (const Value& one : arguments.positional) found = found == nullptr ? distributed_in(one) : found;
  for (const object::Keyword& one : arguments.keywords) found = found == nullptr ? distributed_in(one.value) : found;
  if (found == nullptr) return Value::absent();
  const Ref<object::Dict> keywords = interpreter.dict();
  for (const object::Keyword& one : arguments.keywords) keywords->set(one.name, one.value);
  const Value positional(interpreter.tuple({arguments.positional.begin(), arguments.positional.end()}));
  NNS_TRY_ASSIGN(const Value method, object::getattr(interpreter, Value(static_cast<object::Object*>(&found->type())),
                                                     interpreter.intern("_call_distributed")));
  NNS_TRY_ASSIGN(Value made, interpreter.call(method, {interpreter.text(function), positional, Value(keywords)}));
  return made.is(interpreter.not_implemented()) ? Value::absent() : made;
}

PyResult<Ref<Tensor>> distributed_norm(Interpreter& interpreter, const std::vector<Ref<Tensor>>& tensors,
                                       const Ref<Tensor>& here, double order) {
  const Value list(interpreter.list({tensors.begin(), tensors.end()}));
  NNS_TRY_ASSIGN(const Value method,
                 object::getattr(interpreter, Value(static_cast<object::Object*>(&tensors[0]->type())),
                                 interpreter.intern("_norm_distributed")));
  NNS_TRY_ASSIGN(const Value made, interpreter.call(method, {list, Value(here), Value(order)}));
  Tensor* const total = made.as<Tensor>();
  if (total == nullptr) return object::type_error(interpreter, "the norm of distributed tensors is no tensor");
  return Ref<Tensor>(total);
}

}  // namespace nns::tensor
