#include <cmath>

#include "core/nn/arguments.h"
#include "core/nn/init.h"
#include "core/nn/layer_definition.h"
#include "core/nn/rnn_forward.h"

// Behaviour: torch/nn/modules/rnn.py, RNNBase and the classes derived from it.
namespace nns::nn {
namespace {

// The list in self.__dict__ under `name`, or null.
object::List* own_list(Interpreter& in, const Value& self, std::string_view name) {
  object::Dict* dict = self.object()->instance_dict(true);
  Value* found = dict == nullptr ? nullptr : dict->find(in.intern(name));
  return found == nullptr ? nullptr : found->as<object::List>();
}

// super().name(*rest), seen from RNNBase.
PyResult<Value> call_super(Interpreter& in, const Class& cls, std::string_view name, std::span<const Value> args) {
  const Value function = *args[0].object()->type().lookup_after(in.intern(name), cls);
  return in.call(function, args);
}

PyResult<void> check_settings(LayerInit& self) {
  Interpreter& in = self.interpreter;
  const bool is_number = self[6].is_int() || self[6].is_float();
  const double dropout = is_number ? *number(in, self[6]) : -1;
  if (dropout < 0 || dropout > 1) {
    return object::value_error(
        in, "dropout should be a number in range [0, 1] representing the probability of an element being zeroed");
  }
  if (!self[2].is_int() && !self[2].is_bool()) {
    return object::type_error(in, "hidden_size should be of type int, got: {}", in.type_of(self[2]).name());
  }
  NNS_TRY_ASSIGN(const std::int64_t num_layers, self.int_argument(3));
  NNS_TRY_ASSIGN(const std::int64_t proj_size, self.int_argument(8));
  const std::int64_t hidden_size = self[2].as_int();
  if (dropout > 0 && num_layers == 1) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, self[6]));
    in.warn(object::ErrorKind::UserWarning,
            fmt::format("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                        "num_layers greater than 1, but got dropout={} and num_layers={}",
                        shown, num_layers));
  }
  if (hidden_size <= 0) return object::value_error(in, "hidden_size must be greater than zero");
  if (num_layers <= 0) return object::value_error(in, "num_layers must be greater than zero");
  if (proj_size < 0) {
    return object::value_error(in, "proj_size should be a positive integer or zero to disable projections");
  }
  if (proj_size >= hidden_size) return object::value_error(in, "proj_size has to be smaller than hidden_size");
  return {};
}

PyResult<std::int64_t> gate_size(Interpreter& in, const Value& mode, std::int64_t hidden_size) {
  if (text_of(mode) == "LSTM") return 4 * hidden_size;
  if (text_of(mode) == "GRU") return 3 * hidden_size;
  if (text_of(mode) == "RNN_TANH" || text_of(mode) == "RNN_RELU") return hidden_size;
  return object::value_error(in, "Unrecognized RNN mode: {}", text_of(mode));
}

// The parameters of one layer in one direction; their names go into the lists.
PyResult<void> add_direction(LayerInit& self, const std::string& suffix, std::int64_t gates, std::int64_t input_size,
                             std::int64_t output_size, const Factory& factory) {
  NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(4));
  NNS_TRY_ASSIGN(const std::int64_t hidden_size, self.int_argument(2));
  NNS_TRY_ASSIGN(const std::int64_t proj_size, self.int_argument(8));
  std::vector<std::pair<std::string, Dims>> parameters = {{"weight_ih_l" + suffix, {gates, input_size}},
                                                          {"weight_hh_l" + suffix, {gates, output_size}}};
  if (has_bias) {
    parameters.emplace_back("bias_ih_l" + suffix, Dims{gates});
    parameters.emplace_back("bias_hh_l" + suffix, Dims{gates});
  }
  if (proj_size > 0) parameters.emplace_back("weight_hr_l" + suffix, Dims{proj_size, hidden_size});
  std::vector<Value> names;
  for (const auto& [name, shape] : parameters) {
    NNS_TRY(self.add_parameter(name, shape, factory));
    names.push_back(self.interpreter.intern(name).value());
  }
  object::List* flat = own_list(self.interpreter, self.value, "_flat_weights_names");
  object::List* all = own_list(self.interpreter, self.value, "_all_weights");
  for (const Value& name : names) flat->append(name);
  all->append(self.interpreter.list(std::move(names)));
  return {};
}

PyResult<void> init_rnn_base(LayerInit& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Factory factory, self.factory(self[9], self[10]));
  NNS_TRY_ASSIGN(const bool both_ways, self.bool_argument(7));
  constexpr std::string_view kNames[] = {"mode",        "input_size", "hidden_size",   "num_layers", "bias",
                                         "batch_first", "dropout",    "bidirectional", "proj_size"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    const bool as_float = kNames[i] == "dropout" && (self[i].is_int() || self[i].is_bool());
    NNS_TRY(self.set(kNames[i], as_float ? Value(static_cast<double>(self[i].as_int())) : self[i]));
  }
  NNS_TRY(self.set("_flat_weight_refs", in.list()));
  NNS_TRY(check_settings(self));
  NNS_TRY_ASSIGN(const std::int64_t input_size, self.int_argument(1));
  NNS_TRY_ASSIGN(const std::int64_t hidden_size, self.int_argument(2));
  NNS_TRY_ASSIGN(const std::int64_t num_layers, self.int_argument(3));
  NNS_TRY_ASSIGN(const std::int64_t proj_size, self.int_argument(8));
  NNS_TRY_ASSIGN(const std::int64_t gates, gate_size(in, self[0], hidden_size));
  NNS_TRY(self.set("_flat_weights_names", in.list()));
  NNS_TRY(self.set("_all_weights", in.list()));
  const std::int64_t output_size = proj_size > 0 ? proj_size : hidden_size;
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    const std::int64_t layer_input = layer == 0 ? input_size : output_size * (both_ways ? 2 : 1);
    NNS_TRY(add_direction(self, fmt::format("{}", layer), gates, layer_input, output_size, factory));
    if (both_ways) {
      NNS_TRY(add_direction(self, fmt::format("{}_reverse", layer), gates, layer_input, output_size, factory));
    }
  }
  NNS_TRY(self.call("_init_flat_weights"));
  NNS_TRY(self.call("reset_parameters"));
  return {};
}

PyResult<Value> init_flat_weights(LayerSelf& self) {
  Interpreter& in = self.interpreter;
  std::vector<Value> weights, references;
  if (const object::List* names = own_list(in, self.value, "_flat_weights_names")) {
    const std::vector<Value> copy = names->items();
    for (const Value& name : copy) {
      NNS_TRY_ASSIGN(Value weight, object::getattr_or_absent(in, self.value, in.intern(text_of(name))));
      if (weight.is_absent()) weight = Value();
      references.push_back(weight.is_object() ? Value(object::make<object::WeakReference>(*weight.object())) : Value());
      weights.push_back(std::move(weight));
    }
  }
  NNS_TRY(self.set("_flat_weights", in.list(std::move(weights))));
  NNS_TRY(self.set("_flat_weight_refs", in.list(std::move(references))));
  return Value();
}

// Behaviour: RNNBase.__setattr__: a weight that is replaced is replaced in _flat_weights too.
PyResult<void> note_new_weight(Interpreter& in, std::span<const Value> a) {
  const object::List* names = own_list(in, a[0], "_flat_weights_names");
  object::List* weights = own_list(in, a[0], "_flat_weights");
  if (names == nullptr || weights == nullptr) return {};
  for (std::size_t i = 0; i < names->size() && i < weights->size(); ++i) {
    if (text_of(names->items()[i]) == text_of(a[1])) weights->items()[i] = a[2];
  }
  return {};
}

PyResult<Value> reset_uniformly(LayerSelf& self) {
  NNS_TRY_ASSIGN(const std::int64_t hidden_size, self.get_int("hidden_size"));
  const double bound = hidden_size > 0 ? 1 / std::sqrt(static_cast<double>(hidden_size)) : 0;
  NNS_TRY_ASSIGN(const Value parameters, self.call("parameters"));
  NNS_TRY(object::for_each(self.interpreter, parameters, [bound](const Value& one) -> PyResult<void> {
    if (Tensor* weight = one.as<Tensor>()) init::uniform_(*weight, -bound, bound);
    return {};
  }));
  return Value();
}

PyResult<std::string> rnn_text(LayerSelf& self) {
  std::string pattern = "{input_size}, {hidden_size}";
  const auto add_unless = [&](std::string_view name, const Value& start) -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value now, self.get(name));
    NNS_TRY_ASSIGN(const bool same,
                   start.is_bool() ? PyResult<bool>(now.is(start)) : object::equal(self.interpreter, now, start));
    if (!same) pattern += fmt::format(", {0}={{{0}}}", name);
    return {};
  };
  NNS_TRY(add_unless("proj_size", Value(0)));
  NNS_TRY(add_unless("num_layers", Value(1)));
  NNS_TRY(add_unless("bias", Value(true)));
  NNS_TRY(add_unless("batch_first", Value(false)));
  NNS_TRY(add_unless("dropout", Value(0)));
  NNS_TRY(add_unless("bidirectional", Value(false)));
  return self.format(pattern);
}

// super().__init__(mode, *args, **kwargs)
PyResult<void> init_mode(LayerInit& self, std::string_view mode, std::span<const Value> args, object::Dict& kwargs) {
  std::vector<Value> positional{self.interpreter.text(mode)};
  positional.insert(positional.end(), args.begin(), args.end());
  return self.init_base(positional, keywords_of(self.interpreter, kwargs));
}

PyResult<void> refuse_projection(Interpreter& in, object::Dict& kwargs) {
  if (kwargs.find(std::string_view("proj_size")) == nullptr) return {};
  return object::value_error(in, "proj_size argument is only supported for LSTM, not RNN or GRU");
}

}  // namespace

template <>
void define<LayerId::RNNBase>(LayerDefinition& layer) {
  layer
      .init(
          "mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, "
          "bidirectional=False, proj_size=0, device=None, dtype=None",
          init_rnn_base)
      .method("_init_flat_weights", init_flat_weights)
      // On the CPU the weights stay where they are.
      .method("flatten_parameters", [](LayerSelf&) -> PyResult<Value> { return Value(); })
      .method("reset_parameters", reset_uniformly)
      .shows(rnn_text);
  define_rnn_base_checks(layer);
  layer.cls.def("__setattr__(self, attr, value)",
                [cls = &layer.cls](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  NNS_TRY(note_new_weight(in, a));
                  return call_super(in, *cls, "__setattr__", a);
                });
  layer.cls.def("_apply(self, fn, recurse=True)",
                [cls = &layer.cls](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  LayerSelf self(in, a[0]);
                  NNS_TRY(self.set("_flat_weight_refs", in.list()));
                  NNS_TRY_ASSIGN(const Value result, call_super(in, *cls, "_apply", a));
                  NNS_TRY(self.call("_init_flat_weights"));
                  return result;
                });
  layer.cls.def("__getstate__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    object::Dict* dict = a[0].object()->instance_dict(true);
    auto state = in.dict();
    for (std::size_t at = 0; const object::Dict::Entry* entry = dict->next(at);) {
      if (text_of(entry->key) != "_flat_weight_refs") state->set(entry->key, entry->value);
    }
    return Value(state);
  });
  layer.cls.def("__setstate__(self, d)",
                [cls = &layer.cls](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  NNS_TRY(call_super(in, *cls, "__setstate__", a));
                  return LayerSelf(in, a[0]).call("_init_flat_weights");
                });
  layer.cls.property("all_weights", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    std::vector<Value> all;
    const object::List* lists = own_list(in, self, "_all_weights");
    for (const Value& names : lists == nullptr ? std::vector<Value>() : lists->items()) {
      std::vector<Value> weights;
      NNS_TRY(object::for_each(in, names, [&](const Value& name) -> PyResult<void> {
        NNS_TRY_ASSIGN(Value weight, object::getattr(in, self, in.intern(text_of(name))));
        weights.push_back(std::move(weight));
        return {};
      }));
      all.push_back(in.list(std::move(weights)));
    }
    return Value(in.list(std::move(all)));
  });
}

template <>
void define<LayerId::RNN>(LayerDefinition& layer) {
  define_rnn_forward(layer, "RNN");
  layer.init_alone("*args, **kwargs", [](LayerInit& self) -> PyResult<void> {
    Interpreter& in = self.interpreter;
    std::vector<Value> args = *object::to_vector(in, self[0]);
    object::Dict& kwargs = *self[1].as<object::Dict>();
    NNS_TRY(refuse_projection(in, kwargs));
    // The nonlinearity is the fourth argument, or a keyword; it is an attribute before Module.__init__ runs.
    Value nonlinearity = in.text("tanh");
    if (args.size() > 3) {
      nonlinearity = args[3];
      args.erase(args.begin() + 3);
    } else if (Value given = kwargs.take(in.intern("nonlinearity").value()); !given.is_absent()) {
      nonlinearity = given;
    }
    NNS_TRY(self.set("nonlinearity", nonlinearity));
    if (text_of(nonlinearity) == "tanh") return init_mode(self, "RNN_TANH", args, kwargs);
    if (text_of(nonlinearity) == "relu") return init_mode(self, "RNN_RELU", args, kwargs);
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, nonlinearity));
    return object::value_error(in, "Unknown nonlinearity '{}'. Select from 'tanh' or 'relu'.", shown);
  });
}
template <>
void define<LayerId::LSTM>(LayerDefinition& layer) {
  define_rnn_forward(layer, "LSTM");
  layer.init_alone("*args, **kwargs", [](LayerInit& self) -> PyResult<void> {
    return init_mode(self, "LSTM", self[0].as<object::Tuple>()->items(), *self[1].as<object::Dict>());
  });
}
template <>
void define<LayerId::GRU>(LayerDefinition& layer) {
  define_rnn_forward(layer, "GRU");
  layer.init_alone("*args, **kwargs", [](LayerInit& self) -> PyResult<void> {
    object::Dict& kwargs = *self[1].as<object::Dict>();
    NNS_TRY(refuse_projection(self.interpreter, kwargs));
    return init_mode(self, "GRU", self[0].as<object::Tuple>()->items(), kwargs);
  });
}

}  // namespace nns::nn
