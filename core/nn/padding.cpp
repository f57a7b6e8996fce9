#include "core/nn/functional.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/padding.py.
namespace nns::nn {
namespace {

// forward: F.pad in this mode.
void forward_padding(LayerDefinition& layer, std::string_view mode) {
  layer.cls.def("forward(self, input)", [mode](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(const Value padding, self.get("padding"));
    return call_functional(in, "pad", {a[1], padding, in.text(mode)});
  });
}

// Behaviour: CircularPad*d._check_input_dim.
void define_wrapping(LayerDefinition& layer, std::size_t dims) {
  layer.cls.def("_check_input_dim(self, input)", [dims](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const Tensor* const input = a[1].as<Tensor>();
    const std::size_t ndim = input == nullptr ? 0 : input->ndim();
    if (ndim == dims + 1 || ndim == dims + 2) return Value();
    return object::value_error(in, "expected {}D or {}D input (got {}D input)", dims + 1, dims + 2, ndim);
  });
}

void define_constant(LayerDefinition& layer, std::size_t sides) {
  layer.init_alone("padding, value", [sides](LayerInit& self) -> PyResult<void> {
    NNS_TRY(self.init_base({self[1]}));
    NNS_TRY_ASSIGN(const Value padding, ntuple(self.interpreter, self[0], sides));
    return self.set("padding", padding);
  });
}

void define_zero(LayerDefinition& layer) {
  layer.init_alone("padding", [](LayerInit& self) { return self.init_base({self[0], Value(0.0)}); }).shows("{padding}");
}

void define_sides(LayerDefinition& layer, std::size_t sides) {
  layer.init("padding", [sides](LayerInit& self) -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value padding, ntuple(self.interpreter, self[0], sides));
    return self.set("padding", padding);
  });
}

}  // namespace

template <>
void define<LayerId::ConstantPadNd>(LayerDefinition& layer) {
  layer.stores("value").shows("padding={padding}, value={value}");
  layer.cls.def("forward(self, input)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(const Value padding, self.get("padding"));
    NNS_TRY_ASSIGN(const Value value, self.get("value"));
    return call_functional(in, "pad", {a[1], padding, in.text("constant"), value});
  });
}
template <>
void define<LayerId::ConstantPad1d>(LayerDefinition& layer) {
  define_constant(layer, 2);
}
template <>
void define<LayerId::ConstantPad2d>(LayerDefinition& layer) {
  define_constant(layer, 4);
}
template <>
void define<LayerId::ConstantPad3d>(LayerDefinition& layer) {
  define_constant(layer, 6);
}
template <>
void define<LayerId::ZeroPad1d>(LayerDefinition& layer) {
  define_zero(layer);
}
template <>
void define<LayerId::ZeroPad2d>(LayerDefinition& layer) {
  define_zero(layer);
}
template <>
void define<LayerId::ZeroPad3d>(LayerDefinition& layer) {
  define_zero(layer);
}

template <>
void define<LayerId::ReflectionPadNd>(LayerDefinition& layer) {
  forward_padding(layer, "reflect");
  layer.shows("{padding}");
}
template <>
void define<LayerId::ReflectionPad1d>(LayerDefinition& layer) {
  define_sides(layer, 2);
}
template <>
void define<LayerId::ReflectionPad2d>(LayerDefinition& layer) {
  define_sides(layer, 4);
}
template <>
void define<LayerId::ReflectionPad3d>(LayerDefinition& layer) {
  define_sides(layer, 6);
}

template <>
void define<LayerId::ReplicationPadNd>(LayerDefinition& layer) {
  forward_padding(layer, "replicate");
  layer.shows("{padding}");
}
template <>
void define<LayerId::ReplicationPad1d>(LayerDefinition& layer) {
  define_sides(layer, 2);
}
template <>
void define<LayerId::ReplicationPad2d>(LayerDefinition& layer) {
  define_sides(layer, 4);
}
template <>
void define<LayerId::ReplicationPad3d>(LayerDefinition& layer) {
  define_sides(layer, 6);
}

template <>
void define<LayerId::CircularPadNd>(LayerDefinition& layer) {
  layer.cls.def("forward(self, input)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    NNS_TRY(self.call("_check_input_dim", {a[1]}));
    NNS_TRY_ASSIGN(const Value padding, self.get("padding"));
    return call_functional(in, "pad", {a[1], padding, in.text("circular")});
  });
  layer.shows("{padding}");
}
template <>
void define<LayerId::CircularPad1d>(LayerDefinition& layer) {
  define_sides(layer, 2);
  define_wrapping(layer, 1);
}
template <>
void define<LayerId::CircularPad2d>(LayerDefinition& layer) {
  define_sides(layer, 4);
  define_wrapping(layer, 2);
}
template <>
void define<LayerId::CircularPad3d>(LayerDefinition& layer) {
  define_sides(layer, 6);
  define_wrapping(layer, 3);
}

}  // namespace nns::nn
