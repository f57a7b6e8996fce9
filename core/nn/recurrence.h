#pragma once

#include <vector>

#include "core/nn/library.h"
#include "core/ops/term.h"

namespace nns::nn {

/// The kinds of recurrent cells.
enum class CellKind : std::uint8_t { Tanh, Relu, Lstm, Gru };

/// What one direction of one layer has learned; biases and projection may be missing (terms without a tensor).
struct CellWeights {
  ops::Term input, hidden, input_bias, hidden_bias, projection;
};
/// What goes from step to step; `cell` of an LSTM only.
struct CellState {
  ops::Term hidden, cell;
};

/// One step. Shapes: input_gates (batch, gates), the product of the input; states (batch, hidden).
/// Behaviour: aten/src/ATen/native/RNN.cpp, SimpleCell, LSTMCell, GRUCell.
CellState cell_step(CellKind kind, const ops::Term& input_gates, const CellState& state, const CellWeights& weights);
/// The product of inputs and their bias, for all steps at once.
ops::Term input_gates(const ops::Term& input, const CellWeights& weights);

/// Layers of cells over a batch of sequences.
struct Recurrence {
  CellKind kind = CellKind::Tanh;
  bool both_ways = false;
  /// Of what goes from layer to layer; 0 outside training.
  double dropout = 0;
  /// Layer after layer, in each the forward direction first.
  std::vector<CellWeights> weights;

  struct Result {
    /// Rows as in the input.
    ops::Term output;
    /// (layers * directions, batch, width).
    CellState last;
  };
  /// `input`: the rows of all steps one after another, step t having batch_sizes[t] of them (never more than the step
  /// before). `start`: (layers * directions, batch, width).
  PyResult<Result> run(Interpreter& in, const ops::Term& input, const std::vector<std::int64_t>& batch_sizes,
                       const CellState& start) const;
};

}  // namespace nns::nn
