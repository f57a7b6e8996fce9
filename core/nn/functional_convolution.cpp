#include "core/nn/functional.h"
#include "core/object/operations.h"

// Behaviour: torch/nn/functional.py, conv1d to conv_transpose3d, fold and unfold.
namespace nns::nn {
namespace {

using ops::OpId;

// The same ints as a tuple; for padding, which may also be a text.
PyResult<Value> padding_of(FunctionCall& call, std::size_t i) {
  const Value& given = call.args[i];
  if (given.is_int()) return given;
  std::vector<Value> items;
  if (given.as<object::Tuple>() != nullptr || given.as<object::List>() != nullptr) {
    NNS_TRY_ASSIGN(items, object::to_vector(call.interpreter, given));
  }
  bool is_ints = !items.empty() || given.as<object::Tuple>() != nullptr || given.as<object::List>() != nullptr;
  for (const Value& item : items) is_ints = is_ints && item.is_int();
  if (!is_ints) {
    return object::type_error(call.interpreter, "{}(): argument 'padding' (position {}) must be tuple of ints, not {}",
                              call.name, i + 1, call.interpreter.type_of(given).name());
  }
  return Value(call.interpreter.tuple(std::move(items)));
}

template <OpId op, OpId named>
PyResult<Value> convolution(FunctionCall& call) {
  std::vector<Value> args(call.args.begin(), call.args.end());
  if (args[4].as<object::Str>() != nullptr) return ops::call_op(call.interpreter, named, args);
  NNS_TRY_ASSIGN(args[4], padding_of(call, 4));
  return ops::call_op(call.interpreter, op, args);
}

// Both dimensions where one int was given.
Value pair_of(FunctionCall& call, std::size_t i) {
  const auto* const tuple = call.args[i].as<object::Tuple>();
  if (tuple->size() != 1) return call.args[i];
  return Value(call.interpreter.tuple({(*tuple)[0], (*tuple)[0]}));
}

// kernel_size, dilation, padding and stride as pairs, and output_size in front for fold.
template <OpId op>
PyResult<Value> blocks(FunctionCall& call) {
  std::vector<Value> args{call.args[0]};
  for (std::size_t i = 1; i < call.args.size(); ++i) args.push_back(pair_of(call, i));
  return ops::call_op(call.interpreter, op, args);
}

constexpr FunctionRow kConvolutionRows[] = {
    {"conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)", "TTtL.Li",
     convolution<OpId::conv1d, OpId::conv1d_padding>},
    {"conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)", "TTtL.Li",
     convolution<OpId::conv2d, OpId::conv2d_padding>},
    {"conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)", "TTtL.Li",
     convolution<OpId::conv3d, OpId::conv3d_padding>},
    {"conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
     "TTtLLLiL", as_op<OpId::conv_transpose1d>},
    {"conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
     "TTtLLLiL", as_op<OpId::conv_transpose2d>},
    {"conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
     "TTtLLLiL", as_op<OpId::conv_transpose3d>},
    {"unfold(input, kernel_size, dilation=1, padding=0, stride=1)", "TLLLL", blocks<OpId::im2col>},
    {"fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)", "TLLLLL", blocks<OpId::col2im>},
};

}  // namespace

std::span<const FunctionRow> convolution_functions() { return kConvolutionRows; }

}  // namespace nns::nn
