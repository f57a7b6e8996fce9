#include <fmt/ranges.h>

#include "core/nn/functional.h"
#include "core/ops/promotion.h"

// Behaviour: torch/nn/functional.py, linear, bilinear, cosine_similarity and pairwise_distance;
// aten/src/ATen/native/{Linear,Distance}.cpp.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

PyResult<Value> linear(FunctionCall& call) { return ops::call_op(call.interpreter, OpId::linear, call.args); }

// out[..., o] = sum over i, j of x1[..., i] weight[o, i, j] x2[..., j].
PyResult<Value> bilinear(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& x1 = call.required(0);
  const Tensor& x2 = call.required(1);
  const Tensor& weight = call.required(2);
  if (x1.ndim() != x2.ndim()) {
    return object::runtime_error(in, "bilinear(): input dimensions do not match: got {} and {}", x1.ndim(), x2.ndim());
  }
  if (weight.ndim() != 3 || x1.ndim() == 0) {
    return object::runtime_error(in,
                                 "bilinear(): expected a weight of 3 dimensions and inputs of at least 1, but got "
                                 "{} and {}",
                                 weight.ndim(), x1.ndim());
  }
  const std::size_t last = x1.ndim() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    if (x1.shape()[i] == x2.shape()[i]) continue;
    return object::runtime_error(in, "bilinear(): input batch dimensions do not match at dim {}: got {} and {}", i,
                                 x1.shape()[i], x2.shape()[i]);
  }
  const std::int64_t sizes[] = {x1.shape()[last], x2.shape()[last]};
  for (std::size_t i = 0; i < 2; ++i) {
    if (sizes[i] == weight.shape()[i + 1]) continue;
    return object::runtime_error(in, "bilinear(): input{0} size does not match weight size: got {1} but expected {2}",
                                 i + 1, sizes[i], weight.shape()[i + 1]);
  }
  const std::int64_t made = weight.shape()[0];
  if (call.tensor(3) != nullptr && call.tensor(3)->shape()[0] != made) {
    return object::runtime_error(in, "bilinear(): bias size does not match weight size: got {} but expected {}",
                                 call.tensor(3)->shape()[0], made);
  }
  const auto shaped = [&](const Term& x, const Dims& shape) {
    return ops::apply(OpId::reshape, {x, ops::dims_value(in, shape)});
  };
  const std::int64_t rows = sizes[0] == 0 ? 0 : x1.numel() / sizes[0];
  const Term turned = ops::apply(OpId::permute, {call.term(2), ops::dims_value(in, Dims({1, 0, 2}))});
  const Term products =
      ops::matmul(shaped(call.term(0), Dims({rows, sizes[0]})), shaped(turned, Dims({sizes[0], made * sizes[1]})));
  Term sum = ops::apply(
      OpId::bmm, {shaped(products, Dims({rows, made, sizes[1]})), shaped(call.term(1), Dims({rows, sizes[1], 1}))});
  Dims shape = x1.shape();
  shape[last] = made;
  sum = shaped(sum, shape);
  if (call.tensor(3) != nullptr) sum = sum + call.term(3);
  return ops::value_of(sum);
}

// Each vector is divided by its length, or by `eps` if it is shorter.
PyResult<Value> cosine_similarity(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const tensor::DType dtype, ops::promote_types(in, call.required(0).dtype(), call.required(1).dtype()));
  if (!tensor::is_differentiable(dtype)) {
    return object::runtime_error(in, "expected common dtype to be floating point, yet common dtype is {}",
                                 tensor::info(dtype).scalar_name);
  }
  NNS_TRY_ASSIGN(const Dims shape, ops::broadcast_shapes(in, call.required(0).shape(), call.required(1).shape()));
  const Value dims = ops::dims_value(in, Dims({call.integer(2)}));
  const auto unit = [&](std::size_t i) {
    const Term x = ops::apply(OpId::expand, {ops::as_dtype(call.term(i), dtype), ops::dims_value(in, shape)});
    Term length = ops::apply(OpId::norm, {x, 2, ops::TermArgument(dims), true});
    // The bound takes no part in the gradient.
    if (!length.ok()) return length;
    const Term least =
        ops::apply(OpId::clamp, {Term(tensor::detach(length.tensor())), ops::TermArgument(call.args[3])});
    return x / (length + (least - Term(tensor::detach(length.tensor()))));
  };
  return ops::value_of(ops::apply(OpId::sum_dim, {unit(0) * unit(1), ops::TermArgument(dims)}));
}

PyResult<Value> pairwise_distance(FunctionCall& call) {
  const Term difference = call.term(0) - call.term(1) + ops::TermArgument(call.args[3]);
  return ops::value_of(
      ops::apply(OpId::norm, {difference, ops::TermArgument(call.args[2]),
                              ops::dims_value(call.interpreter, Dims({-1})), ops::TermArgument(call.args[4])}));
}

constexpr FunctionRow kLinearRows[] = {
    {"linear(input, weight, bias=None)", "TTt", linear},
    {"bilinear(input1, input2, weight, bias=None)", "TTTt", bilinear},
    {"cosine_similarity(x1, x2, dim=1, eps=1e-08)", "TTif", cosine_similarity},
    {"pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False)", "TTffb", pairwise_distance},
};

}  // namespace

std::span<const FunctionRow> linear_functions() { return kLinearRows; }

}  // namespace nns::nn
