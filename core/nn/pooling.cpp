#include <fmt/format.h>

#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/pooling.py.
namespace nns::nn {
namespace {

// The argument, or the one before it where it is None: a stride that was not given is the kernel's size.
const Value& or_kernel_size(const Value& stride, const Value& kernel_size) {
  return stride.is_none() ? kernel_size : stride;
}

void forward_max(LayerDefinition& layer, std::string_view function) {
  layer.forwards("input", fmt::format("{}(input, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, "
                                      "return_indices=return_indices)",
                                      function));
}

void define_unpool(LayerDefinition& layer, std::size_t dimensions) {
  layer.init("kernel_size, stride=None, padding=0", [dimensions](LayerInit& self) -> PyResult<void> {
    Interpreter& in = self.interpreter;
    NNS_TRY_ASSIGN(const Value kernel_size, ntuple(in, self[0], dimensions));
    NNS_TRY_ASSIGN(const Value stride, ntuple(in, or_kernel_size(self[1], self[0]), dimensions));
    NNS_TRY_ASSIGN(const Value padding, ntuple(in, self[2], dimensions));
    NNS_TRY(self.set("kernel_size", kernel_size));
    NNS_TRY(self.set("stride", stride));
    return self.set("padding", padding);
  });
}

void define_average(LayerDefinition& layer) {
  layer.init("kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None",
             [](LayerInit& self) -> PyResult<void> {
               NNS_TRY(self.set("kernel_size", self[0]));
               NNS_TRY(self.set("stride", or_kernel_size(self[1], self[0])));
               NNS_TRY(self.set("padding", self[2]));
               NNS_TRY(self.set("ceil_mode", self[3]));
               NNS_TRY(self.set("count_include_pad", self[4]));
               return self.set("divisor_override", self[5]);
             });
}

void define_fractional(LayerDefinition& layer, std::size_t dimensions) {
  layer.init("kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None",
             [dimensions](LayerInit& self) -> PyResult<void> {
               Interpreter& in = self.interpreter;
               const auto tuple_or_none = [&](const Value& given) -> PyResult<Value> {
                 return given.is_none() ? PyResult<Value>(Value()) : ntuple(in, given, dimensions);
               };
               NNS_TRY_ASSIGN(const Value kernel_size, ntuple(in, self[0], dimensions));
               NNS_TRY_ASSIGN(const Value output_size, tuple_or_none(self[1]));
               NNS_TRY_ASSIGN(const Value output_ratio, tuple_or_none(self[2]));
               NNS_TRY(self.set("kernel_size", kernel_size));
               NNS_TRY(self.set("return_indices", self[3]));
               NNS_TRY(self.add_buffer("_random_samples", self[4]));
               NNS_TRY(self.set("output_size", output_size));
               NNS_TRY(self.set("output_ratio", output_ratio));
               const std::string_view name = in.type_of(self.value).name();
               if (output_size.is_none() && output_ratio.is_none()) {
                 return object::value_error(in, "{} requires specifying either an output size, or a pooling ratio",
                                            name);
               }
               if (!output_size.is_none() && !output_ratio.is_none()) {
                 return object::value_error(in, "only one of output_size and output_ratio may be specified");
               }
               if (output_ratio.is_none()) return {};
               NNS_TRY_ASSIGN(const std::vector<Value> ratios, object::to_vector(in, output_ratio));
               for (const Value& one : ratios) {
                 NNS_TRY_ASSIGN(const double ratio, number(in, one));
                 if (ratio > 0 && ratio < 1) continue;
                 NNS_TRY_ASSIGN(const std::string shown, object::repr(in, output_ratio));
                 return object::value_error(in, "output_ratio must be between 0 and 1 (got {})", shown);
               }
               return {};
             });
}

}  // namespace

template <>
void define<LayerId::MaxPoolNd>(LayerDefinition& layer) {
  layer
      .init("kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY(self.set("kernel_size", self[0]));
              NNS_TRY(self.set("stride", or_kernel_size(self[1], self[0])));
              NNS_TRY(self.set("padding", self[2]));
              NNS_TRY(self.set("dilation", self[3]));
              NNS_TRY(self.set("return_indices", self[4]));
              return self.set("ceil_mode", self[5]);
            })
      .shows(
          "kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}");
}
template <>
void define<LayerId::MaxPool1d>(LayerDefinition& layer) {
  forward_max(layer, "max_pool1d");
}
template <>
void define<LayerId::MaxPool2d>(LayerDefinition& layer) {
  forward_max(layer, "max_pool2d");
}
template <>
void define<LayerId::MaxPool3d>(LayerDefinition& layer) {
  forward_max(layer, "max_pool3d");
}

template <>
void define<LayerId::MaxUnpoolNd>(LayerDefinition& layer) {
  layer.shows("kernel_size={kernel_size}, stride={stride}, padding={padding}");
}
template <>
void define<LayerId::MaxUnpool1d>(LayerDefinition& layer) {
  define_unpool(layer, 1);
  layer.forwards("input, indices, output_size=None",
                 "max_unpool1d(input, indices, kernel_size, stride, padding, output_size)");
}
template <>
void define<LayerId::MaxUnpool2d>(LayerDefinition& layer) {
  define_unpool(layer, 2);
  layer.forwards("input, indices, output_size=None",
                 "max_unpool2d(input, indices, kernel_size, stride, padding, output_size)");
}
template <>
void define<LayerId::MaxUnpool3d>(LayerDefinition& layer) {
  define_unpool(layer, 3);
  layer.forwards("input, indices, output_size=None",
                 "max_unpool3d(input, indices, kernel_size, stride, padding, output_size)");
}

template <>
void define<LayerId::AvgPoolNd>(LayerDefinition& layer) {
  layer.shows("kernel_size={kernel_size}, stride={stride}, padding={padding}");
}
template <>
void define<LayerId::AvgPool1d>(LayerDefinition& layer) {
  layer.forwards("input", "avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)");
  layer.init("kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True",
             [](LayerInit& self) -> PyResult<void> {
               Interpreter& in = self.interpreter;
               NNS_TRY_ASSIGN(const Value kernel_size, ntuple(in, self[0], 1));
               NNS_TRY_ASSIGN(const Value stride, ntuple(in, or_kernel_size(self[1], self[0]), 1));
               NNS_TRY_ASSIGN(const Value padding, ntuple(in, self[2], 1));
               NNS_TRY(self.set("kernel_size", kernel_size));
               NNS_TRY(self.set("stride", stride));
               NNS_TRY(self.set("padding", padding));
               NNS_TRY(self.set("ceil_mode", self[3]));
               return self.set("count_include_pad", self[4]);
             });
}
template <>
void define<LayerId::AvgPool2d>(LayerDefinition& layer) {
  define_average(layer);
  layer.forwards("input",
                 "avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)");
}
template <>
void define<LayerId::AvgPool3d>(LayerDefinition& layer) {
  define_average(layer);
  layer.forwards("input",
                 "avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)");
}

template <>
void define<LayerId::FractionalMaxPool2d>(LayerDefinition& layer) {
  define_fractional(layer, 2);
  layer.forwards("input",
                 "fractional_max_pool2d(input, kernel_size, output_size, output_ratio, return_indices, "
                 "_random_samples=_random_samples)");
}
template <>
void define<LayerId::FractionalMaxPool3d>(LayerDefinition& layer) {
  define_fractional(layer, 3);
  layer.forwards("input",
                 "fractional_max_pool3d(input, kernel_size, output_size, output_ratio, return_indices, "
                 "_random_samples=_random_samples)");
}

template <>
void define<LayerId::LPPoolNd>(LayerDefinition& layer) {
  layer.stores("norm_type, kernel_size, stride=None, ceil_mode=False")
      .shows("norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode}");
}
template <>
void define<LayerId::LPPool1d>(LayerDefinition& layer) {
  layer.forwards("input", "lp_pool1d(input, norm_type, kernel_size, stride, ceil_mode)");
}
template <>
void define<LayerId::LPPool2d>(LayerDefinition& layer) {
  layer.forwards("input", "lp_pool2d(input, norm_type, kernel_size, stride, ceil_mode)");
}
template <>
void define<LayerId::LPPool3d>(LayerDefinition& layer) {
  layer.forwards("input", "lp_pool3d(input, norm_type, kernel_size, stride, ceil_mode)");
}

template <>
void define<LayerId::AdaptiveMaxPoolNd>(LayerDefinition& layer) {
  layer.stores("output_size, return_indices=False").shows("output_size={output_size}");
}
template <>
void define<LayerId::AdaptiveMaxPool1d>(LayerDefinition& layer) {
  layer.forwards("input", "adaptive_max_pool1d(input, output_size, return_indices)");
}
template <>
void define<LayerId::AdaptiveMaxPool2d>(LayerDefinition& layer) {
  layer.forwards("input", "adaptive_max_pool2d(input, output_size, return_indices)");
}
template <>
void define<LayerId::AdaptiveMaxPool3d>(LayerDefinition& layer) {
  layer.forwards("input", "adaptive_max_pool3d(input, output_size, return_indices)");
}

template <>
void define<LayerId::AdaptiveAvgPoolNd>(LayerDefinition& layer) {
  layer.stores("output_size").shows("output_size={output_size}");
}
template <>
void define<LayerId::AdaptiveAvgPool1d>(LayerDefinition& layer) {
  layer.forwards("input", "adaptive_avg_pool1d(input, output_size)");
}
template <>
void define<LayerId::AdaptiveAvgPool2d>(LayerDefinition& layer) {
  layer.forwards("input", "adaptive_avg_pool2d(input, output_size)");
}
template <>
void define<LayerId::AdaptiveAvgPool3d>(LayerDefinition& layer) {
  layer.forwards("input", "adaptive_avg_pool3d(input, output_size)");
}

}  // namespace nns::nn
