#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/padding.py.
namespace nns::nn {
namespace {

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
  layer.shows("{padding}");
}
template <>
void define<LayerId::CircularPad1d>(LayerDefinition& layer) {
  define_sides(layer, 2);
}
template <>
void define<LayerId::CircularPad2d>(LayerDefinition& layer) {
  define_sides(layer, 4);
}
template <>
void define<LayerId::CircularPad3d>(LayerDefinition& layer) {
  define_sides(layer, 6);
}

}  // namespace nns::nn
