#pragma once

#include "core/nn/layer_definition.h"

namespace nns::nn {

/// forward of RNN, LSTM and GRU and the checks that they call on themselves. `name`: "LSTM".
/// Behaviour: torch/nn/modules/rnn.py.
void define_rnn_base_checks(LayerDefinition& layer);
void define_rnn_forward(LayerDefinition& layer, std::string_view name);
/// forward of RNNCell, LSTMCell and GRUCell.
void define_cell_forward(LayerDefinition& layer, std::string_view name);

}  // namespace nns::nn
