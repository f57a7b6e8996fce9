#pragma once

#include "core/nn/layer_definition.h"

namespace nns::nn {

/// forward of the transformer's classes, and the blocks that they call on themselves.
/// Behaviour: torch/nn/modules/transformer.py. Differs: torch has a second, fused path for evaluation; it gives the
/// same numbers.
void define_encoder_layer_forward(LayerDefinition& layer);
void define_decoder_layer_forward(LayerDefinition& layer);
void define_encoder_forward(LayerDefinition& layer);
void define_decoder_forward(LayerDefinition& layer);
void define_transformer_forward(LayerDefinition& layer);

}  // namespace nns::nn
