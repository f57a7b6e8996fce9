#include "core/nn/functional.h"
#include "core/nn/init.h"
#include "core/nn/layer_definition.h"
#include "core/nn/transformer_forward.h"
#include "core/object/copy.h"

// Behaviour: torch/nn/modules/transformer.py.
namespace nns::nn {
namespace {

// Adds __init__ whose parameter `activation` starts as functional.relu, which no text of a signature can say.
void init_with_activation(LayerDefinition& layer, std::string_view parameters, InitBody body) {
  const object::Signature read(layer.interpreter, fmt::format("self, {}", parameters));
  std::vector<object::Parameter> with_default(read.parameters().begin(), read.parameters().end());
  for (object::Parameter& parameter : with_default) {
    if (parameter.name.view() == "activation") parameter.default_value = layer.relu;
  }
  Interpreter& in = layer.interpreter;
  layer.cls.set_attribute(
      in.names().dunder_init,
      object::make<object::NativeFunction>(
          in, "__init__", fmt::format("{}.__init__", layer.cls.name()), object::Signature(std::move(with_default)),
          [cls = &layer.cls, body = std::move(body)](Interpreter& interpreter,
                                                     std::span<const Value> args) -> PyResult<Value> {
            LayerInit self(interpreter, *cls, args);
            NNS_TRY(body(self));
            return Value();
          }));
}

// "relu" and "gelu" as functions; anything else as it is.
PyResult<Value> activation_of(Interpreter& in, const Value& given) {
  const object::Str* name = given.as<object::Str>();
  if (name == nullptr) return given;
  if (name->view() == "relu") return functional(in, "relu");
  if (name->view() == "gelu") return functional(in, "gelu");
  return object::runtime_error(in, "activation should be relu/gelu, not {}", name->view());
}

// What both kinds of layer are made of: their parameters are the same.
struct LayerArguments {
  explicit LayerArguments(const LayerInit& self)
      : d_model(self[0]),
        nhead(self[1]),
        dim_feedforward(self[2]),
        dropout(self[3]),
        activation(self[4]),
        layer_norm_eps(self[5]),
        batch_first(self[6]),
        norm_first(self[7]),
        bias(self[8]),
        device(self[9]),
        dtype(self[10]) {}
  const Value &d_model, &nhead, &dim_feedforward, &dropout, &activation, &layer_norm_eps, &batch_first, &norm_first,
      &bias, &device, &dtype;

  PyResult<void> add_attention(const LayerInit& self, std::string_view name) const {
    return self.add_layer(
        name, LayerId::MultiheadAttention, {d_model, nhead},
        {{"dropout", dropout}, {"bias", bias}, {"batch_first", batch_first}, {"device", device}, {"dtype", dtype}});
  }
  PyResult<void> add_linear(const LayerInit& self, std::string_view name, const Value& in, const Value& out) const {
    return self.add_layer(name, LayerId::Linear, {in, out}, {{"bias", bias}, {"device", device}, {"dtype", dtype}});
  }
  PyResult<void> add_norm(const LayerInit& self, std::string_view name) const {
    return self.add_layer(name, LayerId::LayerNorm, {d_model},
                          {{"eps", layer_norm_eps}, {"bias", bias}, {"device", device}, {"dtype", dtype}});
  }
  PyResult<void> add_dropout(const LayerInit& self, std::string_view name) const {
    return self.add_layer(name, LayerId::Dropout, {dropout});
  }
};

constexpr std::string_view kLayerParameters =
    "d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=None, layer_norm_eps=1e-05, batch_first=False, "
    "norm_first=False, bias=True, device=None, dtype=None";

PyResult<void> add_feedforward(LayerInit& self, const LayerArguments& a) {
  NNS_TRY(a.add_linear(self, "linear1", a.d_model, a.dim_feedforward));
  NNS_TRY(a.add_dropout(self, "dropout"));
  return a.add_linear(self, "linear2", a.dim_feedforward, a.d_model);
}

PyResult<void> init_encoder_layer(LayerInit& self) {
  Interpreter& in = self.interpreter;
  const LayerArguments a(self);
  NNS_TRY(self.init_base());
  NNS_TRY(a.add_attention(self, "self_attn"));
  NNS_TRY(add_feedforward(self, a));
  NNS_TRY(self.set("norm_first", a.norm_first));
  for (const char* name : {"norm1", "norm2"}) NNS_TRY(a.add_norm(self, name));
  for (const char* name : {"dropout1", "dropout2"}) NNS_TRY(a.add_dropout(self, name));
  NNS_TRY_ASSIGN(const Value activation, activation_of(in, a.activation));
  const auto is_a = [&](LayerId id) { return object::isinstance(in, activation, layer_class(in, id)); };
  const int kind = activation.is(functional(in, "relu")) || is_a(LayerId::ReLU)   ? 1
                   : activation.is(functional(in, "gelu")) || is_a(LayerId::GELU) ? 2
                                                                                  : 0;
  NNS_TRY(self.set("activation_relu_or_gelu", Value(kind)));
  return self.set("activation", activation);
}

PyResult<void> init_decoder_layer(LayerInit& self) {
  const LayerArguments a(self);
  NNS_TRY(self.init_base());
  NNS_TRY(a.add_attention(self, "self_attn"));
  NNS_TRY(a.add_attention(self, "multihead_attn"));
  NNS_TRY(add_feedforward(self, a));
  NNS_TRY(self.set("norm_first", a.norm_first));
  for (const char* name : {"norm1", "norm2", "norm3"}) NNS_TRY(a.add_norm(self, name));
  for (const char* name : {"dropout1", "dropout2", "dropout3"}) NNS_TRY(a.add_dropout(self, name));
  NNS_TRY_ASSIGN(const Value activation, activation_of(self.interpreter, a.activation));
  return self.set("activation", activation);
}

// Behaviour: _get_clones: a ModuleList of deep copies.
PyResult<Value> clones(Interpreter& in, const Value& layer, const Value& count) {
  NNS_TRY_ASSIGN(const std::int64_t n, object::index(in, count));
  std::vector<Value> copies;
  for (std::int64_t i = 0; i < n; ++i) {
    NNS_TRY_ASSIGN(Value copy, object::deep_copy(in, layer));
    copies.push_back(std::move(copy));
  }
  return in.call(Value(static_cast<object::Object*>(NnLibrary::of(in).find_class("ModuleList"))),
                 {in.list(std::move(copies))});
}

// Why the encoder cannot take its fast path, or "".
PyResult<std::string> why_no_fast_path(Interpreter& in, const Value& given) {
  LayerSelf layer(in, given);
  if (!object::isinstance(in, given, layer_class(in, LayerId::TransformerEncoderLayer))) {
    return "encoder_layer was not TransformerEncoderLayer";
  }
  NNS_TRY_ASSIGN(const Value attention_value, layer.get("self_attn"));
  LayerSelf attention(in, attention_value);
  NNS_TRY_ASSIGN(const bool norm_first, layer.is_true("norm_first"));
  if (norm_first) return "encoder_layer.norm_first was True";
  NNS_TRY_ASSIGN(const bool batch_first, attention.is_true("batch_first"));
  if (!batch_first) {
    return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)";
  }
  NNS_TRY_ASSIGN(const bool same, attention.is_true("_qkv_same_embed_dim"));
  if (!same) return "encoder_layer.self_attn._qkv_same_embed_dim was not True";
  NNS_TRY_ASSIGN(const bool no_bias, attention.is_none("in_proj_bias"));
  if (no_bias) return "encoder_layer.self_attn was passed bias=False";
  NNS_TRY_ASSIGN(const bool known_activation, layer.is_true("activation_relu_or_gelu"));
  if (!known_activation) return "encoder_layer.activation_relu_or_gelu was not True";
  NNS_TRY_ASSIGN(const Value norm1, layer.get("norm1"));
  NNS_TRY_ASSIGN(const Value norm2, layer.get("norm2"));
  NNS_TRY_ASSIGN(const double eps1, LayerSelf(in, norm1).get_float("eps"));
  NNS_TRY_ASSIGN(const double eps2, LayerSelf(in, norm2).get_float("eps"));
  if (eps1 != eps2) return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps";
  NNS_TRY_ASSIGN(const std::int64_t heads, attention.get_int("num_heads"));
  if (heads % 2 == 1) return "encoder_layer.self_attn.num_heads is odd";
  return "";
}

PyResult<void> init_encoder(LayerInit& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Value layers, clones(in, self[0], self[1]));
  NNS_TRY(self.set("layers", layers));
  NNS_TRY(self.set("num_layers", self[1]));
  NNS_TRY(self.set("norm", self[2]));
  NNS_TRY(self.set("enable_nested_tensor", self[3]));
  NNS_TRY(self.set("use_nested_tensor", self[3]));
  NNS_TRY(self.set("mask_check", self[4]));
  NNS_TRY_ASSIGN(const std::string why_not, why_no_fast_path(in, self[0]));
  NNS_TRY_ASSIGN(const bool enabled, self.bool_argument(3));
  if (why_not.empty() || !enabled) return {};
  in.warn(object::ErrorKind::UserWarning,
          fmt::format("enable_nested_tensor is True, but self.use_nested_tensor is False because {}", why_not));
  return self.set("use_nested_tensor", Value(false));
}

PyResult<void> init_transformer(LayerInit& self) {
  // d_model 0, nhead 1, encoder layers 2, decoder layers 3, dim_feedforward 4, dropout 5, activation 6,
  // custom_encoder 7, custom_decoder 8, layer_norm_eps 9, batch_first 10, norm_first 11, bias 12, device 13, dtype 14.
  Interpreter& in = self.interpreter;
  const auto add_stack = [&](std::string_view name, const Value& custom, LayerId layer_id, LayerId stack_id,
                             const Value& count) -> PyResult<void> {
    if (!custom.is_none()) return self.set(name, custom);
    NNS_TRY_ASSIGN(const Value layer, make_layer(in, layer_id,
                                                 {self[0], self[1], self[4], self[5], self[6], self[9], self[10],
                                                  self[11], self[12], self[13], self[14]}));
    NNS_TRY_ASSIGN(const Value norm,
                   make_layer(in, LayerId::LayerNorm, {self[0]},
                              {{"eps", self[9]}, {"bias", self[12]}, {"device", self[13]}, {"dtype", self[14]}}));
    return self.add_layer(name, stack_id, {layer, count, norm});
  };
  NNS_TRY(self.init_base());
  NNS_TRY(add_stack("encoder", self[7], LayerId::TransformerEncoderLayer, LayerId::TransformerEncoder, self[2]));
  NNS_TRY(add_stack("decoder", self[8], LayerId::TransformerDecoderLayer, LayerId::TransformerDecoder, self[3]));
  NNS_TRY(self.call("_reset_parameters"));
  NNS_TRY(self.set("d_model", self[0]));
  NNS_TRY(self.set("nhead", self[1]));
  return self.set("batch_first", self[10]);
}

PyResult<Value> reset_transformer(LayerSelf& self) {
  NNS_TRY_ASSIGN(const Value parameters, self.call("parameters"));
  NNS_TRY(object::for_each(self.interpreter, parameters, [](const Value& one) -> PyResult<void> {
    Tensor* weight = one.as<Tensor>();
    return weight != nullptr && weight->ndim() > 1 ? init::xavier_uniform_(*weight) : PyResult<void>();
  }));
  return Value();
}

}  // namespace

template <>
void define<LayerId::TransformerEncoderLayer>(LayerDefinition& layer) {
  define_encoder_layer_forward(layer);
  init_with_activation(layer, kLayerParameters, init_encoder_layer);
}
template <>
void define<LayerId::TransformerDecoderLayer>(LayerDefinition& layer) {
  define_decoder_layer_forward(layer);
  init_with_activation(layer, kLayerParameters, init_decoder_layer);
}
template <>
void define<LayerId::TransformerEncoder>(LayerDefinition& layer) {
  define_encoder_forward(layer);
  layer.init("encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True", init_encoder);
}
template <>
void define<LayerId::TransformerDecoder>(LayerDefinition& layer) {
  define_decoder_forward(layer);
  layer.init("decoder_layer, num_layers, norm=None", [](LayerInit& self) -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value layers, clones(self.interpreter, self[0], self[1]));
    NNS_TRY(self.set("layers", layers));
    NNS_TRY(self.set("num_layers", self[1]));
    return self.set("norm", self[2]);
  });
}
template <>
void define<LayerId::Transformer>(LayerDefinition& layer) {
  define_transformer_forward(layer);
  init_with_activation(layer,
                       "d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, "
                       "dropout=0.1, activation=None, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-05, "
                       "batch_first=False, norm_first=False, bias=True, device=None, dtype=None",
                       init_transformer);
  layer.method("_reset_parameters", reset_transformer);
}

}  // namespace nns::nn
