#include "core/nn/functional.h"
#include "core/object/operations.h"

// Behaviour: torch/nn/functional.py, embedding, embedding_bag and one_hot.
namespace nns::nn {
namespace {

using ops::OpId;
using tensor::Dims;
using tensor::DType;

// Rows that are named and longer than max_norm are made that long, in place and without a record.
PyResult<void> renormalize(FunctionCall& call, const Value& weight, const Value& input, const Value& max_norm,
                           const Value& norm_type) {
  if (weight.as<Tensor>()->is_meta()) return {};
  const ops::GradModeGuard no_grad(call.interpreter, false);
  NNS_TRY(ops::call_in_place(call.interpreter, OpId::embedding_renorm, std::array{weight, input, max_norm, norm_type}));
  return {};
}

PyResult<Value> embedding(FunctionCall& call) {
  const Tensor& weight = call.required(1);
  std::int64_t padding = -1;
  if (!call.is_none(2)) {
    padding = call.integer(2);
    const std::int64_t rows = weight.ndim() > 0 ? weight.shape()[0] : 0;
    if ((padding > 0 && padding >= rows) || padding < -rows) {
      return object::make_error(call.interpreter, object::ErrorKind::AssertionError,
                                "Padding_idx must be within num_embeddings");
    }
    if (padding < 0) padding += rows;
  }
  if (!call.is_none(3)) NNS_TRY(renormalize(call, call.args[1], call.args[0], call.args[3], call.args[4]));
  return ops::call_op(call.interpreter, OpId::embedding,
                      {call.args[1], call.args[0], Value(padding), call.args[5], call.args[6]});
}

// 0, step, 2 step, ...: where the bags of a batch of equal ones begin.
Ref<Tensor> starts(Interpreter& in, std::int64_t count, std::int64_t step, DType dtype) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i * step));
  return tensor::from_values(in, Dims({count}), values, dtype);
}

// input 0, weight 1, offsets 2, max_norm 3, norm_type 4, scale_grad_by_freq 5, mode 6, sparse 7, per_sample_weights 8,
// include_last_offset 9, padding_idx 10.
PyResult<Value> embedding_bag(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  Value input = call.args[0], weight = call.args[1], offsets = call.args[2], scale = call.args[8];
  if (call.required(1).dtype() == DType::Int64 && tensor::is_floating(call.required(0).dtype())) {
    in.warn(object::ErrorKind::UserWarning,
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.");
    std::swap(input, weight);
  }
  const Tensor& indices = *input.as<Tensor>();
  if (Tensor* const given = call.tensor(8); given != nullptr && !(given->shape() == indices.shape())) {
    return object::value_error(
        in,
        "embedding_bag: If per_sample_weights ({}) is not None, then it must have the same shape "
        "as the input ({})",
        tensor::size_text(given->shape()), tensor::size_text(indices.shape()));
  }
  if (indices.ndim() == 2) {
    if (!offsets.is_none()) {
      return object::value_error(in,
                                 "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
                                 "fixed length sequences. However, found offsets of type {}",
                                 object::class_repr(in.type_of(offsets)));
    }
    offsets = Value(starts(in, indices.shape()[1] == 0 ? 0 : indices.shape()[0], indices.shape()[1], indices.dtype()));
    const Value flat = ops::dims_value(in, Dims({-1}));
    NNS_TRY_ASSIGN(input, ops::call_op(in, OpId::reshape, {input, flat}));
    if (!scale.is_none()) {
      NNS_TRY_ASSIGN(scale, ops::call_op(in, OpId::reshape, {scale, flat}));
    }
  } else if (indices.ndim() == 1) {
    if (offsets.is_none()) return object::value_error(in, "offsets has to be a 1D Tensor but got None");
    if (offsets.as<Tensor>()->ndim() != 1) return object::value_error(in, "offsets has to be a 1D Tensor");
  } else {
    return object::value_error(in, "input has to be 1D or 2D Tensor, but got Tensor of dimension {}", indices.ndim());
  }
  const std::string_view word = call.text(6);
  if (word != "sum" && word != "mean" && word != "max") {
    return object::value_error(in, "mode has to be one of sum, mean or max");
  }
  const int mode = word == "sum" ? 0 : word == "mean" ? 1 : 2;
  if (mode == 2 && call.flag(5)) {
    return object::value_error(in, "max mode does not support scaling the gradient by the frequency");
  }
  if (mode == 2 && call.flag(7)) return object::value_error(in, "max mode does not support sparse weights");
  if (!call.is_none(3)) NNS_TRY(renormalize(call, weight, input, call.args[3], call.args[4]));
  if (!scale.is_none() && mode != 0) {
    return object::error<object::ErrorKind::NotImplementedError>(
        in,
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
        "mode='{}'). Please open a feature request on GitHub.",
        word);
  }
  Value padding = call.args[10];
  const std::int64_t rows = weight.as<Tensor>()->shape()[0];
  if (padding.is_int()) {
    if (padding.as_int() < -rows || padding.as_int() >= rows) {
      return object::runtime_error(in,
                                   "padding_idx must be within the number of embeddings, -{} through {}, but got {}",
                                   rows, rows - 1, padding.as_int());
    }
    if (padding.as_int() < 0) padding = Value(padding.as_int() + rows);
  }
  NNS_TRY_ASSIGN(const Value made, ops::call_op(in, OpId::embedding_bag,
                                                {weight, input, offsets, call.args[5], Value(mode), call.args[7], scale,
                                                 call.args[9], padding}));
  return (*made.as<object::Tuple>())[0];
}

constexpr FunctionRow kEmbeddingRows[] = {
    {"embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)",
     "TTjnNbb", embedding},
    {"embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode='mean', "
     "sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None)",
     "TTtnNbsbtbj", embedding_bag},
    {"one_hot(tensor, num_classes=-1)", "Ti",
     [](FunctionCall& call) { return ops::call_op(call.interpreter, OpId::one_hot, call.args); }},
};

}  // namespace

std::span<const FunctionRow> embedding_functions() { return kEmbeddingRows; }

}  // namespace nns::nn
