#include "core/ops/op.h"

// The overloads of var and std, alone and with the mean. Behaviour: aten/src/ATen/native/ReduceOps.cpp.
namespace nns::ops {
namespace {

// The older overloads say whether the sum of squares is divided by one less than the number of items.
Value correction_of(bool unbiased) { return Value(unbiased ? 1 : 0); }

// (input, dim, unbiased, keepdim)
template <OpId of>
OpBodies by_dim() {
  return {.composite = [](OpCall& call) {
    return call_op(call.interpreter, of, {call.args[0], call.args[1], correction_of(call.flag(2)), call.args[3]});
  }};
}
// (input, unbiased)
template <OpId of>
OpBodies of_all() {
  return {.composite = [](OpCall& call) {
    return call_op(call.interpreter, of, {call.args[0], Value(), correction_of(call.flag(1)), Value(false)});
  }};
}
// (input, dim, correction, keepdim)
template <OpId of>
OpBodies with_mean() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    Interpreter& in = call.interpreter;
    NNS_TRY_ASSIGN(Value spread, call_op(in, of, {call.args[0], call.args[1], call.args[2], call.args[3]}));
    NNS_TRY_ASSIGN(Value mean, call_op(in, OpId::mean_dim, {call.args[0], call.args[1], call.args[3]}));
    return Value(in.tuple({std::move(spread), std::move(mean)}));
  }};
}

}  // namespace

template <>
OpBodies bodies<OpId::var_dim>() {
  return by_dim<OpId::var>();
}
template <>
OpBodies bodies<OpId::var_unbiased>() {
  return of_all<OpId::var>();
}
template <>
OpBodies bodies<OpId::std_dim>() {
  return by_dim<OpId::std>();
}
template <>
OpBodies bodies<OpId::std_unbiased>() {
  return of_all<OpId::std>();
}
template <>
OpBodies bodies<OpId::var_mean>() {
  return with_mean<OpId::var>();
}
template <>
OpBodies bodies<OpId::var_mean_dim>() {
  return by_dim<OpId::var_mean>();
}
template <>
OpBodies bodies<OpId::var_mean_unbiased>() {
  return of_all<OpId::var_mean>();
}
template <>
OpBodies bodies<OpId::std_mean>() {
  return with_mean<OpId::std>();
}
template <>
OpBodies bodies<OpId::std_mean_dim>() {
  return by_dim<OpId::std_mean>();
}
template <>
OpBodies bodies<OpId::std_mean_unbiased>() {
  return of_all<OpId::std_mean>();
}

}  // namespace nns::ops
