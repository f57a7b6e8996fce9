#include "core/nn/arguments.h"
#include "core/nn/functional.h"
#include "core/nn/init.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/conv.py.
namespace nns::nn {
namespace {

// The settings of a convolution, as _ConvNd.__init__ gets them.
struct Settings {
  Value in_channels, out_channels, kernel_size, stride, padding, dilation;
  bool transposed = false;
  Value output_padding, groups, bias, padding_mode, device, dtype;
};

// The amounts to pad with, last dimension first, each side of a dimension of its own.
PyResult<Value> reversed_padding_repeated_twice(Interpreter& in, const Settings& s) {
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> kernel, int_items(in, s.kernel_size));
  if (s.padding.as<object::Str>() == nullptr) {
    NNS_TRY_ASSIGN(const std::vector<Value> padding, object::to_vector(in, s.padding));
    std::vector<Value> repeated;
    for (std::size_t i = padding.size(); i-- > 0;) repeated.insert(repeated.end(), 2, padding[i]);
    return in.tuple(std::move(repeated));
  }
  std::vector<Value> amounts(2 * kernel.size(), Value(0));
  if (text_of(s.padding) == "same") {
    NNS_TRY_ASSIGN(const std::vector<std::int64_t> dilation, int_items(in, s.dilation));
    for (std::size_t i = 0; i < kernel.size() && i < dilation.size(); ++i) {
      const std::int64_t total = dilation[i] * (kernel[i] - 1);
      const std::size_t at = 2 * (kernel.size() - 1 - i);
      amounts[at] = Value(total / 2);
      amounts[at + 1] = Value(total - total / 2);
    }
  }
  return in.list(std::move(amounts));
}

// Behaviour: _ConvNd.__init__, its checks in order.
PyResult<void> check(Interpreter& in, const Settings& s) {
  NNS_TRY_ASSIGN(const std::int64_t groups, object::index(in, s.groups));
  NNS_TRY_ASSIGN(const std::int64_t in_channels, object::index(in, s.in_channels));
  NNS_TRY_ASSIGN(const std::int64_t out_channels, object::index(in, s.out_channels));
  if (groups <= 0) return object::value_error(in, "groups must be a positive integer");
  if (in_channels % groups != 0) return object::value_error(in, "in_channels must be divisible by groups");
  if (out_channels % groups != 0) return object::value_error(in, "out_channels must be divisible by groups");
  if (s.padding.as<object::Str>() != nullptr) {
    const std::string_view padding = text_of(s.padding);
    if (padding != "same" && padding != "valid") {
      return object::value_error(in, "Invalid padding string {}, should be one of {{'same', 'valid'}}",
                                 object::str_repr(padding));
    }
    if (padding == "same" && !is_all(s.stride, 1)) {
      return object::value_error(in, "padding='same' is not supported for strided convolutions");
    }
  }
  const std::string_view mode = text_of(s.padding_mode);
  if (mode != "zeros" && mode != "reflect" && mode != "replicate" && mode != "circular") {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, s.padding_mode));
    return object::value_error(
        in, "padding_mode must be one of {{'zeros', 'reflect', 'replicate', 'circular'}}, but got padding_mode='{}'",
        shown);
  }
  return {};
}

PyResult<void> init_convolution(LayerInit& self, const Settings& s) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Factory factory, self.factory(s.device, s.dtype));
  NNS_TRY(check(in, s));
  NNS_TRY_ASSIGN(const Value reversed, reversed_padding_repeated_twice(in, s));
  const std::pair<std::string_view, Value> attributes[] = {
      {"in_channels", s.in_channels},
      {"out_channels", s.out_channels},
      {"kernel_size", s.kernel_size},
      {"stride", s.stride},
      {"padding", s.padding},
      {"dilation", s.dilation},
      {"transposed", Value(s.transposed)},
      {"output_padding", s.output_padding},
      {"groups", s.groups},
      {"padding_mode", s.padding_mode},
      {"_reversed_padding_repeated_twice", reversed},
  };
  for (const auto& [name, value] : attributes) NNS_TRY(self.set(name, value));
  NNS_TRY_ASSIGN(const std::int64_t groups, object::index(in, s.groups));
  NNS_TRY_ASSIGN(const std::int64_t in_channels, object::index(in, s.in_channels));
  NNS_TRY_ASSIGN(const std::int64_t out_channels, object::index(in, s.out_channels));
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> kernel, int_items(in, s.kernel_size));
  std::vector<std::int64_t> shape =
      s.transposed ? std::vector{in_channels, out_channels / groups} : std::vector{out_channels, in_channels / groups};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  NNS_TRY(self.add_parameter("weight", Dims(shape), factory));
  NNS_TRY_ASSIGN(const bool has_bias, object::truth(in, s.bias));
  NNS_TRY(self.add_parameter_if(has_bias, "bias", {out_channels}, factory));
  NNS_TRY(self.call("reset_parameters"));
  return {};
}

void define_convolution(LayerDefinition& layer, std::size_t dimensions) {
  layer.init_alone(
      "in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, "
      "padding_mode='zeros', device=None, dtype=None",
      [dimensions](LayerInit& self) -> PyResult<void> {
        Interpreter& in = self.interpreter;
        NNS_TRY_ASSIGN(const Value kernel_size, ntuple(in, self[2], dimensions));
        NNS_TRY_ASSIGN(const Value stride, ntuple(in, self[3], dimensions));
        Value padding = self[4];
        if (self[4].as<object::Str>() == nullptr) {
          NNS_TRY_ASSIGN(padding, ntuple(in, self[4], dimensions));
        }
        NNS_TRY_ASSIGN(const Value dilation, ntuple(in, self[5], dimensions));
        NNS_TRY_ASSIGN(const Value output_padding, ntuple(in, Value(0), dimensions));
        return self.init_base({self[0], self[1], kernel_size, stride, padding, dilation, Value(false), output_padding,
                               self[6], self[7], self[8], self[9], self[10]});
      });
}

void define_transposed(LayerDefinition& layer, std::size_t dimensions) {
  layer.init_alone(
      "in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, "
      "padding_mode='zeros', device=None, dtype=None",
      [dimensions](LayerInit& self) -> PyResult<void> {
        Interpreter& in = self.interpreter;
        NNS_TRY_ASSIGN(const Value kernel_size, ntuple(in, self[2], dimensions));
        NNS_TRY_ASSIGN(const Value stride, ntuple(in, self[3], dimensions));
        NNS_TRY_ASSIGN(const Value padding, ntuple(in, self[4], dimensions));
        NNS_TRY_ASSIGN(const Value dilation, ntuple(in, self[8], dimensions));
        NNS_TRY_ASSIGN(const Value output_padding, ntuple(in, self[5], dimensions));
        return self.init_base({self[0], self[1], kernel_size, stride, padding, dilation, Value(true), output_padding,
                               self[6], self[7], self[9], self[10], self[11]});
      });
}

PyResult<std::string> convolution_text(LayerSelf& self) {
  std::string pattern = "{in_channels}, {out_channels}, kernel_size={kernel_size}, stride={stride}";
  NNS_TRY_ASSIGN(const Value padding, self.get("padding"));
  if (!is_all(padding, 0)) pattern += ", padding={padding}";
  NNS_TRY_ASSIGN(const Value dilation, self.get("dilation"));
  if (!is_all(dilation, 1)) pattern += ", dilation={dilation}";
  NNS_TRY_ASSIGN(const Value output_padding, self.get("output_padding"));
  if (!is_all(output_padding, 0)) pattern += ", output_padding={output_padding}";
  NNS_TRY_ASSIGN(const std::int64_t groups, self.get_int("groups"));
  if (groups != 1) pattern += ", groups={groups}";
  NNS_TRY_ASSIGN(const bool no_bias, self.is_none("bias"));
  if (no_bias) pattern += ", bias=False";
  NNS_TRY_ASSIGN(const Value mode, self.get("padding_mode"));
  if (text_of(mode) != "zeros") pattern += ", padding_mode={padding_mode}";
  return self.format(pattern);
}

// Behaviour: Conv*d._conv_forward: other paddings than zeros are made beforehand.
PyResult<Value> run_convolution(const LayerSelf& self, std::string_view function, std::size_t dimensions,
                                const Value& input, const Value& weight, const Value& bias) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Value mode, self.get("padding_mode"));
  NNS_TRY_ASSIGN(const Value stride, self.get("stride"));
  NNS_TRY_ASSIGN(const Value dilation, self.get("dilation"));
  NNS_TRY_ASSIGN(const Value groups, self.get("groups"));
  Value padding;
  Value padded = input;
  if (text_of(mode) == "zeros") {
    NNS_TRY_ASSIGN(padding, self.get("padding"));
  } else {
    NNS_TRY_ASSIGN(const Value amounts, self.get("_reversed_padding_repeated_twice"));
    NNS_TRY_ASSIGN(padded, call_functional(in, "pad", {input, amounts, mode}));
    padding = Value(in.tuple(std::vector<Value>(dimensions, Value(0))));
  }
  return call_functional(in, function, {padded, weight, bias, stride, padding, dilation, groups});
}

void forward_convolution(LayerDefinition& layer, std::size_t dimensions) {
  layer.cls.def("_conv_forward(self, input, weight, bias)",
                [dimensions](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  return run_convolution(LayerSelf(in, a[0]), fmt::format("conv{}d", dimensions), dimensions, a[1],
                                         a[2], a[3]);
                });
  layer.cls.def("forward(self, input)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(const Value weight, self.get("weight"));
    NNS_TRY_ASSIGN(const Value bias, self.get("bias"));
    return self.call("_conv_forward", {a[1], weight, bias});
  });
}

// What output_size leaves over. Behaviour: _ConvTransposeNd._output_padding.
PyResult<Value> output_padding_of(const LayerSelf& self, const Value& input, const Value& output_size,
                                  std::size_t dimensions) {
  Interpreter& in = self.interpreter;
  if (output_size.is_none()) return self.get("output_padding");
  const Tensor* const tensor = input.as<Tensor>();
  if (tensor == nullptr)
    return object::attribute_error(in, "'{}' object has no attribute 'dim'", in.type_of(input).name());
  NNS_TRY_ASSIGN(std::vector<std::int64_t> size, int_items(in, output_size));
  const std::size_t leading = tensor->ndim() == dimensions + 2 ? 2 : 1;
  if (size.size() == leading + dimensions)
    size.erase(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(leading));
  if (size.size() != dimensions) {
    return object::value_error(in,
                               "ConvTranspose{0}D: for {1}D input, output_size must have {0} or {2} elements (got {3})",
                               dimensions, tensor->ndim(), leading + dimensions, size.size());
  }
  std::vector<std::vector<std::int64_t>> settings;
  for (const std::string_view name : {"stride", "padding", "dilation", "kernel_size"}) {
    NNS_TRY_ASSIGN(const Value value, self.get(name));
    NNS_TRY_ASSIGN(std::vector<std::int64_t> items, int_items(in, value));
    settings.push_back(std::move(items));
  }
  std::vector<std::int64_t> least, most;
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (tensor->ndim() <= d + leading) {
      return object::error<object::ErrorKind::IndexError>(
          in, "Dimension out of range (expected to be in range of [{}, {}], but got {})",
          -static_cast<std::int64_t>(tensor->ndim()), static_cast<std::int64_t>(tensor->ndim()) - 1, d + leading);
    }
    least.push_back((tensor->shape()[d + leading] - 1) * settings[0][d] - 2 * settings[1][d] +
                    settings[2][d] * (settings[3][d] - 1) + 1);
    most.push_back(least[d] + settings[0][d] - 1);
  }
  std::vector<std::int64_t> padding;
  for (std::size_t d = 0; d < dimensions; ++d) {
    padding.push_back(size[d] - least[d]);
    if (size[d] >= least[d] && size[d] <= most[d]) continue;
    return object::value_error(
        in, "requested an output size of [{}], but valid sizes range from [{}] to [{}] (for an input of {})",
        fmt::join(size, ", "), fmt::join(least, ", "), fmt::join(most, ", "),
        tensor::size_text(Dims(tensor->shape().span().subspan(2))));
  }
  return ops::dims_value(in, Dims(padding));
}

void forward_transposed(LayerDefinition& layer, std::size_t dimensions) {
  layer.cls.def("forward(self, input, output_size=None)",
                [dimensions](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  LayerSelf self(in, a[0]);
                  NNS_TRY_ASSIGN(const Value mode, self.get("padding_mode"));
                  if (text_of(mode) != "zeros") {
                    return object::value_error(in, "Only `zeros` padding mode is supported for ConvTranspose{}d",
                                               dimensions);
                  }
                  NNS_TRY_ASSIGN(const Value output_padding, output_padding_of(self, a[1], a[2], dimensions));
                  std::vector<Value> args{a[1]};
                  for (const std::string_view name : {"weight", "bias", "stride", "padding"}) {
                    NNS_TRY_ASSIGN(Value value, self.get(name));
                    args.push_back(std::move(value));
                  }
                  args.push_back(output_padding);
                  for (const std::string_view name : {"groups", "dilation"}) {
                    NNS_TRY_ASSIGN(Value value, self.get(name));
                    args.push_back(std::move(value));
                  }
                  return call_functional(in, fmt::format("conv_transpose{}d", dimensions), args);
                });
}

}  // namespace

template <>
void define<LayerId::ConvNd>(LayerDefinition& layer) {
  layer
      .init(
          "in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups, "
          "bias, padding_mode, device=None, dtype=None",
          [](LayerInit& self) -> PyResult<void> {
            NNS_TRY_ASSIGN(const bool transposed, self.bool_argument(6));
            return init_convolution(self, {self[0], self[1], self[2], self[3], self[4], self[5], transposed, self[7],
                                           self[8], self[9], self[10], self[11], self[12]});
          })
      .method("reset_parameters",
              [](LayerSelf& self) -> PyResult<Value> {
                NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
                NNS_TRY_ASSIGN(Tensor* const bias, self.get_tensor("bias"));
                NNS_TRY(init::reset_weight_and_bias(*weight, bias));
                return Value();
              })
      .shows(convolution_text);
}
template <>
void define<LayerId::Conv1d>(LayerDefinition& layer) {
  define_convolution(layer, 1);
  forward_convolution(layer, 1);
}
template <>
void define<LayerId::Conv2d>(LayerDefinition& layer) {
  define_convolution(layer, 2);
  forward_convolution(layer, 2);
}
template <>
void define<LayerId::Conv3d>(LayerDefinition& layer) {
  define_convolution(layer, 3);
  forward_convolution(layer, 3);
}
template <>
void define<LayerId::ConvTransposeNd>(LayerDefinition& layer) {
  layer.init_alone(
      "in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups, bias, "
      "padding_mode, device=None, dtype=None",
      [](LayerInit& self) -> PyResult<void> {
        if (text_of(self[10]) != "zeros") {
          return object::value_error(self.interpreter, "Only \"zeros\" padding mode is supported for {}",
                                     self.interpreter.type_of(self.value).name());
        }
        return self.init_base({self[0], self[1], self[2], self[3], self[4], self[5], self[6], self[7], self[8], self[9],
                               self[10], self[11], self[12]});
      });
}
template <>
void define<LayerId::ConvTranspose1d>(LayerDefinition& layer) {
  define_transposed(layer, 1);
  forward_transposed(layer, 1);
}
template <>
void define<LayerId::ConvTranspose2d>(LayerDefinition& layer) {
  define_transposed(layer, 2);
  forward_transposed(layer, 2);
}
template <>
void define<LayerId::ConvTranspose3d>(LayerDefinition& layer) {
  define_transposed(layer, 3);
  forward_transposed(layer, 3);
}

}  // namespace nns::nn
