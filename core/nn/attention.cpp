#include "core/nn/init.h"
#include "core/nn/layer_definition.h"
#include "core/nn/masks.h"

namespace nns::nn {
namespace {

// Fills self.name if it is a tensor.
PyResult<void> fill_if_tensor(LayerSelf& self, std::string_view name,
                              const std::function<PyResult<void>(Tensor&)>& fill) {
  NNS_TRY_ASSIGN(Tensor* const tensor, self.get_tensor(name));
  return tensor == nullptr ? PyResult<void>() : fill(*tensor);
}

PyResult<void> xavier_uniform(Tensor& weight) { return init::xavier_uniform_(weight); }
PyResult<void> xavier_normal(Tensor& weight) { return init::xavier_normal_(weight); }
PyResult<void> zero(Tensor& weight) {
  init::constant_(weight, 0);
  return {};
}

PyResult<void> init_attention(LayerInit& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const std::int64_t embed_dim, self.int_argument(0));
  NNS_TRY_ASSIGN(const std::int64_t num_heads, self.int_argument(1));
  NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(3));
  NNS_TRY_ASSIGN(const bool has_bias_kv, self.bool_argument(4));
  if (embed_dim <= 0 || num_heads <= 0) {
    return object::value_error(
        in, "embed_dim and num_heads must be greater than 0, got embed_dim={} and num_heads={} instead", embed_dim,
        num_heads);
  }
  NNS_TRY_ASSIGN(const Factory factory, self.factory(self[9], self[10]));
  NNS_TRY(self.init_base());
  // 1. Plain attributes.
  const Value kdim = self[6].is_none() ? self[0] : self[6];
  const Value vdim = self[7].is_none() ? self[0] : self[7];
  NNS_TRY_ASSIGN(const std::int64_t key_size, object::index(in, kdim));
  NNS_TRY_ASSIGN(const std::int64_t value_size, object::index(in, vdim));
  const bool same = key_size == embed_dim && value_size == embed_dim;
  NNS_TRY(self.set("embed_dim", self[0]));
  NNS_TRY(self.set("kdim", kdim));
  NNS_TRY(self.set("vdim", vdim));
  NNS_TRY(self.set("_qkv_same_embed_dim", Value(same)));
  NNS_TRY(self.set("num_heads", self[1]));
  NNS_TRY(self.set("dropout", self[2]));
  NNS_TRY(self.set("batch_first", self[8]));
  NNS_TRY(self.set("head_dim", Value(embed_dim / num_heads)));
  if (embed_dim % num_heads != 0) {
    return object::make_error(in, object::ErrorKind::AssertionError, "embed_dim must be divisible by num_heads");
  }
  // 2. One weight for query, key and value, or three; the other names stay registered as None.
  if (same) {
    NNS_TRY(self.add_parameter("in_proj_weight", {3 * embed_dim, embed_dim}, factory));
    for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"}) NNS_TRY(self.add_no_parameter(name));
  } else {
    NNS_TRY(self.add_parameter("q_proj_weight", {embed_dim, embed_dim}, factory));
    NNS_TRY(self.add_parameter("k_proj_weight", {embed_dim, key_size}, factory));
    NNS_TRY(self.add_parameter("v_proj_weight", {embed_dim, value_size}, factory));
    NNS_TRY(self.add_no_parameter("in_proj_weight"));
  }
  NNS_TRY(self.add_parameter_if(has_bias, "in_proj_bias", {3 * embed_dim}, factory));
  NNS_TRY(self.add_layer("out_proj", LayerId::NonDynamicallyQuantizableLinear, {self[0], self[0]},
                         {{"bias", self[3]}, {"device", self[9]}, {"dtype", self[10]}}));
  // 3. Without add_bias_kv the two are plain attributes.
  for (const char* name : {"bias_k", "bias_v"}) {
    NNS_TRY(has_bias_kv ? self.add_parameter(name, {1, 1, embed_dim}, factory) : self.set(name, Value()));
  }
  NNS_TRY(self.set("add_zero_attn", self[5]));
  NNS_TRY(self.call("_reset_parameters"));
  return {};
}

PyResult<Value> reset_attention(LayerSelf& self) {
  NNS_TRY_ASSIGN(const bool same, self.is_true("_qkv_same_embed_dim"));
  if (same) {
    NNS_TRY(fill_if_tensor(self, "in_proj_weight", xavier_uniform));
  } else {
    for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"}) {
      NNS_TRY(fill_if_tensor(self, name, xavier_uniform));
    }
  }
  NNS_TRY_ASSIGN(const bool no_bias, self.is_none("in_proj_bias"));
  if (!no_bias) {
    NNS_TRY(fill_if_tensor(self, "in_proj_bias", zero));
    NNS_TRY_ASSIGN(const Value out_proj, self.get("out_proj"));
    LayerSelf projection(self.interpreter, out_proj);
    NNS_TRY(fill_if_tensor(projection, "bias", zero));
  }
  for (const char* name : {"bias_k", "bias_v"}) NNS_TRY(fill_if_tensor(self, name, xavier_normal));
  return Value();
}

// A mask argument as one of numbers.
PyResult<Value> mask_value(Interpreter& in, const Value& mask, std::string_view name, const Value& other,
                           std::string_view other_name, const Tensor& like) {
  NNS_TRY_ASSIGN(const ops::Term made, canonical_mask(in, Ref<Tensor>(mask.as<Tensor>()), name,
                                                      Ref<Tensor>(other.as<Tensor>()), other_name, like));
  return ops::value_of(made);
}

PyResult<Value> turned(Interpreter& in, const Value& x) {
  return ops::call_op(in, ops::OpId::transpose, {x, Value(1), Value(0)});
}

// self, query 1, key 2, value 3, key_padding_mask 4, need_weights 5, attn_mask 6, average_attn_weights 7, is_causal 8.
// Differs: torch has a second, fused path for evaluation without gradients; it gives the same numbers.
PyResult<Value> attend(Interpreter& in, std::span<const Value> a) {
  LayerSelf self(in, a[0]);
  const Tensor* const first = a[1].as<Tensor>();
  if (first == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute 'dim'", in.type_of(a[1]).name());
  }
  NNS_TRY_ASSIGN(const Value padding, mask_value(in, a[4], "key_padding_mask", a[6], "attn_mask", *first));
  NNS_TRY_ASSIGN(const Value mask, mask_value(in, a[6], "attn_mask", Value(), "", *first));
  NNS_TRY_ASSIGN(const bool batch_first, self.is_true("batch_first"));
  const bool turns = batch_first && first->ndim() == 3;
  Value query = a[1], key = a[2], value = a[3];
  if (turns) {
    // Arguments that are one tensor stay one: they are projected together.
    NNS_TRY_ASSIGN(query, turned(in, a[1]));
    key = query;
    if (!a[2].is(a[1])) {
      NNS_TRY_ASSIGN(key, turned(in, a[2]));
    }
    value = key;
    if (!a[3].is(a[2])) {
      NNS_TRY_ASSIGN(value, turned(in, a[3]));
    }
  }
  std::vector<Value> positional{query, key, value};
  for (const char* name :
       {"embed_dim", "num_heads", "in_proj_weight", "in_proj_bias", "bias_k", "bias_v", "add_zero_attn", "dropout"}) {
    NNS_TRY_ASSIGN(Value one, self.get(name));
    positional.push_back(std::move(one));
  }
  NNS_TRY_ASSIGN(const Value out_proj, self.get("out_proj"));
  for (const char* name : {"weight", "bias"}) {
    NNS_TRY_ASSIGN(Value one, LayerSelf(in, out_proj).get(name));
    positional.push_back(std::move(one));
  }
  NNS_TRY_ASSIGN(const bool same, self.is_true("_qkv_same_embed_dim"));
  NNS_TRY_ASSIGN(const Value training, self.get("training"));
  positional.insert(positional.end(), {training, padding, a[5], mask, Value(!same)});
  for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"}) {
    Value one;
    if (!same) {
      NNS_TRY_ASSIGN(one, self.get(name));
    }
    positional.push_back(std::move(one));
  }
  positional.insert(positional.end(), {Value(), Value(), a[7], a[8]});
  NNS_TRY_ASSIGN(const Value made, call_functional(in, "multi_head_attention_forward", positional));
  if (!turns) return made;
  const object::Tuple& pair = *made.as<object::Tuple>();
  NNS_TRY_ASSIGN(const Value output, turned(in, pair[0]));
  return Value(in.tuple({output, pair[1]}));
}

}  // namespace

// Behaviour: torch/nn/modules/activation.py, class MultiheadAttention.
template <>
void define<LayerId::MultiheadAttention>(LayerDefinition& layer) {
  layer
      .init_alone(
          "embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, "
          "batch_first=False, device=None, dtype=None",
          init_attention)
      .method("_reset_parameters", reset_attention);
  layer.cls.def(
      "forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
      "average_attn_weights=True, is_causal=False)",
      attend);
}

}  // namespace nns::nn
