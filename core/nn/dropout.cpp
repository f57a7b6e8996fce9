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
void define<LayerId::Dropout>(LayerDefinition& layer) {
  layer.forwards("input", "dropout(input, p, training, inplace)");
}
template <>
void define<LayerId::Dropout1d>(LayerDefinition& layer) {
  layer.forwards("input", "dropout1d(input, p, training, inplace)");
}
template <>
void define<LayerId::Dropout2d>(LayerDefinition& layer) {
  layer.forwards("input", "dropout2d(input, p, training, inplace)");
}
template <>
void define<LayerId::Dropout3d>(LayerDefinition& layer) {
  layer.forwards("input", "dropout3d(input, p, training, inplace)");
}
template <>
void define<LayerId::AlphaDropout>(LayerDefinition& layer) {
  layer.forwards("input", "alpha_dropout(input, p, training)");
}
template <>
void define<LayerId::FeatureAlphaDropout>(LayerDefinition& layer) {
  layer.forwards("input", "feature_alpha_dropout(input, p, training)");
}

}  // namespace nns::nn
