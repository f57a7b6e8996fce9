#include "core/nn/functional.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/flatten.py, fold.py, pixelshuffle.py, channelshuffle.py, upsampling.py.
namespace nns::nn {
namespace {

std::optional<std::span<const Value>> items_of(const Value& value) {
  if (const object::Tuple* tuple = value.as<object::Tuple>()) return tuple->items();
  if (const object::List* list = value.as<object::List>()) return std::span<const Value>(list->items());
  return std::nullopt;
}

// Errors: AttributeError  `value` is no tensor, whose method the layer calls.
PyResult<void> check_tensor(Interpreter& in, std::string_view method, const Value& value) {
  if (value.as<Tensor>() != nullptr) return {};
  return object::attribute_error(in, "'{}' object has no attribute '{}'", in.type_of(value).name(), method);
}

// Behaviour: Unflatten._require_tuple_int and _require_tuple_tuple.
PyResult<void> check_unflattened_size(Interpreter& in, const Value& dim, const Value& size) {
  const bool by_index = dim.is_int() || dim.is_bool();
  if (!by_index && dim.as<object::Str>() == nullptr) {
    return object::type_error(in, "invalid argument type for dim parameter");
  }
  const std::string_view what = by_index ? "ints" : "tuples";
  const auto items = items_of(size);
  if (!items || (!by_index && size.as<object::Tuple>() == nullptr)) {
    return object::type_error(in, "unflattened_size must be a tuple of {}, but found type {}", what,
                              in.type_of(size).name());
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Value& item = (*items)[i];
    if (by_index ? item.is_int() || item.is_bool() : item.as<object::Tuple>() != nullptr) continue;
    return object::type_error(in, "unflattened_size must be tuple of {}, but found element of type {} at pos {}", what,
                              in.type_of(item).name(), i);
  }
  return {};
}

// A tuple with each item converted, or the converted value itself.
PyResult<Value> converted(Interpreter& in, const Value& given,
                          const std::function<PyResult<Value>(const Value&)>& one) {
  const object::Tuple* tuple = given.as<object::Tuple>();
  if (tuple == nullptr) return one(given);
  std::vector<Value> items;
  for (const Value& item : tuple->items()) {
    NNS_TRY_ASSIGN(Value made, one(item));
    items.push_back(std::move(made));
  }
  return in.tuple(std::move(items));
}

}  // namespace

template <>
void define<LayerId::Flatten>(LayerDefinition& layer) {
  layer.stores("start_dim=1, end_dim=-1").shows("start_dim={start_dim}, end_dim={end_dim}");
  layer.cls.def("forward(self, input)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    NNS_TRY(check_tensor(in, "flatten", a[1]));
    NNS_TRY_ASSIGN(const std::int64_t start, self.get_int("start_dim"));
    NNS_TRY_ASSIGN(const std::int64_t end, self.get_int("end_dim"));
    return ops::call_op(in, ops::OpId::flatten, {a[1], Value(start), Value(end)});
  });
}

template <>
void define<LayerId::Unflatten>(LayerDefinition& layer) {
  layer
      .init("dim, unflattened_size",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY(check_unflattened_size(self.interpreter, self[0], self[1]));
              NNS_TRY(self.set("dim", self[0]));
              return self.set("unflattened_size", self[1]);
            })
      .shows("dim={dim}, unflattened_size={unflattened_size}");
  layer.cls.def("forward(self, input)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    NNS_TRY(check_tensor(in, "unflatten", a[1]));
    NNS_TRY_ASSIGN(const Value dim, self.get("dim"));
    if (!dim.is_int() && !dim.is_bool()) {
      return object::runtime_error(in, "Unflatten: named tensors are not supported; give dim as an int");
    }
    NNS_TRY_ASSIGN(const Value given, self.get("unflattened_size"));
    NNS_TRY_ASSIGN(const std::vector<std::int64_t> size, int_items(in, given));
    return ops::call_op(in, ops::OpId::unflatten, {a[1], Value(dim.as_int()), ops::dims_value(in, Dims(size))});
  });
}

template <>
void define<LayerId::Fold>(LayerDefinition& layer) {
  layer.stores("output_size, kernel_size, dilation=1, padding=0, stride=1")
      .shows(
          "output_size={output_size}, kernel_size={kernel_size}, dilation={dilation}, padding={padding}, "
          "stride={stride}")
      .forwards("input", "fold(input, output_size, kernel_size, dilation, padding, stride)");
}
template <>
void define<LayerId::Unfold>(LayerDefinition& layer) {
  layer.stores("kernel_size, dilation=1, padding=0, stride=1")
      .shows("kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}")
      .forwards("input", "unfold(input, kernel_size, dilation, padding, stride)");
}

template <>
void define<LayerId::PixelShuffle>(LayerDefinition& layer) {
  layer.stores("upscale_factor")
      .shows("upscale_factor={upscale_factor}")
      .forwards("input", "pixel_shuffle(input, upscale_factor)");
}
template <>
void define<LayerId::PixelUnshuffle>(LayerDefinition& layer) {
  layer.stores("downscale_factor")
      .shows("downscale_factor={downscale_factor}")
      .forwards("input", "pixel_unshuffle(input, downscale_factor)");
}
template <>
void define<LayerId::ChannelShuffle>(LayerDefinition& layer) {
  layer.stores("groups").shows("groups={groups}").forwards("input", "channel_shuffle(input, groups)");
}

template <>
void define<LayerId::Upsample>(LayerDefinition& layer) {
  layer
      .init("size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None",
            [](LayerInit& self) -> PyResult<void> {
              Interpreter& in = self.interpreter;
              NNS_TRY(self.set("name", in.text(in.type_of(self.value).name())));
              NNS_TRY(self.set("size", self[0]));
              NNS_TRY_ASSIGN(const bool has_factor, self.bool_argument(1));
              Value factor;
              if (has_factor || self[1].as<object::Tuple>() != nullptr) {
                NNS_TRY_ASSIGN(factor, converted(in, self[1], [&in](const Value& one) -> PyResult<Value> {
                                 NNS_TRY_ASSIGN(const double as_float, number(in, one));
                                 return Value(as_float);
                               }));
              }
              NNS_TRY(self.set("scale_factor", factor));
              NNS_TRY(self.set("mode", self[2]));
              NNS_TRY(self.set("align_corners", self[3]));
              return self.set("recompute_scale_factor", self[4]);
            })
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        NNS_TRY_ASSIGN(const bool by_size, self.is_none("scale_factor"));
        return self.format(by_size ? "size={size!r}, mode={mode!r}" : "scale_factor={scale_factor!r}, mode={mode!r}");
      })
      .forwards("input",
                "interpolate(input, size, scale_factor, mode, align_corners, "
                "recompute_scale_factor=recompute_scale_factor)");
}
template <>
void define<LayerId::UpsamplingNearest2d>(LayerDefinition& layer) {
  layer.init_alone("size=None, scale_factor=None", [](LayerInit& self) {
    return self.init_base({self[0], self[1], self.interpreter.text("nearest")});
  });
}
template <>
void define<LayerId::UpsamplingBilinear2d>(LayerDefinition& layer) {
  layer.init_alone("size=None, scale_factor=None", [](LayerInit& self) {
    return self.init_base({self[0], self[1], self.interpreter.text("bilinear"), Value(true)});
  });
}

}  // namespace nns::nn
