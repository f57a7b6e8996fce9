// A batch normalisation in eval mode folded into the layer before it.
#include "core/nn/layer_definition.h"
#include "core/nn/utility.h"
#include "core/object/copy.h"
#include "core/ops/term.h"

// Behaviour: torch/nn/utils/fusion.py.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;

PyError failed_assertion(Interpreter& in, std::string_view text) {
  return object::make_error(in, object::ErrorKind::AssertionError, text);
}

PyResult<Value> parameter_of(Interpreter& in, const Term& values, const Tensor& like, bool requires_grad) {
  NNS_TRY_ASSIGN(const Ref<Tensor> made, ops::as_dtype(values, like.dtype()).take());
  NNS_TRY_ASSIGN(Ref<Tensor> parameter, tensor::make_parameter(in, *made, requires_grad));
  return Value(std::move(parameter));
}

// What a layer and its normalisation are made of, as both functions get them; `bias`, `scale` and `shift` may be None.
struct Parts {
  Ref<Tensor> weight, bias, mean, variance;
  Value eps;
  Ref<Tensor> scale, shift;
};

PyResult<Parts> read_parts(Interpreter& in, Args a) {
  constexpr std::size_t kRequired[] = {0, 2, 3};
  for (const std::size_t i : kRequired) {
    if (a[i].as<Tensor>() == nullptr) {
      return object::attribute_error(in, "'{}' object has no attribute 'dtype'", in.type_of(a[i]).name());
    }
  }
  const auto tensor = [&a](std::size_t i) { return Ref<Tensor>(a[i].as<Tensor>()); };
  return Parts{tensor(0), tensor(1), tensor(2), tensor(3), a[4], tensor(5), tensor(6)};
}

// The weight times scale / sqrt(variance + eps) in the form `shape`, and the bias that goes with it.
PyResult<Value> fused(Interpreter& in, const Parts& parts, const Dims& shape) {
  const auto filled = [&](double value) {
    return Term(tensor::full(in, parts.mean->shape(), value, parts.mean->dtype(), parts.mean->device()));
  };
  const Term bias = parts.bias ? Term(parts.bias) : filled(0);
  const Term scale = parts.scale ? Term(parts.scale) : filled(1);
  const Term shift = parts.shift ? Term(parts.shift) : filled(0);
  const Term factor = scale * ops::rsqrt(Term(parts.variance) + ops::TermArgument(parts.eps));
  const Term weight = Term(parts.weight) * ops::apply(OpId::reshape, {factor, ops::dims_value(in, shape)});
  const Term moved = (bias - Term(parts.mean)) * factor + shift;
  NNS_TRY_ASSIGN(Value new_weight, parameter_of(in, weight, *parts.weight, parts.weight->requires_grad()));
  NNS_TRY_ASSIGN(Value new_bias, parameter_of(in, moved, parts.bias ? *parts.bias : *parts.weight,
                                              parts.bias && parts.bias->requires_grad()));
  return Value(in.tuple({std::move(new_weight), std::move(new_bias)}));
}

PyResult<Value> fuse_conv_weights(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Parts parts, read_parts(in, a));
  NNS_TRY_ASSIGN(const bool transpose, object::truth(in, a[7]));
  Dims shape(parts.weight->ndim(), 1);
  shape[transpose ? 1 : 0] = -1;
  return fused(in, parts, shape);
}

PyResult<Value> fuse_linear_weights(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Parts parts, read_parts(in, a));
  for (const std::size_t i : {std::size_t{5}, std::size_t{6}}) {
    if (a[i].is_none()) return object::type_error(in, "unsupported operand type(s) for *: 'NoneType' and 'Tensor'");
  }
  return fused(in, parts, Dims({-1, 1}));
}

// A copy of the layer with what `function` makes of its tensors and those of the normalisation.
PyResult<Value> fuse_layers(Interpreter& in, const Value& layer, const Value& norm, std::string_view function,
                            const Value* transpose) {
  const LayerSelf normalisation(in, norm);
  NNS_TRY_ASSIGN(const bool layer_trains, LayerSelf(in, layer).is_true("training"));
  NNS_TRY_ASSIGN(const bool norm_trains, normalisation.is_true("training"));
  if (layer_trains || norm_trains) return failed_assertion(in, "Fusion only for eval!");
  NNS_TRY_ASSIGN(const Value copied, object::deep_copy(in, layer));
  const LayerSelf made(in, copied);
  if (transpose == nullptr) {
    NNS_TRY_ASSIGN(const std::int64_t given, made.get_int("out_features"));
    NNS_TRY_ASSIGN(const std::int64_t wanted, normalisation.get_int("num_features"));
    if (given != wanted && wanted != 1) {
      return failed_assertion(in, "To fuse, linear.out_features == bn.num_features or bn.num_features == 1");
    }
  }
  std::vector<Value> arguments;
  for (const char* name : {"weight", "bias"}) {
    NNS_TRY_ASSIGN(Value one, made.get(name));
    arguments.push_back(std::move(one));
  }
  for (const char* name : {"running_mean", "running_var", "eps", "weight", "bias"}) {
    NNS_TRY_ASSIGN(Value one, normalisation.get(name));
    if (one.is_none() && arguments.size() < 4) return failed_assertion(in, "");
    arguments.push_back(std::move(one));
  }
  if (transpose != nullptr) arguments.push_back(*transpose);
  NNS_TRY_ASSIGN(const Value both, call_utility(in, "torch.nn.utils", function, arguments));
  NNS_TRY(made.set("weight", (*both.as<object::Tuple>())[0]));
  NNS_TRY(made.set("bias", (*both.as<object::Tuple>())[1]));
  return copied;
}

constexpr std::string_view kFusionModule = "torch.nn.utils";
constexpr UtilityRow kFusionRows[] = {
    {kFusionModule, "fuse_conv_bn_eval(conv, bn, transpose=False)",
     [](Interpreter& in, Args a) { return fuse_layers(in, a[0], a[1], "fuse_conv_bn_weights", &a[2]); }},
    {kFusionModule, "fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False)",
     fuse_conv_weights},
    {kFusionModule, "fuse_linear_bn_eval(linear, bn)",
     [](Interpreter& in, Args a) { return fuse_layers(in, a[0], a[1], "fuse_linear_bn_weights", nullptr); }},
    {kFusionModule, "fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)",
     fuse_linear_weights},
};

}  // namespace

std::span<const UtilityRow> fusion_utilities() { return kFusionRows; }

}  // namespace nns::nn
