#include "core/optim/tensor_steps.h"

namespace nns::optim {

PyResult<void> write(Interpreter& interpreter, OpId id, std::initializer_list<Value> args) {
  NNS_TRY(ops::call_in_place(interpreter, id, std::span<const Value>(args.begin(), args.size())));
  return {};
}

PyResult<void> add_to(Tensor& target, const Term& other, double alpha) {
  if (!other.ok()) return other.result().error();
  return write(target.interpreter(), OpId::add, {Value(&target), Value(other.ref()), Value(alpha)});
}

PyResult<double> item_of(const Term& term) {
  if (!term.ok()) return term.result().error();
  const Tensor& tensor = term.tensor();
  if (tensor.is_meta()) {
    return object::runtime_error(tensor.interpreter(), "Tensor.item() cannot be called on meta tensors");
  }
  return tensor::read_double(tensor, tensor.offset());
}

PyResult<Dict*> state_of(Optimizer& self, Tensor& param) {
  NNS_TRY_ASSIGN(Dict* const state, self.state());
  const Value key(&param);
  if (!state->contains(key)) state->set(key, Value(self.interpreter().dict()));
  if (Dict* own = state->find(key)->as<Dict>()) return own;
  return object::type_error(self.interpreter(), "the state of a parameter must be a dict");
}

PyResult<Ref<Tensor>> signed_sparse(Tensor& grad, bool maximize) {
  if (!maximize) return Ref<Tensor>(&grad);
  NNS_TRY_ASSIGN(Ref<Tensor> values, ops::neg(Term(grad.sparse()->values)).take());
  return ops::with_values(grad, std::move(values));
}

Ref<Tensor> make_scalar(Interpreter& interpreter, double value) {
  const bool is_double = tensor::TensorLibrary::of(interpreter).default_dtype == tensor::DType::Float64;
  return tensor::full(interpreter, {}, value, is_double ? tensor::DType::Float64 : tensor::DType::Float32);
}

}  // namespace nns::optim
