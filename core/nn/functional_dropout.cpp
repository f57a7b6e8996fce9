#include <fmt/format.h>

#include <cmath>

#include "core/nn/functional.h"
#include "core/object/operations.h"

// Behaviour: torch/nn/functional.py and aten/src/ATen/native/Dropout.cpp: what is kept is drawn in the input's dtype,
// item after item, from the default generator.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

constexpr double kAlpha = 1.7580993408473766;

PyResult<void> check_probability(FunctionCall& call) {
  const double p = call.real(1);
  if (p >= 0 && p <= 1) return {};
  NNS_TRY_ASSIGN(const std::string shown, object::str(call.interpreter, call.args[1]));
  return object::value_error(call.interpreter, "dropout probability has to be between 0 and 1, but got {}", shown);
}

enum class Kind : std::uint8_t { Items, Features, AlphaItems, AlphaFeatures };

// One draw an item, or one for each channel of each sample.
PyResult<Ref<Tensor>> drawn(FunctionCall& call, const Tensor& input, Kind kind) {
  Dims shape = input.shape();
  if (kind == Kind::Features || kind == Kind::AlphaFeatures) {
    if (shape.size() < 2) {
      return object::runtime_error(call.interpreter, "Feature dropout requires at least 2 dimensions in the input");
    }
    for (std::size_t i = 2; i < shape.size(); ++i) shape[i] = 1;
  }
  Ref<Tensor> noise = tensor::empty(call.interpreter, shape, input.dtype(), input.device());
  tensor::bernoulli_(*noise, tensor::TensorLibrary::of(call.interpreter).generator, 1 - call.real(1));
  return noise;
}

// Arguments: input 0, p 1, training 2, inplace 3.
// Behaviour: _dropout_impl. The alpha kinds put their own value in place of what goes, and keep mean and variance.
PyResult<Value> drop(FunctionCall& call, const Value& input, Kind kind) {
  Interpreter& in = call.interpreter;
  const double p = call.real(1);
  const Tensor& x = *input.as<Tensor>();
  if (p == 0 || !call.flag(2) || x.numel() == 0) return input;
  const bool in_place = call.flag(3);
  if (p == 1) {
    const Ref<Tensor> zero = tensor::zeros(in, Dims(), x.dtype(), x.device());
    return maybe_in_place(call, in_place, OpId::mul, {input, Value(zero)});
  }
  // On a GPU torch has one kernel for it.
  if (kind == Kind::Items && x.is_cuda() && !in_place && tensor::is_floating(x.dtype())) {
    NNS_TRY_ASSIGN(const Value made, ops::call_op(in, OpId::native_dropout, {input, Value(p), Value(true)}));
    return (*made.as<object::Tuple>())[0];
  }
  NNS_TRY_ASSIGN(const Ref<Tensor> noise, drawn(call, x, kind));
  Term kept(noise);
  if (kind == Kind::Items || kind == Kind::Features) {
    kept = kept / (1 - p);
    if (!kept.ok()) return kept.result().error();
    return maybe_in_place(call, in_place, OpId::mul, {input, Value(kept.ref())});
  }
  const double scale = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  const Term shift = (kept - 1) * (kAlpha * scale) + kAlpha * scale * p;
  const Term factor = kept * scale;
  if (!shift.ok()) return shift.result().error();
  NNS_TRY_ASSIGN(const Value scaled, maybe_in_place(call, in_place, OpId::mul, {input, Value(factor.ref())}));
  return maybe_in_place(call, in_place, OpId::add, {scaled, Value(shift.ref())});
}

template <Kind kind>
PyResult<Value> plain(FunctionCall& call) {
  NNS_TRY(check_probability(call));
  return drop(call, call.args[0], kind);
}

// An input without a batch gets one for the time being.
PyResult<Value> with_batch(FunctionCall& call, bool is_batched) {
  if (is_batched) return drop(call, call.args[0], Kind::Features);
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const Value batch, ops::call_op(in, OpId::unsqueeze, {call.args[0], Value(0)}));
  NNS_TRY_ASSIGN(const Value made, drop(call, batch, Kind::Features));
  NNS_TRY_ASSIGN(Value result, ops::call_op(in, OpId::squeeze, {made, ops::dims_value(in, Dims({0}))}));
  return call.flag(3) ? call.args[0] : result;
}

PyResult<Value> dropout1d(FunctionCall& call) {
  NNS_TRY(check_probability(call));
  const std::size_t ndim = call.required(0).ndim();
  if (ndim != 2 && ndim != 3) {
    return object::runtime_error(call.interpreter,
                                 "dropout1d: Expected 2D or 3D input, but received a {}D input. Note that dropout1d "
                                 "exists to provide channel-wise dropout on inputs with 1 spatial dimension, a channel "
                                 "dimension, and an optional batch dimension (i.e. 2D or 3D inputs).",
                                 ndim);
  }
  return with_batch(call, ndim == 3);
}

PyResult<Value> dropout2d(FunctionCall& call) {
  NNS_TRY(check_probability(call));
  const std::size_t ndim = call.required(0).ndim();
  if (ndim != 3 && ndim != 4) {
    call.interpreter.warn(
        object::ErrorKind::UserWarning,
        fmt::format("dropout2d: Received a {}-D input to dropout2d, which is deprecated and will result in an error in "
                    "a future release. To retain the behavior and silence this warning, please use dropout instead. "
                    "Note that dropout2d exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a "
                    "channel dimension, and an optional batch dimension (i.e. 3D or 4D inputs).",
                    ndim));
  }
  if (ndim == 3) {
    call.interpreter.warn(
        object::ErrorKind::UserWarning,
        "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - "
        "input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future "
        "release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
        "channel-wise dropout behavior, please switch to using dropout1d instead.");
  }
  return drop(call, call.args[0], Kind::Features);
}

PyResult<Value> dropout3d(FunctionCall& call) {
  NNS_TRY(check_probability(call));
  const std::size_t ndim = call.required(0).ndim();
  if (ndim != 4 && ndim != 5) {
    call.interpreter.warn(
        object::ErrorKind::UserWarning,
        fmt::format("dropout3d: Received a {}-D input to dropout3d, which is deprecated and will result in an error in "
                    "a future release. To retain the behavior and silence this warning, please use dropout instead. "
                    "Note that dropout3d exists to provide channel-wise dropout on inputs with 3 spatial dimensions, a "
                    "channel dimension, and an optional batch dimension (i.e. 4D or 5D inputs).",
                    ndim));
  }
  return with_batch(call, ndim != 4);
}

constexpr FunctionRow kDropoutRows[] = {
    {"dropout(input, p=0.5, training=True, inplace=False)", "TNbb", plain<Kind::Items>},
    {"alpha_dropout(input, p=0.5, training=False, inplace=False)", "TNbb", plain<Kind::AlphaItems>},
    {"dropout1d(input, p=0.5, training=True, inplace=False)", "TNbb", dropout1d},
    {"dropout2d(input, p=0.5, training=True, inplace=False)", "TNbb", dropout2d},
    {"dropout3d(input, p=0.5, training=True, inplace=False)", "TNbb", dropout3d},
    {"feature_alpha_dropout(input, p=0.5, training=False, inplace=False)", "TNbb", plain<Kind::AlphaFeatures>},
};

}  // namespace

std::span<const FunctionRow> dropout_functions() { return kDropoutRows; }

}  // namespace nns::nn
