#include <fmt/format.h>

#include "core/nn/arguments.h"
#include "core/nn/functional.h"
#include "core/object/operations.h"

// Losses of one comparison; what compares with margins and distances is in functional_margin_loss.cpp.
// Behaviour: torch/nn/functional.py and torch/nn/_reduction.py.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

std::string size_of(const FunctionCall& call, std::size_t i) { return tensor::size_text(call.required(i).shape()); }

// The reduction of a loss whose size_average, reduce and reduction are parameters number `first` and behind it.
PyResult<Value> reduction_number(FunctionCall& call, std::size_t size_average, std::size_t reduce,
                                 std::size_t reduction) {
  NNS_TRY_ASSIGN(const Value text,
                 legacy_reduction(call.interpreter, call.args[size_average], call.args[reduce], call.args[reduction]));
  NNS_TRY_ASSIGN(const Reduction chosen, reduction_of(call.interpreter, text));
  return Value(static_cast<std::int64_t>(chosen));
}

void warn_of_broadcasting(FunctionCall& call) {
  if (call.required(0).shape() == call.required(1).shape()) return;
  call.interpreter.warn(
      object::ErrorKind::UserWarning,
      fmt::format("Using a target size ({}) that is different to the input size ({}). This will likely lead to "
                  "incorrect results due to broadcasting. Please ensure they have the same size.",
                  size_of(call, 1), size_of(call, 0)));
}

// Behaviour: what mse_loss, l1_loss and huber_loss do with `weight`: a mean is divided by the sum of the weights.
PyResult<Value> weighted(FunctionCall& call, const Term& each, std::size_t weight, const Value& reduction) {
  if (!(call.required(weight).shape() == call.required(0).shape())) {
    return object::value_error(call.interpreter, "Weights and input must have the same size.");
  }
  const Term losses = each * call.term(weight);
  switch (static_cast<Reduction>(reduction.as_int())) {
    case Reduction::None:
      return ops::value_of(losses);
    case Reduction::Sum:
      return ops::value_of(ops::apply(OpId::sum, {losses}));
    default:
      return ops::value_of(ops::apply(OpId::sum, {losses}) / ops::apply(OpId::sum, {call.term(weight)}));
  }
}

PyResult<Value> nll_loss(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Value reduction, reduction_number(call, 3, 5, 6));
  return ops::call_op(call.interpreter, OpId::nll_loss,
                      {call.args[0], call.args[1], call.args[2], reduction, call.args[4]});
}

PyResult<Value> cross_entropy(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Value reduction, reduction_number(call, 3, 5, 6));
  return ops::call_op(call.interpreter, OpId::cross_entropy_loss,
                      {call.args[0], call.args[1], call.args[2], reduction, call.args[4], call.args[7]});
}

PyResult<Value> mse_loss(FunctionCall& call) {
  warn_of_broadcasting(call);
  NNS_TRY_ASSIGN(const Value reduction, reduction_number(call, 2, 3, 4));
  if (!call.is_none(5)) return weighted(call, ops::square(call.term(0) - call.term(1)), 5, reduction);
  return ops::call_op(call.interpreter, OpId::mse_loss, {call.args[0], call.args[1], reduction});
}

Term absolute_error(FunctionCall& call) { return ops::apply(OpId::abs, {call.term(0) - call.term(1)}); }

PyResult<Value> l1_loss(FunctionCall& call) {
  warn_of_broadcasting(call);
  NNS_TRY_ASSIGN(const Value reduction, reduction_number(call, 2, 3, 4));
  if (!call.is_none(5)) return weighted(call, absolute_error(call), 5, reduction);
  return ops::value_of(reduced(absolute_error(call), static_cast<Reduction>(reduction.as_int())));
}

PyResult<Value> smooth_l1_loss(FunctionCall& call) {
  warn_of_broadcasting(call);
  NNS_TRY_ASSIGN(const Value reduction, reduction_number(call, 2, 3, 4));
  if (call.real(5) == 0) {
    return ops::value_of(reduced(absolute_error(call), static_cast<Reduction>(reduction.as_int())));
  }
  return ops::call_op(call.interpreter, OpId::smooth_l1_loss, {call.args[0], call.args[1], reduction, call.args[5]});
}

PyResult<Value> huber_loss(FunctionCall& call) {
  warn_of_broadcasting(call);
  NNS_TRY_ASSIGN(const Reduction chosen, reduction_of(call.interpreter, call.args[2]));
  const Value reduction(static_cast<std::int64_t>(chosen));
  if (!call.is_none(4)) {
    const Term each = ops::apply(OpId::huber_loss, {call.term(0), call.term(1), 0, call.args[3]});
    return weighted(call, each, 4, reduction);
  }
  return ops::call_op(call.interpreter, OpId::huber_loss, {call.args[0], call.args[1], reduction, call.args[3]});
}

PyResult<Value> soft_margin_loss(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Value reduction, reduction_number(call, 2, 3, 4));
  return ops::call_op(call.interpreter, OpId::soft_margin_loss, {call.args[0], call.args[1], reduction});
}

PyResult<Value> binary_cross_entropy(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Value reduction, reduction_number(call, 3, 4, 5));
  if (!(call.required(0).shape() == call.required(1).shape())) {
    return object::value_error(
        call.interpreter,
        "Using a target size ({}) that is different to the input size ({}) is deprecated. Please "
        "ensure they have the same size.",
        size_of(call, 1), size_of(call, 0));
  }
  return ops::call_op(call.interpreter, OpId::binary_cross_entropy,
                      {call.args[0], call.args[1], call.args[2], reduction});
}

PyResult<Value> binary_cross_entropy_with_logits(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Value reduction, reduction_number(call, 3, 4, 5));
  if (!(call.required(0).shape() == call.required(1).shape())) {
    return object::value_error(call.interpreter, "Target size ({}) must be the same as input size ({})",
                               size_of(call, 1), size_of(call, 0));
  }
  return ops::call_op(call.interpreter, OpId::binary_cross_entropy_with_logits,
                      {call.args[0], call.args[1], call.args[2], call.args[6], reduction});
}

PyResult<Value> kl_div(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  Value text = call.args[4];
  bool is_batch_mean = false;
  if (!call.is_none(2) || !call.is_none(3)) {
    NNS_TRY_ASSIGN(text, legacy_reduction(in, call.args[2], call.args[3], text));
  } else if (call.text(4) == "mean") {
    in.warn(object::ErrorKind::UserWarning,
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release.");
  } else if (call.text(4) == "batchmean") {
    is_batch_mean = true;
    text = in.text("sum");
  }
  NNS_TRY_ASSIGN(const Reduction reduction, reduction_of(in, text));
  const Term x = call.term(0), target = call.term(1);
  Term each;
  if (call.flag(5)) {
    each = ops::exp(target) * (target - x);
  } else {
    // A target of 0 adds nothing: 0 * log(0) is 0.
    const Term logs = ops::log(ops::where(ops::eq(target, 0), 1, target));
    each = target * logs - target * x;
  }
  const Term loss = reduced(each, reduction);
  if (is_batch_mean && call.required(0).ndim() > 0) {
    return ops::value_of(loss / static_cast<double>(call.required(0).shape()[0]));
  }
  return ops::value_of(loss);
}

// Behaviour: poisson_nll_loss; `full` adds Stirling's approximation of log(target!).
PyResult<Value> poisson_nll_loss(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const Value text, legacy_reduction(in, call.args[4], call.args[6], call.args[7]));
  NNS_TRY_ASSIGN(const Reduction reduction, reduction_of(in, text));
  const Term x = call.term(0), target = call.term(1);
  Term each = call.flag(2) ? ops::exp(x) - target * x : x - target * ops::log(x + call.real(5));
  if (call.flag(3)) {
    constexpr double kTwoPi = 6.283185307179586476925;
    const Term stirling = target * ops::log(target) - target + 0.5 * ops::log(target * kTwoPi);
    each = each + ops::where(ops::le(target, 1), 0, stirling);
  }
  return ops::value_of(reduced(each, reduction));
}

// Behaviour: gaussian_nll_loss: the variance is held above eps, and its gradient passes as if it were not.
PyResult<Value> gaussian_nll_loss(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  Ref<Tensor> variance(call.tensor(2));
  bool is_negative = false;
  if (!variance) {
    if (!ops::Number::is_real(call.args[2])) {
      return object::type_error(in, "var must be Tensor or float, not {}", in.type_of(call.args[2]).name());
    }
    is_negative = call.real(2) < 0;
    variance = tensor::full(in, input.shape(), call.real(2), input.dtype(), input.device());
  } else if (!variance->is_meta()) {
    tensor::for_each_place(
        *variance, [&](std::int64_t place) { is_negative = is_negative || tensor::read_double(*variance, place) < 0; });
  }
  if (is_negative) return object::value_error(in, "var has negative entry/entries");
  Term spread(variance);
  const Dims &shape = input.shape(), &given = variance->shape();
  if (!(given == shape)) {
    const Dims front(shape.span().first(shape.size() - 1));
    if (given == front) {
      spread = ops::apply(OpId::unsqueeze, {spread, -1});
    } else if (!(given.size() == shape.size() && Dims(given.span().first(front.size())) == front &&
                 given[front.size()] == 1)) {
      return object::value_error(in, "var is of incorrect size");
    }
  }
  const std::string_view text = call.text(5);
  if (text != "none" && text != "mean" && text != "sum") return object::value_error(in, "{} is not valid", text);
  NNS_TRY_ASSIGN(const Reduction reduction, reduction_of(in, call.args[5]));
  spread = held_above(spread, call.real(4));
  Term each = 0.5 * (ops::log(spread) + ops::square(call.term(0) - call.term(1)) / spread);
  constexpr double kHalfLogTwoPi = 0.918938533204672741780;
  if (call.flag(3)) each = each + kHalfLogTwoPi;
  return ops::value_of(reduced(each, reduction));
}

constexpr FunctionRow kLossRows[] = {
    {"nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean')",
     "TTt.i.s", nll_loss},
    {"cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', "
     "label_smoothing=0.0)",
     "TTt.i.sf", cross_entropy},
    {"mse_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None)", "TT..st", mse_loss},
    {"l1_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None)", "TT..st", l1_loss},
    {"smooth_l1_loss(input, target, size_average=None, reduce=None, reduction='mean', beta=1.0)", "TT..sf",
     smooth_l1_loss},
    {"huber_loss(input, target, reduction='mean', delta=1.0, weight=None)", "TTsft", huber_loss},
    {"soft_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')", "TT..s", soft_margin_loss},
    {"binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction='mean')", "TTt..s",
     binary_cross_entropy},
    {"binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction='mean', "
     "pos_weight=None)",
     "TTt..st", binary_cross_entropy_with_logits},
    {"kl_div(input, target, size_average=None, reduce=None, reduction='mean', log_target=False)", "TT..sb", kl_div},
    {"poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, "
     "reduction='mean')",
     "TTbb.f.s", poisson_nll_loss},
    {"gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction='mean')", "TT.bfs", gaussian_nll_loss},
};

}  // namespace

std::span<const FunctionRow> loss_functions() { return kLossRows; }

PyResult<Value> legacy_reduction(Interpreter& in, const Value& size_average, const Value& reduce,
                                 const Value& reduction) {
  if (size_average.is_none() && reduce.is_none()) return reduction;
  bool averages = true, reduces = true;
  if (!size_average.is_none()) {
    NNS_TRY_ASSIGN(averages, object::truth(in, size_average));
  }
  if (!reduce.is_none()) {
    NNS_TRY_ASSIGN(reduces, object::truth(in, reduce));
  }
  const std::string_view chosen = !reduces ? "none" : averages ? "mean" : "sum";
  in.warn(object::ErrorKind::UserWarning,
          fmt::format("size_average and reduce args will be deprecated, please use reduction='{}' instead.", chosen));
  return in.text(chosen);
}

PyResult<Reduction> reduction_of(Interpreter& in, const Value& text) {
  const std::string_view word = text_of(text);
  if (word == "none") return Reduction::None;
  if (word == "mean") return Reduction::Mean;
  if (word == "sum") return Reduction::Sum;
  if (word == "elementwise_mean") {
    in.warn(object::ErrorKind::UserWarning,
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.");
    return Reduction::Mean;
  }
  NNS_TRY_ASSIGN(const std::string shown, object::str(in, text));
  return object::value_error(in, "{} is not a valid value for reduction", shown);
}

Term reduced(const Term& each, Reduction reduction) {
  if (reduction == Reduction::None) return each;
  return ops::apply(reduction == Reduction::Mean ? OpId::mean : OpId::sum, {each});
}

Term held_above(const Term& x, double floor) {
  if (!x.ok()) return x;
  const Term raised = ops::apply(OpId::clamp, {Term(tensor::detach(x.tensor())), floor});
  return x + (raised - Term(tensor::detach(x.tensor())));
}

}  // namespace nns::nn
