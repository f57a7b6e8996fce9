#include <cmath>

#include "core/nn/init.h"
#include "core/nn/layer_definition.h"
#include "core/nn/rnn_forward.h"

// Behaviour: torch/nn/modules/rnn.py, RNNCellBase and the classes derived from it.
namespace nns::nn {
namespace {

void define_cell(LayerDefinition& layer, std::int64_t chunks) {
  layer.init_alone("input_size, hidden_size, bias=True, device=None, dtype=None", [chunks](LayerInit& self) {
    return self.init_base({self[0], self[1], self[2], Value(chunks), self[3], self[4]});
  });
}

}  // namespace

template <>
void define<LayerId::RNNCellBase>(LayerDefinition& layer) {
  layer
      .init("input_size, hidden_size, bias, num_chunks, device=None, dtype=None",
            [](LayerInit& self) -> PyResult<void> {
              NNS_TRY_ASSIGN(const Factory factory, self.factory(self[4], self[5]));
              NNS_TRY(self.set("input_size", self[0]));
              NNS_TRY(self.set("hidden_size", self[1]));
              NNS_TRY(self.set("bias", self[2]));
              NNS_TRY_ASSIGN(const std::int64_t input_size, self.int_argument(0));
              NNS_TRY_ASSIGN(const std::int64_t hidden_size, self.int_argument(1));
              NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(2));
              NNS_TRY_ASSIGN(const std::int64_t chunks, self.int_argument(3));
              const std::int64_t gates = chunks * hidden_size;
              NNS_TRY(self.add_parameter("weight_ih", {gates, input_size}, factory));
              NNS_TRY(self.add_parameter("weight_hh", {gates, hidden_size}, factory));
              NNS_TRY(self.add_parameter_if(has_bias, "bias_ih", {gates}, factory));
              NNS_TRY(self.add_parameter_if(has_bias, "bias_hh", {gates}, factory));
              NNS_TRY(self.call("reset_parameters"));
              return {};
            })
      .method("reset_parameters",
              [](LayerSelf& self) -> PyResult<Value> {
                NNS_TRY_ASSIGN(const std::int64_t hidden_size, self.get_int("hidden_size"));
                const double bound = hidden_size > 0 ? 1 / std::sqrt(static_cast<double>(hidden_size)) : 0;
                for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
                  NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor(name));
                  if (weight != nullptr) init::uniform_(*weight, -bound, bound);
                }
                return Value();
              })
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        Interpreter& in = self.interpreter;
        std::string pattern = "{input_size}, {hidden_size}";
        NNS_TRY_ASSIGN(const Value bias, self.get("bias"));
        if (!bias.is(Value(true))) pattern += ", bias={bias}";
        NNS_TRY_ASSIGN(const Value nonlinearity, object::getattr_or_absent(in, self.value, in.intern("nonlinearity")));
        const object::Str* text = nonlinearity.as<object::Str>();
        if (text != nullptr && text->view() != "tanh") pattern += ", nonlinearity={nonlinearity}";
        return self.format(pattern);
      });
}
template <>
void define<LayerId::RNNCell>(LayerDefinition& layer) {
  define_cell_forward(layer, "RNNCell");
  layer.init_alone("input_size, hidden_size, bias=True, nonlinearity='tanh', device=None, dtype=None",
                   [](LayerInit& self) -> PyResult<void> {
                     NNS_TRY(self.init_base({self[0], self[1], self[2], Value(1), self[4], self[5]}));
                     return self.set("nonlinearity", self[3]);
                   });
}
template <>
void define<LayerId::LSTMCell>(LayerDefinition& layer) {
  define_cell_forward(layer, "LSTMCell");
  define_cell(layer, 4);
}
template <>
void define<LayerId::GRUCell>(LayerDefinition& layer) {
  define_cell_forward(layer, "GRUCell");
  define_cell(layer, 3);
}

}  // namespace nns::nn
