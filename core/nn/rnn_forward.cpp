#include "core/nn/rnn_forward.h"

#include <functional>
#include <optional>

#include "core/nn/arguments.h"
#include "core/nn/packed_sequence.h"
#include "core/nn/recurrence.h"
#include "core/ops/op_recorder.h"

namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

std::string tuple_text(const Dims& dims) {
  return dims.size() == 1 ? fmt::format("({},)", dims[0]) : fmt::format("({})", fmt::join(dims.span(), ", "));
}

Value item(const Value& pair, std::size_t i) { return (*pair.as<object::Tuple>())[i]; }

// self.<name> where that is a tensor, as a formula's start.
PyResult<Term> weight_of(LayerSelf& self, const std::string& name) {
  NNS_TRY_ASSIGN(const Value found, self.get(name));
  return Term(Ref<Tensor>(found.as<Tensor>()));
}

PyResult<const Tensor*> input_tensor(LayerSelf& self, const Value& input) {
  const Tensor* const tensor = input.as<Tensor>();
  if (tensor != nullptr) return tensor;
  return object::attribute_error(self.interpreter, "'{}' object has no attribute 'dim'",
                                 self.interpreter.type_of(input).name());
}

// ---------------------------------------------------------------- checks

// The first of self._flat_weights, which tells the dtype.
PyResult<const Tensor*> first_weight(LayerSelf& self) {
  NNS_TRY_ASSIGN(const Value weights, self.get("_flat_weights"));
  const object::List* const list = weights.as<object::List>();
  return list == nullptr || list->size() == 0 ? nullptr : list->items()[0].as<Tensor>();
}

// Behaviour: RNNBase.check_input.
PyResult<void> check_input(LayerSelf& self, const Value& input, const Value& batch_sizes) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Tensor* const x, input_tensor(self, input));
  NNS_TRY_ASSIGN(const Tensor* const weight, first_weight(self));
  const bool is_cast = ops::OpLibrary::of(in).autocast.is_active();
  if (weight != nullptr && weight->dtype() != x->dtype() && !is_cast) {
    const std::string mine = tensor::torch_dtype_text(x->dtype()), wanted = tensor::torch_dtype_text(weight->dtype());
    return object::value_error(in,
                               "RNN input dtype ({}) does not match weight dtype ({}). Convert input: input.to({}), or "
                               "convert model: model.to({})",
                               mine, wanted, wanted, mine);
  }
  const std::size_t expected = batch_sizes.is_none() ? 3 : 2;
  if (x->ndim() != expected) {
    return object::runtime_error(in, "input must have {} dimensions, got {}", expected, x->ndim());
  }
  NNS_TRY_ASSIGN(const std::int64_t width, self.get_int("input_size"));
  if (x->shape()[expected - 1] != width) {
    return object::runtime_error(in, "input.size(-1) must be equal to input_size. Expected {}, got {}", width,
                                 x->shape()[expected - 1]);
  }
  return {};
}

// (layers * directions, batch, width) of the hidden state, or of an LSTM's cell.
PyResult<Dims> state_shape(LayerSelf& self, std::int64_t batch, bool is_cell) {
  NNS_TRY_ASSIGN(const std::int64_t layers, self.get_int("num_layers"));
  NNS_TRY_ASSIGN(const bool both_ways, self.is_true("bidirectional"));
  NNS_TRY_ASSIGN(const std::int64_t hidden, self.get_int("hidden_size"));
  NNS_TRY_ASSIGN(const std::int64_t projected, self.get_int("proj_size"));
  return Dims({layers * (both_ways ? 2 : 1), batch, projected > 0 && !is_cell ? projected : hidden});
}

PyResult<void> check_state(LayerSelf& self, const Value& state, const Dims& expected, std::string_view what) {
  const Tensor* const given = state.as<Tensor>();
  if (given != nullptr && given->shape() == expected) return {};
  const Dims shape = given == nullptr ? Dims() : given->shape();
  return object::runtime_error(self.interpreter, "Expected {} size {}, got [{}]", what, tuple_text(expected),
                               fmt::join(shape.span(), ", "));
}

// ---------------------------------------------------------------- sequences

CellKind kind_of(std::string_view mode) {
  if (mode == "LSTM") return CellKind::Lstm;
  if (mode == "GRU") return CellKind::Gru;
  return mode == "RNN_RELU" ? CellKind::Relu : CellKind::Tanh;
}

// The layer's weights and settings.
PyResult<Recurrence> recurrence_of(LayerSelf& self) {
  Recurrence made;
  NNS_TRY_ASSIGN(const Value mode, self.get("mode"));
  made.kind = kind_of(text_of(mode));
  NNS_TRY_ASSIGN(made.both_ways, self.is_true("bidirectional"));
  NNS_TRY_ASSIGN(const bool training, self.is_true("training"));
  NNS_TRY_ASSIGN(const double dropout, self.get_float("dropout"));
  if (training) made.dropout = dropout;
  NNS_TRY_ASSIGN(const std::int64_t layers, self.get_int("num_layers"));
  NNS_TRY_ASSIGN(const bool has_bias, self.is_true("bias"));
  NNS_TRY_ASSIGN(const std::int64_t projected, self.get_int("proj_size"));
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    for (const std::string_view direction : {"", "_reverse"}) {
      if (!direction.empty() && !made.both_ways) continue;
      const std::string end = fmt::format("_l{}{}", layer, direction);
      CellWeights weights;
      NNS_TRY_ASSIGN(weights.input, weight_of(self, "weight_ih" + end));
      NNS_TRY_ASSIGN(weights.hidden, weight_of(self, "weight_hh" + end));
      if (has_bias) {
        NNS_TRY_ASSIGN(weights.input_bias, weight_of(self, "bias_ih" + end));
        NNS_TRY_ASSIGN(weights.hidden_bias, weight_of(self, "bias_hh" + end));
      }
      if (projected > 0) {
        NNS_TRY_ASSIGN(weights.projection, weight_of(self, "weight_hr" + end));
      }
      made.weights.push_back(std::move(weights));
    }
  }
  return made;
}

// All that goes into a recurrence, as autocast wants it.
// Behaviour: use_mkldnn() in aten/src/ATen/native/RNN.cpp: on the CPU a plain LSTM is one op, whatever else consists of
// ops that are cast each for itself; on cuda every kind is one.
class CastRecurrence {
 public:
  CastRecurrence(Interpreter& in, Recurrence& recurrence, Term& input, CellState& start) : in_(in) {
    places_ = {&input, &start.hidden, &start.cell};
    for (CellWeights& one : recurrence.weights) {
      for (Term* term : {&one.input, &one.hidden, &one.input_bias, &one.hidden_bias, &one.projection}) {
        places_.push_back(term);
      }
    }
    std::erase_if(places_, [](const Term* term) { return term->is_none() || !term->ok(); });
  }

  /// Whether the recurrence is one op, and must be run without further casts.
  PyResult<bool> cast(std::string_view op) {
    ops::Autocast& autocast = ops::OpLibrary::of(in_).autocast;
    if (!autocast.is_active()) return false;
    std::vector<Value> values;
    for (const Term* term : places_) values.emplace_back(term->ref());
    const ops::Autocast::Casting casting = autocast.casting_of(op, values);
    if (!casting) return false;
    NNS_TRY_ASSIGN(values, autocast.cast(in_, casting, nullptr, values));
    for (std::size_t i = 0; i < places_.size(); ++i) *places_[i] = Ref<Tensor>(values[i].as<Tensor>());
    return true;
  }

 private:
  Interpreter& in_;
  std::vector<Term*> places_;
};

PyResult<Recurrence::Result> run_recurrence(LayerSelf& self, Term input, const std::vector<std::int64_t>& sizes,
                                            CellState start, bool is_packed) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(Recurrence recurrence, recurrence_of(self));
  const bool is_plain_lstm =
      recurrence.kind == CellKind::Lstm && !is_packed && recurrence.weights[0].projection.is_none();
  NNS_TRY_ASSIGN(const bool is_cast,
                 CastRecurrence(in, recurrence, input, start).cast(is_plain_lstm ? "mkldnn_rnn_layer" : "_cudnn_rnn"));
  std::optional<ops::Autocast::Suspended> uncast;
  if (is_cast) uncast.emplace(ops::OpLibrary::of(in).autocast);
  return recurrence.run(in, input, sizes, start);
}

// The states that were given: one, or of an LSTM a pair.
struct GivenState {
  Value hidden, cell;
  bool is_given() const { return !hidden.is_none(); }
};

PyResult<GivenState> given_state(LayerSelf& self, const Value& hx, bool is_lstm) {
  if (hx.is_none() || !is_lstm) return GivenState{hx, Value()};
  NNS_TRY_ASSIGN(const std::vector<Value> pair, object::to_vector(self.interpreter, hx));
  if (pair.size() != 2) {
    return object::value_error(self.interpreter, "{} values to unpack (expected 2{})",
                               pair.size() < 2 ? "not enough" : "too many",
                               pair.size() < 2 ? fmt::format(", got {}", pair.size()) : "");
  }
  return GivenState{pair[0], pair[1]};
}

std::size_t dims_of_value(const Value& value) {
  const Tensor* const tensor = value.as<Tensor>();
  return tensor == nullptr ? 0 : tensor->ndim();
}

// States must have as many dimensions as the input has.
PyResult<void> check_state_dims(LayerSelf& self, const GivenState& state, bool is_lstm, bool is_batched) {
  if (!state.is_given()) return {};
  const std::size_t wanted = is_batched ? 3 : 2, hidden = dims_of_value(state.hidden), cell = dims_of_value(state.cell);
  if (hidden == wanted && (!is_lstm || cell == wanted)) return {};
  const std::string start =
      fmt::format("For {} {}-D input, {} should also be {}-D but got ", is_batched ? "batched" : "unbatched", wanted,
                  is_lstm ? "hx and cx" : "hx", wanted);
  if (is_lstm) return object::runtime_error(self.interpreter, "{}({}-D, {}-D) tensors", start, hidden, cell);
  return object::runtime_error(self.interpreter, "{}{}-D tensor", start, hidden);
}

Term term_of(const Value& value) { return Ref<Tensor>(value.as<Tensor>()); }

PyResult<CellState> start_state(LayerSelf& self, const GivenState& given, const Tensor& input, std::int64_t batch,
                                bool is_lstm, const Value& order) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Dims hidden, state_shape(self, batch, false));
  NNS_TRY_ASSIGN(const Dims cell, state_shape(self, batch, true));
  if (!given.is_given()) {
    const auto zeros = [&](const Dims& shape) { return Term(tensor::zeros(in, shape, input.dtype(), input.device())); };
    return CellState{zeros(hidden), is_lstm ? zeros(cell) : Term()};
  }
  NNS_TRY(check_state(self, given.hidden, hidden, is_lstm ? "hidden[0]" : "hidden"));
  if (is_lstm) NNS_TRY(check_state(self, given.cell, cell, "hidden[1]"));
  return CellState{reordered(term_of(given.hidden), 1, order), reordered(term_of(given.cell), 1, order)};
}

// What forward gives beside the output: the last state, or of an LSTM the pair.
PyResult<Value> state_value(Interpreter& in, const CellState& state, bool is_lstm) {
  NNS_TRY_ASSIGN(const Value hidden, ops::value_of(state.hidden));
  if (!is_lstm) return hidden;
  NNS_TRY_ASSIGN(const Value cell, ops::value_of(state.cell));
  return Value(in.tuple({hidden, cell}));
}

PyResult<Value> packed_forward(LayerSelf& self, const PackedSequence& packed, const Value& hx, bool is_lstm) {
  Interpreter& in = self.interpreter;
  NNS_TRY(check_input(self, packed.data, packed.batch_sizes));
  const std::vector<std::int64_t> sizes = packed.sizes();
  NNS_TRY_ASSIGN(const GivenState given, given_state(self, hx, is_lstm));
  NNS_TRY_ASSIGN(const CellState start,
                 start_state(self, given, *packed.data.as<Tensor>(), sizes.front(), is_lstm, packed.sorted_indices));
  NNS_TRY_ASSIGN(Recurrence::Result made, run_recurrence(self, term_of(packed.data), sizes, start, true));
  PackedSequence output = packed;
  output.data = Value(made.output.ref());
  made.last.hidden = reordered(made.last.hidden, 1, packed.unsorted_indices);
  made.last.cell = reordered(made.last.cell, 1, packed.unsorted_indices);
  NNS_TRY_ASSIGN(const Value last, state_value(in, made.last, is_lstm));
  return Value(in.tuple({output.value(in), last}));
}

// (output, last state) of a batch of sequences of one length.
PyResult<Value> run_batch(LayerSelf& self, const Value& input, const GivenState& given, bool batch_first,
                          bool is_lstm) {
  Interpreter& in = self.interpreter;
  Term x = term_of(input);
  if (batch_first) x = ops::apply(OpId::transpose, {x, 0, 1});
  if (!x.ok()) return x.result().error();
  const Dims shape = x.tensor().shape();
  NNS_TRY_ASSIGN(const CellState start, start_state(self, given, x.tensor(), shape[1], is_lstm, Value()));
  if (shape[0] == 0) return object::runtime_error(in, "Expected sequence length to be larger than 0 in RNN");
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(shape[0]), shape[1]);
  const Term flat = ops::apply(OpId::reshape, {x, ops::dims_value(in, Dims({shape[0] * shape[1], shape[2]}))});
  NNS_TRY_ASSIGN(Recurrence::Result made, run_recurrence(self, flat, sizes, start, false));
  const std::int64_t width = made.output.tensor().shape()[1];
  Term output = ops::apply(OpId::view, {made.output, ops::dims_value(in, Dims({shape[0], shape[1], width}))});
  if (batch_first) output = ops::apply(OpId::transpose, {output, 0, 1});
  NNS_TRY_ASSIGN(const Value all, ops::value_of(output));
  NNS_TRY_ASSIGN(const Value last, state_value(in, made.last, is_lstm));
  return Value(in.tuple({all, last}));
}

// torch.zeros(shape) as a step of its own.
PyResult<Value> recorded_zeros(Interpreter& in, ops::OpRecorder& recorder, const Dims& shape, const Tensor& like) {
  ops::RecordedCall step{.place = "torch", .name = "zeros", .is_in_place = false, .arguments = {}};
  step.add("size", ops::dims_value(in, shape));
  step.add("dtype", tensor::TensorLibrary::of(in).dtype_value(like.dtype()));
  return ops::record_call(in, recorder, step, [&]() -> PyResult<Value> {
    return Value(tensor::zeros(in, shape, like.dtype(), like.device()));
  });
}

// A recorder sees one op of all weights, and the states that are zero in front of it. Behaviour: RNNBase.forward.
PyResult<Value> run_or_record(LayerSelf& self, const Value& input, GivenState given, bool batch_first,
                              std::string_view name) {
  Interpreter& in = self.interpreter;
  const bool is_lstm = name == "LSTM";
  ops::OpRecorder* const recorder = ops::OpRecorder::of(in);
  if (recorder == nullptr) return run_batch(self, input, given, batch_first, is_lstm);
  NNS_TRY_ASSIGN(Recurrence recurrence, recurrence_of(self));
  const Tensor& x = *input.as<Tensor>();
  if (!given.is_given()) {
    const std::int64_t batch = x.shape()[batch_first ? 0 : 1];
    NNS_TRY_ASSIGN(const Dims hidden, state_shape(self, batch, false));
    NNS_TRY_ASSIGN(const Dims cell, state_shape(self, batch, true));
    NNS_TRY_ASSIGN(given.hidden, recorded_zeros(in, *recorder, hidden, x));
    if (is_lstm) {
      NNS_TRY_ASSIGN(given.cell, recorded_zeros(in, *recorder, cell, x));
    }
  }
  std::vector<Value> weights;
  for (const CellWeights& one : recurrence.weights) {
    for (const Term* term : {&one.input, &one.hidden, &one.input_bias, &one.hidden_bias, &one.projection}) {
      if (!term->is_none()) weights.emplace_back(term->ref());
    }
  }
  NNS_TRY_ASSIGN(const Value layers, self.get("num_layers"));
  NNS_TRY_ASSIGN(const Value dropout, self.get("dropout"));
  NNS_TRY_ASSIGN(const bool training, self.is_true("training"));
  NNS_TRY_ASSIGN(const bool has_bias, self.is_true("bias"));
  std::string_view op = "rnn_tanh";
  if (recurrence.kind == CellKind::Lstm) op = "lstm";
  if (recurrence.kind == CellKind::Gru) op = "gru";
  if (recurrence.kind == CellKind::Relu) op = "rnn_relu";
  ops::RecordedCall step{.place = "torch", .name = op, .is_in_place = false, .arguments = {}};
  step.add("input", input);
  step.add("hx", is_lstm ? Value(in.tuple({given.hidden, given.cell})) : given.hidden);
  step.add("params", Value(in.tuple(std::move(weights))));
  step.add("has_biases", Value(has_bias));
  step.add("num_layers", layers);
  step.add("dropout", dropout);
  step.add("train", Value(training));
  step.add("bidirectional", Value(recurrence.both_ways));
  step.add("batch_first", Value(batch_first));
  return ops::record_call(in, *recorder, step, [&] { return run_batch(self, input, given, batch_first, is_lstm); });
}

PyResult<Value> forward(LayerSelf& self, const Value& input, const Value& hx, std::string_view name) {
  Interpreter& in = self.interpreter;
  const bool is_lstm = name == "LSTM";
  if (const auto packed = PackedSequence::of(in, input)) return packed_forward(self, *packed, hx, is_lstm);
  NNS_TRY_ASSIGN(const Tensor* const given_input, input_tensor(self, input));
  const std::size_t ndim = given_input->ndim();
  if (ndim != 2 && ndim != 3) {
    return object::value_error(in, "{}: Expected input to be 2D or 3D, got {}D{} instead", name, ndim,
                               name == "RNN" ? " tensor" : "");
  }
  const bool is_batched = ndim == 3;
  NNS_TRY_ASSIGN(const bool batch_first, self.is_true("batch_first"));
  NNS_TRY_ASSIGN(GivenState given, given_state(self, hx, is_lstm));
  NNS_TRY(check_state_dims(self, given, is_lstm, is_batched));
  // Inside, the time comes first and there is a batch.
  Term x = term_of(input);
  if (!is_batched) {
    x = ops::apply(OpId::unsqueeze, {x, batch_first ? 0 : 1});
    for (Value* state : {&given.hidden, &given.cell}) {
      if (state->is_none()) continue;
      NNS_TRY_ASSIGN(*state, ops::call_op(in, OpId::unsqueeze, {*state, Value(1)}));
    }
  }
  if (!x.ok()) return x.result().error();
  NNS_TRY(check_input(self, Value(x.ref()), Value()));
  PyResult<Value> made = run_or_record(self, Value(x.ref()), given, batch_first, name);
  if (!made.ok() || is_batched) return made;
  // (output, state) without the batch; an LSTM's state is a pair.
  const auto without = [&](const Value& value, std::int64_t dim) {
    return ops::call_op(in, OpId::squeeze, {value, ops::dims_value(in, Dims({dim}))});
  };
  NNS_TRY_ASSIGN(const Value all, without(item(*made, 0), batch_first ? 0 : 1));
  if (!is_lstm) {
    NNS_TRY_ASSIGN(const Value hidden, without(item(*made, 1), 1));
    return Value(in.tuple({all, hidden}));
  }
  NNS_TRY_ASSIGN(const Value hidden, without(item(item(*made, 1), 0), 1));
  NNS_TRY_ASSIGN(const Value cell, without(item(item(*made, 1), 1), 1));
  return Value(in.tuple({all, Value(in.tuple({hidden, cell}))}));
}

// ---------------------------------------------------------------- cells

PyResult<void> check_cell(LayerSelf& self, const Tensor& input, std::span<const Value> states) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const std::int64_t input_size, self.get_int("input_size"));
  NNS_TRY_ASSIGN(const std::int64_t hidden_size, self.get_int("hidden_size"));
  if (input.shape()[1] != input_size) {
    return object::runtime_error(in, "input has inconsistent input_size: got {} expected {}", input.shape()[1],
                                 input_size);
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Tensor& state = *states[i].as<Tensor>();
    if (state.shape()[0] != input.shape()[0]) {
      return object::runtime_error(in, "Input batch size {} doesn't match hidden{} batch size {}", input.shape()[0], i,
                                   state.shape()[0]);
    }
    if (state.shape()[1] != hidden_size) {
      return object::runtime_error(in, "hidden{} has inconsistent hidden_size: got {}, expected {}", i,
                                   state.shape()[1], hidden_size);
    }
  }
  return {};
}

PyResult<CellKind> cell_kind(LayerSelf& self, std::string_view name) {
  if (name == "LSTMCell") return CellKind::Lstm;
  if (name == "GRUCell") return CellKind::Gru;
  NNS_TRY_ASSIGN(const Value nonlinearity, self.get("nonlinearity"));
  if (text_of(nonlinearity) == "tanh") return CellKind::Tanh;
  if (text_of(nonlinearity) == "relu") return CellKind::Relu;
  NNS_TRY_ASSIGN(const std::string shown, object::str(self.interpreter, nonlinearity));
  return object::runtime_error(self.interpreter, "Unknown nonlinearity: {}", shown);
}

// A step of a cell; where ops are recorded, as one op. Behaviour: torch._VF.lstm_cell and its like.
PyResult<Value> one_cell_step(Interpreter& in, CellKind kind, const Value& x, const std::vector<Value>& states,
                              const CellWeights& weights, const std::function<PyResult<Value>()>& step) {
  std::string_view op = "rnn_tanh_cell";
  if (kind == CellKind::Lstm) op = "lstm_cell";
  if (kind == CellKind::Gru) op = "gru_cell";
  if (kind == CellKind::Relu) op = "rnn_relu_cell";
  const auto value = [](const Term& term) { return term.is_none() ? Value() : Value(term.ref()); };
  return ops::one_step(in, op,
                       {{"input", x},
                        {"hx", kind == CellKind::Lstm ? Value(in.tuple(std::vector<Value>(states))) : states[0]},
                        {"w_ih", value(weights.input)},
                        {"w_hh", value(weights.hidden)},
                        {"b_ih", value(weights.input_bias)},
                        {"b_hh", value(weights.hidden_bias)}},
                       step);
}

PyResult<Value> cell_forward(LayerSelf& self, const Value& input, const Value& hx, std::string_view name) {
  Interpreter& in = self.interpreter;
  const bool is_lstm = name == "LSTMCell";
  NNS_TRY_ASSIGN(const Tensor* const given, input_tensor(self, input));
  const std::size_t ndim = given->ndim();
  if (ndim != 1 && ndim != 2) {
    return object::value_error(in, "{}: Expected input to be 1D or 2D, got {}D instead", name, ndim);
  }
  std::vector<Value> states;
  if (!hx.is_none()) {
    if (is_lstm) {
      NNS_TRY_ASSIGN(states, object::to_vector(in, hx));
    } else {
      states.push_back(hx);
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      const std::size_t dims = dims_of_value(states[i]);
      if (dims == 1 || dims == 2) continue;
      return object::value_error(in, "{}: Expected {} to be 1D or 2D, got {}D instead", name,
                                 is_lstm ? fmt::format("hx[{}]", i) : "hidden", dims);
    }
  }
  const auto with_batch = [&](const Value& value) -> PyResult<Value> {
    return ndim == 2 ? PyResult<Value>(value) : ops::call_op(in, OpId::unsqueeze, {value, Value(0)});
  };
  NNS_TRY_ASSIGN(const Value x, with_batch(input));
  const Tensor& rows = *x.as<Tensor>();
  if (hx.is_none()) {
    NNS_TRY_ASSIGN(const std::int64_t hidden_size, self.get_int("hidden_size"));
    const Dims shape({rows.shape()[0], hidden_size});
    Value zeros;
    if (ops::OpRecorder* const recorder = ops::OpRecorder::of(in)) {
      NNS_TRY_ASSIGN(zeros, recorded_zeros(in, *recorder, shape, rows));
    } else {
      zeros = Value(tensor::zeros(in, shape, rows.dtype(), rows.device()));
    }
    states.assign(is_lstm ? 2 : 1, zeros);
  } else {
    for (Value& state : states) {
      NNS_TRY_ASSIGN(state, with_batch(state));
    }
  }
  NNS_TRY(check_cell(self, rows, states));
  CellWeights weights;
  NNS_TRY_ASSIGN(weights.input, weight_of(self, "weight_ih"));
  NNS_TRY_ASSIGN(weights.hidden, weight_of(self, "weight_hh"));
  NNS_TRY_ASSIGN(weights.input_bias, weight_of(self, "bias_ih"));
  NNS_TRY_ASSIGN(weights.hidden_bias, weight_of(self, "bias_hh"));
  NNS_TRY_ASSIGN(const CellKind kind, cell_kind(self, name));
  const auto step = [&]() -> PyResult<Value> {
    return state_value(in,
                       cell_step(kind, input_gates(term_of(x), weights),
                                 {term_of(states[0]), is_lstm ? term_of(states[1]) : Term()}, weights),
                       is_lstm);
  };
  NNS_TRY_ASSIGN(Value made, one_cell_step(in, kind, x, states, weights, step));
  if (ndim == 2) return made;
  const Value first = ops::dims_value(in, Dims({0}));
  if (!is_lstm) return ops::call_op(in, OpId::squeeze, {made, first});
  NNS_TRY_ASSIGN(const Value hidden, ops::call_op(in, OpId::squeeze, {item(made, 0), first}));
  NNS_TRY_ASSIGN(const Value cell, ops::call_op(in, OpId::squeeze, {item(made, 1), first}));
  return Value(in.tuple({hidden, cell}));
}

}  // namespace

void define_rnn_base_checks(LayerDefinition& layer) {
  layer.cls.def("check_input(self, input, batch_sizes)",
                [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  LayerSelf self(in, a[0]);
                  NNS_TRY(check_input(self, a[1], a[2]));
                  return Value();
                });
  layer.cls.def("permute_hidden(self, hx, permutation)",
                [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  if (a[2].is_none()) return a[1];
                  if (a[1].as<object::Tuple>() == nullptr) return ops::value_of(reordered(term_of(a[1]), 1, a[2]));
                  NNS_TRY_ASSIGN(const Value hidden, ops::value_of(reordered(term_of(item(a[1], 0)), 1, a[2])));
                  NNS_TRY_ASSIGN(const Value cell, ops::value_of(reordered(term_of(item(a[1], 1)), 1, a[2])));
                  return Value(in.tuple({hidden, cell}));
                });
}

void define_rnn_forward(LayerDefinition& layer, std::string_view name) {
  layer.cls.def("forward(self, input, hx=None)",
                [name = std::string(name)](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  LayerSelf self(in, a[0]);
                  return forward(self, a[1], a[2], name);
                });
}

void define_cell_forward(LayerDefinition& layer, std::string_view name) {
  layer.cls.def("forward(self, input, hx=None)",
                [name = std::string(name)](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  LayerSelf self(in, a[0]);
                  return cell_forward(self, a[1], a[2], name);
                });
}

}  // namespace nns::nn
