#include <fmt/format.h>

#include "core/nn/functional.h"

// Behaviour: torch/nn/functional.py, from threshold to silu.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;

// An op of the input alone.
template <OpId id>
PyResult<Value> plain(FunctionCall& call) {
  return ops::call_op(call.interpreter, id, {call.args[0]});
}
// The same; the second argument says whether it is in place.
template <OpId id>
PyResult<Value> plain_or_in_place(FunctionCall& call) {
  return maybe_in_place(call, call.flag(1), id, {call.args[0]});
}
// The same with a number between.
template <OpId id>
PyResult<Value> with_number(FunctionCall& call) {
  return maybe_in_place(call, call.flag(2), id, {call.args[0], call.args[1]});
}

// relu_ and its like: all arguments are the op's.
template <OpId id>
PyResult<Value> in_place(FunctionCall& call) {
  return maybe_in_place(call, true, id, call.args);
}

PyResult<Value> hardtanh(FunctionCall& call) {
  if (call.real(1) > call.real(2)) {
    return object::value_error(call.interpreter, "min_val cannot be greater than max_val");
  }
  return maybe_in_place(call, call.flag(3), OpId::hardtanh, call.args.first(3));
}

PyResult<Value> celu(FunctionCall& call) {
  if (call.real(1) == 0) {
    return object::runtime_error(call.interpreter, "ZeroDivisionError: alpha cannot be 0 for CELU");
  }
  return with_number<OpId::celu>(call);
}

PyResult<Value> glu(FunctionCall& call) {
  if (call.required(0).ndim() == 0) {
    return object::runtime_error(call.interpreter, "glu does not support scalars because halving size must be even");
  }
  return ops::call_op(call.interpreter, OpId::glu, call.args);
}

// In training each negative item gets a slope of its own, else all the mean one.
PyResult<Value> rrelu(FunctionCall& call) {
  const double low = call.real(1), high = call.real(2);
  if (!call.flag(3)) {
    return maybe_in_place(call, call.flag(4), OpId::leaky_relu, {call.args[0], Value((low + high) / 2)});
  }
  NNS_TRY_ASSIGN(const Value pair,
                 ops::call_op(call.interpreter, OpId::rrelu_with_noise, {call.args[0], call.args[1], call.args[2]}));
  const Value made = (*pair.as<object::Tuple>())[0];
  if (!call.flag(4)) return made;
  return maybe_in_place(call, true, OpId::copy, {call.args[0], made});
}

// Behaviour: _get_softmax_dim.
Value softmax_dim(FunctionCall& call) {
  if (!call.is_none(1)) return call.args[1];
  call.interpreter.warn(object::ErrorKind::UserWarning,
                        fmt::format("Implicit dimension choice for {} has been deprecated. Change the call to include "
                                    "dim=X as an argument.",
                                    call.name));
  const std::size_t ndim = call.required(0).ndim();
  return Value(ndim == 0 || ndim == 1 || ndim == 3 ? 0 : 1);
}

template <OpId id, bool negates>
PyResult<Value> softmax_of(FunctionCall& call) {
  const Value dim = softmax_dim(call);
  Value x = call.args[0];
  if (negates) {
    NNS_TRY_ASSIGN(x, ops::call_op(call.interpreter, OpId::neg, {x}));
  }
  if (call.is_none(3)) return ops::call_op(call.interpreter, id, {x, dim});
  NNS_TRY(tensor::dtype_of(call.interpreter, call.args[3]));
  return ops::call_op(call.interpreter, id, {x, dim, call.args[3]});
}

// Behaviour: gumbel_softmax: with `hard` the value is one-hot and the gradient that of the soft one.
PyResult<Value> gumbel_softmax(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  if (call.real(3) != 1e-10) {
    in.warn(object::ErrorKind::UserWarning, "`eps` parameter is deprecated and has no effect.");
  }
  const Tensor& logits = call.required(0);
  const Ref<Tensor> noise = tensor::empty(in, logits.shape(), logits.dtype(), logits.device());
  tensor::exponential_(*noise, tensor::TensorLibrary::of(in).generator, 1);
  const Term gumbels = (call.term(0) - ops::log(Term(noise))) / ops::TermArgument(call.args[1]);
  const Term soft = ops::apply(OpId::softmax, {gumbels, call.args[4]});
  if (!call.flag(2)) return ops::value_of(soft);
  if (!soft.ok()) return soft.result().error();
  NNS_TRY_ASSIGN(const Value largest, ops::call_op(in, OpId::max_dim, {Value(soft.ref()), call.args[4], Value(true)}));
  const Term index(Ref<Tensor>((*largest.as<object::Tuple>())[1].as<Tensor>()));
  const Term zeros = ops::zeros_like(soft, soft.tensor().shape());
  const Term ones(tensor::ones(in, index.tensor().shape(), logits.dtype(), logits.device()));
  const Term hard = ops::apply(OpId::scatter, {zeros, call.args[4], index, ones});
  return ops::value_of(hard - Term(tensor::detach(soft.tensor())) + soft);
}

constexpr FunctionRow kRows[] = {
    {"threshold(input, threshold, value, inplace=False)", "TNNb",
     [](FunctionCall& call) { return maybe_in_place(call, call.flag(3), OpId::threshold, call.args.first(3)); }},
    {"relu(input, inplace=False)", "Tb", plain_or_in_place<OpId::relu>},
    {"glu(input, dim=-1)", "Ti", glu},
    {"hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False)", "TNNb", hardtanh},
    {"relu6(input, inplace=False)", "Tb",
     [](FunctionCall& call) {
       return maybe_in_place(call, call.flag(1), OpId::hardtanh, {call.args[0], Value(0), Value(6)});
     }},
    {"elu(input, alpha=1.0, inplace=False)", "TNb", with_number<OpId::elu>},
    {"selu(input, inplace=False)", "Tb", plain_or_in_place<OpId::selu>},
    {"celu(input, alpha=1.0, inplace=False)", "TNb", celu},
    {"leaky_relu(input, negative_slope=0.01, inplace=False)", "TNb", with_number<OpId::leaky_relu>},
    {"prelu(input, weight)", "TT",
     [](FunctionCall& call) { return ops::call_op(call.interpreter, OpId::prelu, call.args); }},
    {"rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False)", "TNNbb", rrelu},
    {"logsigmoid(input)", "T", plain<OpId::logsigmoid>},
    {"gelu(input, approximate='none')", "Ts",
     [](FunctionCall& call) -> PyResult<Value> {
       if (call.text(1) != "none" && call.text(1) != "tanh") {
         return object::runtime_error(call.interpreter, "approximate argument must be either none or tanh.");
       }
       return ops::call_op(call.interpreter, OpId::gelu, call.args);
     }},
    {"hardshrink(input, lambd=0.5)", "TN",
     [](FunctionCall& call) { return ops::call_op(call.interpreter, OpId::hardshrink, call.args); }},
    {"tanhshrink(input)", "T",
     [](FunctionCall& call) { return ops::value_of(call.term(0) - ops::tanh(call.term(0))); }},
    {"softsign(input)", "T", plain<OpId::softsign>},
    {"softplus(input, beta=1.0, threshold=20.0)", "TNN",
     [](FunctionCall& call) { return ops::call_op(call.interpreter, OpId::softplus, call.args); }},
    {"softmin(input, dim=None, _stacklevel=3, dtype=None)", "Tji.", softmax_of<OpId::softmax, true>},
    {"softmax(input, dim=None, _stacklevel=3, dtype=None)", "Tji.", softmax_of<OpId::softmax, false>},
    {"gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1)", "TNbfi", gumbel_softmax},
    {"log_softmax(input, dim=None, _stacklevel=3, dtype=None)", "Tji.", softmax_of<OpId::log_softmax, false>},
    {"softshrink(input, lambd=0.5)", "TN",
     [](FunctionCall& call) { return ops::call_op(call.interpreter, OpId::softshrink, call.args); }},
    {"tanh(input)", "T", plain<OpId::tanh>},
    {"sigmoid(input)", "T", plain<OpId::sigmoid>},
    {"hardsigmoid(input, inplace=False)", "Tb", plain_or_in_place<OpId::hardsigmoid>},
    {"silu(input, inplace=False)", "Tb", plain_or_in_place<OpId::silu>},
    {"mish(input, inplace=False)", "Tb", plain_or_in_place<OpId::mish>},
    {"hardswish(input, inplace=False)", "Tb", plain_or_in_place<OpId::hardswish>},
    {"threshold_(input, threshold, value)", "TNN", in_place<OpId::threshold>},
    {"relu_(input)", "T", in_place<OpId::relu>},
    {"hardtanh_(input, min_val=-1.0, max_val=1.0)", "TNN", in_place<OpId::hardtanh>},
    {"elu_(input, alpha=1.0)", "TN", in_place<OpId::elu>},
    {"selu_(input)", "T", in_place<OpId::selu>},
    {"celu_(input, alpha=1.0)", "TN", in_place<OpId::celu>},
    {"leaky_relu_(input, negative_slope=0.01)", "TN", in_place<OpId::leaky_relu>},
    {"rrelu_(input, lower=0.125, upper=0.3333333333333333, training=False)", "TNNb",
     [](FunctionCall& call) {
       return call_functional(call.interpreter, "rrelu",
                              {call.args[0], call.args[1], call.args[2], call.args[3], Value(true)});
     }},
};

}  // namespace

std::span<const FunctionRow> activation_functions() { return kRows; }

}  // namespace nns::nn
