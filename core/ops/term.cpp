#include "core/ops/term.h"

#include "core/ops/argument_list.h"
#include "core/ops/promotion.h"

namespace nns::ops {

Term apply(OpId id, std::initializer_list<TermArgument> args) {
  ArgumentList values;
  Interpreter* interpreter = nullptr;
  for (const TermArgument& argument : args) {
    if (const Term* term = argument.term()) {
      if (!term->ok()) return *term;
      if (term->ref()) interpreter = &term->tensor().interpreter();
    }
    values.add(argument.value());
  }
  return call_tensor_op(*interpreter, id, values.span());
}

PyResult<Value> value_of(Term term) {
  NNS_TRY_ASSIGN(Ref<Tensor> made, std::move(term).take());
  return Value(std::move(made));
}

Term where(const Term& condition, const TermArgument& a, const TermArgument& b) {
  return apply(OpId::where, {condition, a, b});
}

// Whether ops are recorded or watched one by one.
static bool is_seen(Interpreter& interpreter) {
  const OpLibrary& library = OpLibrary::of(interpreter);
  return library.grad_mode.is_enabled || library.observer != nullptr;
}

Term sum_to(const Term& term, const Dims& shape) {
  if (!term.ok() || term.is_none() || term.tensor().shape() == shape) return term;
  const Tensor& tensor = term.tensor();
  if (tensor.ndim() < shape.size()) return apply(OpId::expand, {term, dims_value(tensor.interpreter(), shape)});
  const std::size_t extra = tensor.ndim() - shape.size();
  std::vector<std::int64_t> summed;
  for (std::size_t dim = 0; dim < tensor.ndim(); ++dim) {
    const bool was_spread = dim >= extra && shape[dim - extra] == 1 && tensor.shape()[dim] != 1;
    if (dim < extra || was_spread) summed.push_back(static_cast<std::int64_t>(dim));
  }
  Term sum = term;
  if (extra > 0 && summed.size() == extra && !is_seen(tensor.interpreter())) {
    // Nothing but dimensions in front goes: they need not be kept and left out by a view.
    sum = apply(OpId::sum_dim, {term, dims_value(tensor.interpreter(), Dims(summed)), false});
    if (!sum.ok() || sum.tensor().shape() == shape) return sum;
    return apply(OpId::expand, {sum, dims_value(tensor.interpreter(), shape)});
  }
  if (!summed.empty()) sum = apply(OpId::sum_dim, {term, dims_value(tensor.interpreter(), Dims(summed)), true});
  // A gradient that was given for fewer items (of an expanded input) is spread.
  if (!sum.ok()) return sum;
  if (extra > 0) {
    std::vector<std::int64_t> kept(sum.tensor().shape().begin() + extra, sum.tensor().shape().end());
    sum = apply(OpId::view, {sum, dims_value(tensor.interpreter(), Dims(kept))});
  }
  if (sum.ok() && !(sum.tensor().shape() == shape))
    sum = apply(OpId::expand, {sum, dims_value(tensor.interpreter(), shape)});
  return sum;
}

Term zeros_like(const Term& term, const Dims& shape) {
  if (!term.ok() || term.is_none()) return term;
  const Tensor& like = term.tensor();
  return tensor::zeros(like.interpreter(), shape, like.dtype(), like.device());
}

Term as_dtype(const Term& term, DType dtype) {
  if (!term.ok() || term.is_none() || term.tensor().dtype() == dtype) return term;
  Interpreter& interpreter = term.tensor().interpreter();
  if (tensor::is_complex(term.tensor().dtype()) && !tensor::is_complex(dtype)) {
    return as_dtype(apply(OpId::real, {term}), dtype);
  }
  return apply(OpId::to_dtype, {term, tensor::TensorLibrary::of(interpreter).dtype_value(dtype)});
}

Value dims_value(Interpreter& interpreter, const Dims& dims) {
  std::vector<Value> items(dims.begin(), dims.end());
  return interpreter.tuple(std::move(items));
}

}  // namespace nns::ops
