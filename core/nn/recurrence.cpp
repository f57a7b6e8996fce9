#include "core/nn/recurrence.h"

#include "core/nn/functional.h"

// The input product of all steps of a layer is one product of matrices; what is left to a step is the hidden one.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

Term step_rows(const Term& x, std::int64_t first, std::int64_t count) {
  return ops::apply(OpId::narrow, {x, 0, first, count});
}

// Part number `which` of `count` equal ones, side by side.
Term gate(const Term& gates, std::int64_t which, std::int64_t count) {
  if (!gates.ok()) return gates;
  const Dims& shape = gates.tensor().shape();
  const std::int64_t width = shape[shape.size() - 1] / count;
  return ops::apply(OpId::narrow, {gates, -1, which * width, width});
}

Term linear(const Term& x, const Term& weight, const Term& bias) { return ops::apply(OpId::linear, {x, weight, bias}); }

Term joined_steps(Interpreter& in, const std::vector<Term>& parts, OpId how, int dim) {
  std::vector<Value> items;
  for (const Term& part : parts) {
    if (!part.ok()) return part;
    items.emplace_back(part.ref());
  }
  if (items.size() == 1 && how == OpId::cat) return parts[0];
  return ops::call_tensor_op(in, how, std::array{Value(in.tuple(std::move(items))), Value(dim)});
}

// One direction of one layer.
class Direction {
 public:
  Direction(Interpreter& in, CellKind kind, const CellWeights& weights, const std::vector<std::int64_t>& batch_sizes)
      : in_(in), kind_(kind), weights_(weights), batch_sizes_(batch_sizes) {}

  // The outputs in the order of the input; the last state comes in `state`.
  Term run(const Term& input, CellState& state, bool is_reverse) {
    const Term gates = input_gates(input, weights_);
    std::vector<std::int64_t> firsts(batch_sizes_.size(), 0);
    for (std::size_t t = 1; t < firsts.size(); ++t) firsts[t] = firsts[t - 1] + batch_sizes_[t - 1];
    const CellState start = state;
    std::vector<Term> outputs(batch_sizes_.size());
    std::vector<CellState> finished;
    std::int64_t running = is_reverse ? batch_sizes_.back() : batch_sizes_.front();
    state = part(start, 0, running);
    for (std::size_t i = 0; i < batch_sizes_.size(); ++i) {
      const std::size_t t = is_reverse ? batch_sizes_.size() - 1 - i : i;
      const std::int64_t count = batch_sizes_[t];
      if (count < running) {
        // The shortest sequences have ended: their states are the last ones.
        finished.push_back(part(state, count, running - count));
        state = part(state, 0, count);
      } else if (count > running) {
        // Backwards, longer ones begin later.
        state = beside({state, part(start, running, count - running)});
      }
      running = count;
      state = cell_step(kind_, step_rows(gates, firsts[t], count), state, weights_);
      outputs[t] = state.hidden;
      if (!state.hidden.ok()) return state.hidden;
    }
    if (!finished.empty()) {
      std::vector<CellState> all{state};
      all.insert(all.end(), finished.rbegin(), finished.rend());
      state = beside(all);
    }
    return joined_steps(in_, outputs, OpId::cat, 0);
  }

 private:
  static CellState part(const CellState& state, std::int64_t first, std::int64_t count) {
    if (state.hidden.ok() && first == 0 && state.hidden.tensor().shape()[0] == count) return state;
    return {step_rows(state.hidden, first, count), state.cell.is_none() ? Term() : step_rows(state.cell, first, count)};
  }
  CellState beside(const std::vector<CellState>& states) const {
    std::vector<Term> hidden, cells;
    for (const CellState& one : states) {
      hidden.push_back(one.hidden);
      cells.push_back(one.cell);
    }
    return {joined_steps(in_, hidden, OpId::cat, 0),
            kind_ == CellKind::Lstm ? joined_steps(in_, cells, OpId::cat, 0) : Term()};
  }

  Interpreter& in_;
  CellKind kind_;
  const CellWeights& weights_;
  const std::vector<std::int64_t>& batch_sizes_;
};

}  // namespace

Term input_gates(const Term& input, const CellWeights& weights) {
  return linear(input, weights.input, weights.input_bias);
}

CellState cell_step(CellKind kind, const Term& input_gates, const CellState& state, const CellWeights& weights) {
  const Term hidden_gates = linear(state.hidden, weights.hidden, weights.hidden_bias);
  if (kind == CellKind::Tanh) return {ops::tanh(input_gates + hidden_gates), {}};
  if (kind == CellKind::Relu) return {ops::apply(OpId::relu, {input_gates + hidden_gates}), {}};
  if (kind == CellKind::Lstm) {
    const Term gates = input_gates + hidden_gates;
    const Term cell =
        ops::sigmoid(gate(gates, 1, 4)) * state.cell + ops::sigmoid(gate(gates, 0, 4)) * ops::tanh(gate(gates, 2, 4));
    Term hidden = ops::sigmoid(gate(gates, 3, 4)) * ops::tanh(cell);
    if (!weights.projection.is_none()) hidden = linear(hidden, weights.projection, Term());
    return {hidden, cell};
  }
  const Term reset = ops::sigmoid(gate(input_gates, 0, 3) + gate(hidden_gates, 0, 3));
  const Term keep = ops::sigmoid(gate(input_gates, 1, 3) + gate(hidden_gates, 1, 3));
  const Term fresh = ops::tanh(gate(input_gates, 2, 3) + reset * gate(hidden_gates, 2, 3));
  return {(state.hidden - fresh) * keep + fresh, {}};
}

PyResult<Recurrence::Result> Recurrence::run(Interpreter& in, const Term& input,
                                             const std::vector<std::int64_t>& batch_sizes,
                                             const CellState& start) const {
  const std::size_t directions = both_ways ? 2 : 1;
  const std::size_t layers = weights.size() / directions;
  std::vector<Term> hidden, cells;
  Term x = input;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::vector<Term> outputs;
    for (std::size_t direction = 0; direction < directions; ++direction) {
      const std::size_t number = layer * directions + direction;
      const auto of_start = [&](const Term& states) {
        return states.is_none() ? Term() : ops::apply(OpId::select, {states, 0, static_cast<std::int64_t>(number)});
      };
      CellState state{of_start(start.hidden), of_start(start.cell)};
      Direction one(in, kind, weights[number], batch_sizes);
      outputs.push_back(one.run(x, state, direction == 1));
      hidden.push_back(state.hidden);
      cells.push_back(state.cell);
    }
    x = joined_steps(in, outputs, OpId::cat, -1);
    if (!x.ok()) return x.result().error();
    if (dropout > 0 && layer + 1 < layers) {
      NNS_TRY_ASSIGN(const Value kept, call_functional(in, "dropout", {Value(x.ref()), Value(dropout)}));
      x = Term(Ref<Tensor>(kept.as<Tensor>()));
    }
  }
  Result made{x, {joined_steps(in, hidden, OpId::stack, 0), {}}};
  if (kind == CellKind::Lstm) made.last.cell = joined_steps(in, cells, OpId::stack, 0);
  for (const Term* term : {&made.output, &made.last.hidden, &made.last.cell}) {
    if (!term->ok()) return term->result().error();
  }
  return made;
}

}  // namespace nns::nn
