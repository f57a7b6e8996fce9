// Recurrent layers against their definition, or against themselves put otherwise.
#include "core/nn/packed_sequence.h"
#include "core/object/operations.h"
#include "tests/nn/forward_support.h"

namespace nns::nn::tests {
namespace {

using Sequences = Forward;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// x W^T + b of one row.
Numbers affine(const Numbers& x, const Numbers& weight, const Numbers& bias) {
  Numbers made;
  for (std::size_t row = 0; row < bias.size(); ++row) {
    double sum = bias[row];
    for (std::size_t i = 0; i < x.size(); ++i) sum += weight[row * x.size() + i] * x[i];
    made.push_back(sum);
  }
  return made;
}

struct PlainState {
  Numbers hidden, cell;
};

// One step of a cell from its textbook formula.
PlainState plain_step(std::string_view kind, const Numbers& x, const PlainState& state, const Numbers& w_ih,
                      const Numbers& w_hh, const Numbers& b_ih, const Numbers& b_hh) {
  const Numbers a = affine(x, w_ih, b_ih), b = affine(state.hidden, w_hh, b_hh);
  const std::size_t n = state.hidden.size();
  PlainState made = state;
  for (std::size_t i = 0; i < n; ++i) {
    if (kind == "RNN") {
      made.hidden[i] = std::tanh(a[i] + b[i]);
    } else if (kind == "LSTM") {
      const auto gate = [&](std::size_t k) { return a[k * n + i] + b[k * n + i]; };
      made.cell[i] = sigmoid_of(gate(1)) * state.cell[i] + sigmoid_of(gate(0)) * std::tanh(gate(2));
      made.hidden[i] = sigmoid_of(gate(3)) * std::tanh(made.cell[i]);
    } else {
      const double reset = sigmoid_of(a[i] + b[i]), keep = sigmoid_of(a[n + i] + b[n + i]);
      const double fresh = std::tanh(a[2 * n + i] + reset * b[2 * n + i]);
      made.hidden[i] = (1 - keep) * fresh + keep * state.hidden[i];
    }
  }
  return made;
}

TEST_F(Sequences, RecurrentLayersFollowTheirFormulaInBothDirections) {
  for (const std::string_view kind : {"RNN", "LSTM", "GRU"}) {
    const Value m = layer(kind, {Value(2), Value(3)}, in_float64(in, {{"bidirectional", Value(true)}}));
    fill_parameters(in, m);
    const Value x = numbers(Dims({4, 1, 2}));
    const Value made = call(m, {x});
    const Numbers from = items(x), output = items(part(made, 0));
    for (const bool reverse : {false, true}) {
      const std::string end = reverse ? "_l0_reverse" : "_l0";
      PlainState state{Numbers(3, 0), Numbers(3, 0)};
      for (std::size_t step = 0; step < 4; ++step) {
        const std::size_t t = reverse ? 3 - step : step;
        state = plain_step(kind, {from[t * 2], from[t * 2 + 1]}, state, items(parameter(m, "weight_ih" + end)),
                           items(parameter(m, "weight_hh" + end)), items(parameter(m, "bias_ih" + end)),
                           items(parameter(m, "bias_hh" + end)));
        for (std::size_t i = 0; i < 3; ++i)
          EXPECT_NEAR(output[t * 6 + (reverse ? 3 : 0) + i], state.hidden[i], 1e-12) << kind << end << " " << t;
      }
      const Numbers last = items(kind == "LSTM" ? part(part(made, 1), 0) : part(made, 1));
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(last[(reverse ? 3 : 0) + i], state.hidden[i], 1e-12);
    }
  }
}

TEST_F(Sequences, CellsAreOneStepOfTheirLayer) {
  for (const std::string_view kind : {"RNN", "LSTM", "GRU"}) {
    const Value m = layer(kind, {Value(2), Value(3)}, in_float64(in));
    const Value cell = layer(std::string(kind) + "Cell", {Value(2), Value(3)}, in_float64(in));
    fill_parameters(in, m);
    fill_parameters(in, cell);
    const Value x = numbers(Dims({5, 2}));
    const Value of_layer = part(
        call(m, {Value(Ref<Tensor>(ops::call_op(in, ops::OpId::unsqueeze, {x, Value(0)}).value().as<Tensor>()))}), 0);
    const Value of_cell = call(cell, {x});
    expect_near(kind == "LSTM" ? part(of_cell, 0) : of_cell, items(of_layer), 1e-12, std::string(kind));
  }
}

TEST_F(Sequences, LayersDirectionsAndBatchFirstFitTogether) {
  for (const std::string_view kind : {"RNN", "LSTM", "GRU"}) {
    Keywords settings{{"num_layers", Value(2)}, {"bidirectional", Value(true)}};
    const Value m = layer(kind, {Value(3), Value(4)}, in_float64(in, settings));
    settings.emplace_back("batch_first", Value(true));
    const Value turned = layer(kind, {Value(3), Value(4)}, in_float64(in, settings));
    fill_parameters(in, m);
    fill_parameters(in, turned);
    const Value x = numbers(Dims({5, 2, 3}));
    const Value x_turned(tensor::transpose(*x.as<Tensor>(), 0, 1));
    const Value made = call(m, {x}), other = call(turned, {x_turned});
    EXPECT_EQ(part(made, 0).as<Tensor>()->shape(), Dims({5, 2, 8}));
    EXPECT_EQ(part(other, 0).as<Tensor>()->shape(), Dims({2, 5, 8}));
    expect_near(Value(tensor::transpose(*part(other, 0).as<Tensor>(), 0, 1)), items(part(made, 0)), 1e-12);
    const Value last = kind == "LSTM" ? part(part(made, 1), 0) : part(made, 1);
    EXPECT_EQ(last.as<Tensor>()->shape(), Dims({4, 2, 4}));
    // Without a batch.
    const Value single(tensor::select(*x.as<Tensor>(), 1, 1));
    const Value alone = part(call(m, {single}), 0);
    expect_near(alone, items(Value(tensor::select(*part(made, 0).as<Tensor>(), 1, 1))), 1e-12);
  }
}

TEST_F(Sequences, ProjectionsMakeTheHiddenStateNarrower) {
  const Value m = layer("LSTM", {Value(3), Value(4)}, {{"proj_size", Value(2)}, {"num_layers", Value(2)}});
  const Value made = call(m, {numbers(Dims({5, 2, 3}), 1, DType::Float32)});
  EXPECT_EQ(part(made, 0).as<Tensor>()->shape(), Dims({5, 2, 2}));
  EXPECT_EQ(part(part(made, 1), 0).as<Tensor>()->shape(), Dims({2, 2, 2}));
  EXPECT_EQ(part(part(made, 1), 1).as<Tensor>()->shape(), Dims({2, 2, 4}));
}

TEST_F(Sequences, PackedSequencesRunAsEachAlone) {
  for (const std::string_view kind : {"RNN", "LSTM", "GRU"}) {
    const Value m =
        layer(kind, {Value(2), Value(3)}, in_float64(in, {{"bidirectional", Value(true)}, {"num_layers", Value(2)}}));
    fill_parameters(in, m);
    const std::int64_t lengths[] = {2, 4, 1};
    std::vector<Value> sequences;
    for (std::size_t i = 0; i < 3; ++i) sequences.push_back(numbers(Dims({lengths[i], 2}), static_cast<int>(i)));
    auto packed = in.call(rnn_utility(in, "pack_sequence"), {Value(in.list(sequences)), Value(false)});
    ASSERT_TRUE(packed.ok()) << packed.error().message();
    const Value made = call(m, {packed.value()});
    auto padded = in.call(rnn_utility(in, "pad_packed_sequence"), {part(made, 0)});
    ASSERT_TRUE(padded.ok()) << padded.error().message();
    EXPECT_EQ(items(part(padded.value(), 1)), (Numbers{2, 4, 1}));
    const Tensor& outputs = *part(padded.value(), 0).as<Tensor>();
    const Value last = kind == "LSTM" ? part(part(made, 1), 0) : part(made, 1);
    for (std::size_t i = 0; i < 3; ++i) {
      const Value alone = call(m, {sequences[i]});
      Numbers wanted = items(part(alone, 0));
      wanted.resize(24, 0);
      expect_near(Value(tensor::select(outputs, 1, static_cast<std::int64_t>(i))), wanted, 1e-12, std::string(kind));
      const Value last_alone = kind == "LSTM" ? part(part(alone, 1), 0) : part(alone, 1);
      expect_near(Value(tensor::select(*last.as<Tensor>(), 1, static_cast<std::int64_t>(i))), items(last_alone), 1e-12);
    }
  }
}

TEST_F(Sequences, GradientsReachEveryParameterOfARecurrentLayer) {
  const Value m = layer("LSTM", {Value(2), Value(3)}, in_float64(in, {{"num_layers", Value(2)}}));
  fill_parameters(in, m);
  const Value x = numbers(Dims({3, 2, 2}));
  const auto loss = [&] {
    const ops::Term output(Ref<Tensor>(part(call(m, {x}), 0).as<Tensor>()));
    return ops::apply(ops::OpId::sum, {ops::square(output)}).ref();
  };
  for (const char* name : {"weight_ih_l0", "weight_hh_l0", "bias_ih_l1", "weight_hh_l1"}) {
    Tensor& weight = *parameter(m, name).as<Tensor>();
    const Ref<Tensor> roots[] = {loss()}, inputs[] = {Ref<Tensor>(&weight)};
    const auto grads = autograd::grad(in, roots, inputs, {}, {});
    ASSERT_TRUE(grads.ok()) << grads.error().message();
    auto* const first = reinterpret_cast<double*>(weight.data());
    const double before = *first;
    *first = before + 1e-6;
    const double above = items(Value(loss()))[0];
    *first = before - 1e-6;
    const double below = items(Value(loss()))[0];
    *first = before;
    EXPECT_NEAR(items(Value(grads.value()[0]))[0], (above - below) / 2e-6, 1e-7) << name;
  }
}

TEST_F(Sequences, RecurrentLayersRefuseAsTorchDoes) {
  const Value m = layer("LSTM", {Value(3), Value(4)});
  const auto ones = [&](const Dims& shape) {
    return make(shape, Numbers(static_cast<std::size_t>(tensor::element_count(shape)), 1));
  };
  EXPECT_EQ(layer_error(m, {ones(Dims({5, 2, 7}))}),
            "RuntimeError: input.size(-1) must be equal to input_size. Expected 3, got 7");
  EXPECT_EQ(layer_error(m, {ones(Dims({3}))}), "ValueError: LSTM: Expected input to be 2D or 3D, got 1D instead");
  EXPECT_EQ(layer_error(m, {ones(Dims({5, 2, 3})), Value(in.tuple({ones(Dims({1, 3, 4})), ones(Dims({1, 2, 4}))}))}),
            "RuntimeError: Expected hidden[0] size (1, 2, 4), got [1, 3, 4]");
}

}  // namespace
}  // namespace nns::nn::tests
