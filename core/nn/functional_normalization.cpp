#include "core/nn/functional.h"
#include "core/object/operations.h"
#include "core/ops/outputs.h"

// Behaviour: torch/nn/functional.py, from batch_norm to group_norm, and normalize.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

// Behaviour: _verify_batch_size.
PyResult<void> verify_batch_size(Interpreter& in, const Dims& size, const std::string& shown) {
  std::int64_t values = size.size() == 0 ? 1 : size[0];
  for (std::size_t i = 2; i < size.size(); ++i) values *= size[i];
  if (values != 1) return {};
  return object::value_error(in, "Expected more than 1 value per channel when training, got input size {}", shown);
}

PyResult<Value> batch_norm(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  if (call.flag(5)) {
    const Dims& shape = call.required(0).shape();
    NNS_TRY(verify_batch_size(in, shape, tensor::size_text(shape)));
    if (call.real(7) <= 0) {
      NNS_TRY_ASSIGN(const std::string shown, object::str(in, call.args[7]));
      return object::value_error(in, "batch_norm eps must be positive during training, but got {}", shown);
    }
  }
  return ops::call_op(
      in, OpId::batch_norm,
      {call.args[0], call.args[3], call.args[4], call.args[1], call.args[2], call.args[5], call.args[6], call.args[7]});
}

// The same statistics for each sample: a parameter of c channels as one of b * c.
Term repeated(const Term& parameter, std::int64_t times) {
  if (parameter.is_none()) return parameter;
  return ops::apply(OpId::repeat, {parameter, ops::dims_value(parameter.tensor().interpreter(), Dims({times}))});
}

// input 0, running_mean 1, running_var 2, weight 3, bias 4, use_input_stats 5, momentum 6, eps 7.
// Behaviour: at::instance_norm: a batch_norm of one sample that has the channels of all.
PyResult<Value> instance_norm(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Dims& shape = call.required(0).shape();
  const bool uses_input = call.flag(5);
  if (uses_input) {
    std::int64_t places = 1;
    for (std::size_t i = 2; i < shape.size(); ++i) places *= shape[i];
    if (places == 1) {
      return object::value_error(in, "Expected more than 1 spatial element when training, got input size {}",
                                 tensor::size_text(shape));
    }
  } else if (call.is_none(1) || call.is_none(2)) {
    return object::runtime_error(in,
                                 "Expected running_mean and running_var to be defined when use_input_stats is false");
  }
  const std::int64_t batch = shape[0], channels = shape[1];
  Dims joined = shape;
  joined[0] = 1;
  joined[1] = batch * channels;
  std::array<Value, 4> statistics;  // weight, bias, running_mean, running_var
  constexpr std::size_t kSources[] = {3, 4, 1, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    const Term wide = repeated(call.term(kSources[i]), batch);
    if (!wide.ok()) return wide.result().error();
    statistics[i] = Value(wide.ref());
  }
  NNS_TRY_ASSIGN(const Value flat, ops::call_op(in, OpId::reshape, {call.args[0], ops::dims_value(in, joined)}));
  NNS_TRY_ASSIGN(const Value made, ops::call_op(in, OpId::batch_norm,
                                                {flat, statistics[0], statistics[1], statistics[2], statistics[3],
                                                 Value(uses_input), call.args[6], call.args[7]}));
  // The running statistics become the means over the samples.
  for (std::size_t i = 2; uses_input && i < 4; ++i) {
    const ops::GradModeGuard no_grad(in, false);
    Tensor* const kept = call.tensor(kSources[i]);
    if (kept == nullptr || kept->is_meta()) continue;
    const Term of_samples = ops::apply(
        OpId::view, {Term(Ref<Tensor>(statistics[i].as<Tensor>())), ops::dims_value(in, Dims({batch, channels}))});
    const Term mean = ops::apply(OpId::mean_dim, {of_samples, 0});
    if (!mean.ok()) return mean.result().error();
    NNS_TRY(tensor::copy_items(*kept, mean.tensor()));
  }
  return ops::call_op(in, OpId::reshape, {made, ops::dims_value(in, shape)});
}

PyResult<Value> group_norm(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Dims& shape = call.required(0).shape();
  const std::int64_t groups = call.integer(1);
  if (shape.size() < 2) {
    return object::runtime_error(in, "Expected at least 2 dimensions for input tensor but received {}", shape.size());
  }
  if (groups > 0) {
    std::vector<std::int64_t> size{shape[0] * shape[1] / groups, groups};
    for (std::size_t i = 2; i < shape.size(); ++i) size.push_back(shape[i]);
    NNS_TRY(verify_batch_size(in, Dims(size), fmt::format("[{}]", fmt::join(size, ", "))));
  }
  return ops::call_op(in, OpId::group_norm, call.args);
}

PyResult<Value> normalize(FunctionCall& call) {
  const Term norm = ops::apply(OpId::norm, {call.term(0), call.args[1], call.args[2], true});
  const Term held = ops::apply(OpId::clamp, {norm, call.args[3]});
  const Term made = call.term(0) / held;
  if (call.is_none(4)) return ops::value_of(made);
  NNS_TRY_ASSIGN(const Value divided, ops::value_of(made));
  NNS_TRY(ops::check_no_gradient(call.interpreter, "div", std::array{call.args[0]}, call.args[4]));
  return ops::written_to(call.interpreter, "div", "", divided, call.args[4]);
}

constexpr FunctionRow kNormalizationRows[] = {
    {"batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)",
     "Tttttbff", batch_norm},
    {"instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, "
     "momentum=0.1, eps=1e-05)",
     "Tttttbff", instance_norm},
    {"layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)", "TLttf",
     [](FunctionCall& call) { return ops::call_op(call.interpreter, OpId::layer_norm, call.args); }},
    {"rms_norm(input, normalized_shape, weight=None, eps=None)", "TLtn",
     [](FunctionCall& call) { return ops::call_op(call.interpreter, OpId::rms_norm, call.args); }},
    {"group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)", "Tittf", group_norm},
    {"normalize(input, p=2.0, dim=1, eps=1e-12, out=None)", "TNLft", normalize},
};

}  // namespace

std::span<const FunctionRow> normalization_functions() { return kNormalizationRows; }

}  // namespace nns::nn
