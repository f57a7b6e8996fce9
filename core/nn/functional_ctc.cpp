#include <algorithm>

#include "core/nn/functional.h"
#include "core/nn/packed_sequence.h"
#include "core/object/operations.h"

// Behaviour: torch/nn/functional.py, ctc_loss, and aten/src/ATen/native/LossCTC.cpp, ctc_loss_impl.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

PyResult<std::vector<std::int64_t>> integral_lengths_of(Interpreter& in, const Value& given) {
  const Tensor* const tensor = given.as<Tensor>();
  if (tensor != nullptr && !tensor::is_integral(tensor->dtype())) {
    return object::runtime_error(in, "input_lengths must be integral");
  }
  return lengths_of(in, given);
}

// log_probs 0, targets 1, input_lengths 2, target_lengths 3, blank 4, reduction 5, zero_infinity 6.
PyResult<Value> ctc_loss(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const Reduction reduction, reduction_of(in, call.args[5]));
  if (call.required(0).is_meta()) {
    // Without contents only the shape is known.
    const bool is_per_item = reduction == Reduction::None && call.required(0).ndim() == 3;
    return ops::value_of(is_per_item ? ops::apply(OpId::sum, {call.term(0), ops::dims_value(in, Dims({0, 2}))})
                                     : ops::apply(OpId::sum, {call.term(0)}));
  }
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> inputs, integral_lengths_of(in, call.args[2]));
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> targets, integral_lengths_of(in, call.args[3]));
  const bool is_batched = call.required(0).ndim() == 3;
  Term logs = call.term(0), labels = call.term(1);
  if (!is_batched) {
    logs = ops::apply(OpId::unsqueeze, {logs, 1});
    if (call.required(1).ndim() == 1) labels = ops::apply(OpId::unsqueeze, {labels, 0});
  }
  Term each = ops::apply(OpId::ctc_loss, {logs, labels, ops::dims_value(in, Dims(inputs)),
                                          ops::dims_value(in, Dims(targets)), call.args[4], call.flag(6)});
  if (call.flag(6)) each = ops::where(ops::eq(each, std::numeric_limits<double>::infinity()), 0, each);
  if (reduction == Reduction::None) {
    return ops::value_of(is_batched ? each : ops::apply(OpId::squeeze, {each, ops::dims_value(in, Dims({0}))}));
  }
  if (reduction == Reduction::Mean) {
    std::vector<double> divisors;
    for (const std::int64_t length : targets)
      divisors.push_back(static_cast<double>(std::max<std::int64_t>(length, 1)));
    if (!each.ok()) return each.result().error();
    const tensor::DType dtype = each.tensor().dtype();
    NNS_TRY_ASSIGN(const auto lengths, tensor::to(*tensor::from_values(in, each.tensor().shape(), divisors, dtype),
                                                  dtype, each.tensor().device()));
    each = each / Term(lengths);
  }
  return ops::value_of(reduced(each, reduction));
}

constexpr FunctionRow kCtcRows[] = {
    {"ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False)",
     "TT..isb", ctc_loss},
};

}  // namespace

std::span<const FunctionRow> ctc_functions() { return kCtcRows; }

}  // namespace nns::nn
