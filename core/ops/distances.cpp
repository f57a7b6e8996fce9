#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"

// Norms of differences and of parts of a weight, made of norm.
// Behaviour: aten/src/ATen/native/{Distance,WeightNorm}.cpp.
namespace nns::ops {
namespace {

// x1 (..., P, M), x2 (..., R, M): (..., P, R).
PyResult<Value> cdist(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor &a = call.required(0), &b = call.required(1);
  for (const Tensor* one : {&a, &b}) {
    if (one->ndim() < 2) {
      return object::runtime_error(in, "cdist only supports at least 2D tensors, X{} got: {}D", one == &a ? 1 : 2,
                                   one->ndim());
    }
    if (!tensor::is_floating(one->dtype())) {
      return object::runtime_error(in, "cdist only supports floating-point dtypes, X{} got: {}", one == &a ? 1 : 2,
                                   tensor::info(one->dtype()).scalar_name);
    }
  }
  const std::int64_t width = a.shape()[a.ndim() - 1], other = b.shape()[b.ndim() - 1];
  if (width != other) {
    return object::runtime_error(in, "X1 and X2 must have the same number of columns. X1: {} X2: {}", width, other);
  }
  if (call.real(2) < 0) return object::runtime_error(in, "cdist only supports non-negative p values");
  const Term left = apply(OpId::unsqueeze, {Term(Ref<Tensor>(call.tensor(0))), -2});
  const Term right = apply(OpId::unsqueeze, {Term(Ref<Tensor>(call.tensor(1))), -3});
  return value_of(apply(OpId::norm, {left - right, TermArgument(call.args[2]), dims_value(in, Dims({-1}))}));
}

// The norm over all dimensions but one, which stay with the size 1; over all of them where `dim` is -1.
Term norm_except(Interpreter& in, const Term& v, const Value& p, std::int64_t dim) {
  if (dim == -1) return apply(OpId::norm, {v, p});
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i < v.tensor().ndim(); ++i) {
    if (i != wrapped(dim, v.tensor().ndim())) others.push_back(static_cast<std::int64_t>(i));
  }
  if (others.empty()) return apply(OpId::abs, {v});
  return apply(OpId::norm, {v, p, dims_value(in, Dims(others)), true});
}

}  // namespace

template <>
OpBodies bodies<OpId::cdist>() {
  return {.composite = cdist};
}
template <>
OpBodies bodies<OpId::norm_except_dim>() {
  return {.composite = [](OpCall& call) {
    return value_of(norm_except(call.interpreter, Term(Ref<Tensor>(call.tensor(0))), call.args[1], call.integer(2)));
  }};
}
template <>
OpBodies bodies<OpId::weight_norm>() {
  return {.composite = [](OpCall& call) {
    const Term v(Ref<Tensor>(call.tensor(0))), g(Ref<Tensor>(call.tensor(1)));
    return value_of(v * (g / norm_except(call.interpreter, v, Value(2), call.integer(2))));
  }};
}

}  // namespace nns::ops
