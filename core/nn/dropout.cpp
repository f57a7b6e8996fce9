#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/dropout.py.
namespace nns::nn {

template <>
void define<LayerId::DropoutNd>(LayerDefinition& layer) {
  layer
      .init("p=0.5, inplace=False",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY_ASSIGN(const double p, number(self.interpreter, self[0]));
              if (p < 0 || p > 1) {
                NNS_TRY_ASSIGN(const std::string shown, object::str(self.interpreter, self[0]));
                return object::value_error(self.interpreter,
                                           "dropout probability has to be between 0 and 1, but got {}", shown);
              }
              NNS_TRY(self.set("p", self[0]));
              return self.set("inplace", self[1]);
            })
      .shows("p={p}, inplace={inplace}");
}
template <>
void define<LayerId::Dropout>(LayerDefinition&) {}
template <>
void define<LayerId::Dropout1d>(LayerDefinition&) {}
template <>
void define<LayerId::Dropout2d>(LayerDefinition&) {}
template <>
void define<LayerId::Dropout3d>(LayerDefinition&) {}
template <>
void define<LayerId::AlphaDropout>(LayerDefinition&) {}
template <>
void define<LayerId::FeatureAlphaDropout>(LayerDefinition&) {}

}  // namespace nns::nn
