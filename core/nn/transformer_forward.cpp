#include "core/nn/transformer_forward.h"

#include "core/nn/masks.h"

namespace nns::nn {
namespace {

using ops::OpId;

// callable(*positional, **keywords).
PyResult<Value> call_with(Interpreter& in, const Value& callable, std::initializer_list<Value> positional,
                          std::initializer_list<NamedArgument> keywords) {
  std::vector<Keyword> named;
  for (const auto& [name, value] : keywords) named.push_back({in.intern(name), value});
  return in.call(callable, std::span<const Value>(positional.begin(), positional.size()), named);
}

// self.name(x) of a module or function that is an attribute.
PyResult<Value> through(LayerSelf& self, std::string_view name, const Value& x) {
  NNS_TRY_ASSIGN(const Value callable, self.get(name));
  return self.interpreter.call(callable, {x});
}

PyResult<Value> sum(Interpreter& in, const Value& a, const Value& b) { return ops::call_op(in, OpId::add, {a, b}); }

PyResult<Value> numbers_mask(Interpreter& in, const Value& mask, std::string_view name, const Value& other,
                             std::string_view other_name, const Value& like) {
  const Tensor* const source = like.as<Tensor>();
  if (source == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute 'dtype'", in.type_of(like).name());
  }
  NNS_TRY_ASSIGN(const ops::Term made, canonical_mask(in, Ref<Tensor>(mask.as<Tensor>()), name,
                                                      Ref<Tensor>(other.as<Tensor>()), other_name, *source));
  return ops::value_of(made);
}

// ---------------------------------------------------------------- one layer

// The attention self.<attention>(x, memory, memory), without weights, behind it self.<dropout>.
// Arguments: self, x, [memory,] attn_mask, key_padding_mask, is_causal.
PyResult<Value> attention_block(Interpreter& in, std::string_view attention, std::string_view dropout,
                                const Value& layer, const Value& x, const Value& memory,
                                std::span<const Value> settings) {
  LayerSelf self(in, layer);
  NNS_TRY_ASSIGN(const Value module, self.get(attention));
  NNS_TRY_ASSIGN(const Value pair, call_with(in, module, {x, memory, memory},
                                             {{"attn_mask", settings[0]},
                                              {"key_padding_mask", settings[1]},
                                              {"is_causal", settings[2]},
                                              {"need_weights", Value(false)}}));
  NNS_TRY_ASSIGN(const Value made, object::getitem(in, pair, Value(0)));
  return through(self, dropout, made);
}

void define_blocks(LayerDefinition& layer, std::string_view last_dropout) {
  layer.cls.def("_sa_block(self, x, attn_mask, key_padding_mask, is_causal=False)",
                [](Interpreter& in, std::span<const Value> a) {
                  return attention_block(in, "self_attn", "dropout1", a[0], a[1], a[1], a.subspan(2));
                });
  layer.cls.def("_ff_block(self, x)",
                [last = std::string(last_dropout)](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                  LayerSelf self(in, a[0]);
                  Value x = a[1];
                  for (const std::string_view name : {"linear1", "activation", "dropout", "linear2"}) {
                    NNS_TRY_ASSIGN(x, through(self, name, x));
                  }
                  return through(self, last, x);
                });
}

// One step of a layer: x + block(norm(x)) if the norm is first, else norm(x + block(x)).
PyResult<Value> residual(LayerSelf& self, std::string_view norm, const Value& x, std::string_view block,
                         std::vector<Value> arguments) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const bool norm_first, self.is_true("norm_first"));
  Value input = x;
  if (norm_first) {
    NNS_TRY_ASSIGN(input, through(self, norm, x));
  }
  arguments.insert(arguments.begin(), input);
  NNS_TRY_ASSIGN(const Value made, in.call_method(self.value, in.intern(block), arguments));
  NNS_TRY_ASSIGN(const Value whole, sum(in, x, made));
  return norm_first ? PyResult<Value>(whole) : through(self, norm, whole);
}

// self, src 1, src_mask 2, src_key_padding_mask 3, is_causal 4.
PyResult<Value> encoder_layer(Interpreter& in, std::span<const Value> a) {
  LayerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const Value padding, numbers_mask(in, a[3], "src_key_padding_mask", a[2], "src_mask", a[1]));
  NNS_TRY_ASSIGN(const Value mask, numbers_mask(in, a[2], "src_mask", Value(), "", a[1]));
  NNS_TRY_ASSIGN(const Value x, residual(self, "norm1", a[1], "_sa_block", {mask, padding, a[4]}));
  return residual(self, "norm2", x, "_ff_block", {});
}

// self, tgt 1, memory 2, tgt_mask 3, memory_mask 4, tgt_key_padding_mask 5, memory_key_padding_mask 6, tgt_is_causal 7,
// memory_is_causal 8.
PyResult<Value> decoder_layer(Interpreter& in, std::span<const Value> a) {
  LayerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const Value x, residual(self, "norm1", a[1], "_sa_block", {a[3], a[5], a[7]}));
  NNS_TRY_ASSIGN(const Value y, residual(self, "norm2", x, "_mha_block", {a[2], a[4], a[6], a[8]}));
  return residual(self, "norm3", y, "_ff_block", {});
}

// ---------------------------------------------------------------- stacks

// -inf above the diagonal, 0 elsewhere.
Ref<Tensor> causal_mask(Interpreter& in, std::int64_t size, tensor::DType dtype, tensor::Device device) {
  Ref<Tensor> made = tensor::zeros(in, tensor::Dims({size, size}), dtype, device);
  if (made->is_meta()) return made;
  for (std::int64_t row = 0; row < size; ++row) {
    const Ref<Tensor> behind =
        tensor::as_strided(*made, tensor::Dims({size - row - 1}), tensor::Dims({1}), row * size + row + 1);
    tensor::fill_items(*behind, -std::numeric_limits<double>::infinity());
  }
  return made;
}

// The length of the sequences of `x`, as the first layer's attention reads them.
PyResult<std::int64_t> sequence_length(LayerSelf& stack, const Value& x) {
  const Tensor& input = *x.as<Tensor>();
  if (input.ndim() < 3) return input.ndim() == 0 ? 0 : input.shape()[0];
  NNS_TRY_ASSIGN(const Value layers, stack.get("layers"));
  NNS_TRY_ASSIGN(const Value first, object::getitem(stack.interpreter, layers, Value(0)));
  NNS_TRY_ASSIGN(const Value attention, LayerSelf(stack.interpreter, first).get("self_attn"));
  NNS_TRY_ASSIGN(const bool batch_first, LayerSelf(stack.interpreter, attention).is_true("batch_first"));
  return input.shape()[batch_first ? 1 : 0];
}

// Behaviour: _detect_is_causal_mask: what was not said is seen from the mask.
PyResult<Value> is_causal(LayerSelf& stack, const Value& x, const Value& mask, const Value& given) {
  if (!given.is_none()) return given;
  const Tensor* const shown = mask.as<Tensor>();
  if (shown == nullptr || shown->is_meta()) return Value(false);
  NNS_TRY_ASSIGN(const std::int64_t length, sequence_length(stack, x));
  if (!(shown->shape() == tensor::Dims({length, length}))) return Value(false);
  const Ref<Tensor> causal = causal_mask(stack.interpreter, length, shown->dtype(), shown->device());
  return Value(tensor::equal(*shown, *causal));
}

PyResult<Value> through_norm(LayerSelf& self, const Value& x) {
  NNS_TRY_ASSIGN(const bool none, self.is_none("norm"));
  return none ? PyResult<Value>(x) : through(self, "norm", x);
}

// self, src 1, mask 2, src_key_padding_mask 3, is_causal 4.
PyResult<Value> encoder(Interpreter& in, std::span<const Value> a) {
  LayerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const Value padding, numbers_mask(in, a[3], "src_key_padding_mask", a[2], "mask", a[1]));
  NNS_TRY_ASSIGN(const Value mask, numbers_mask(in, a[2], "mask", Value(), "", a[1]));
  NNS_TRY_ASSIGN(const Value causal, is_causal(self, a[1], mask, a[4]));
  NNS_TRY_ASSIGN(const Value layers, self.get("layers"));
  Value x = a[1];
  NNS_TRY(object::for_each(in, layers, [&](const Value& layer) -> PyResult<void> {
    NNS_TRY_ASSIGN(
        x, call_with(in, layer, {x}, {{"src_mask", mask}, {"is_causal", causal}, {"src_key_padding_mask", padding}}));
    return {};
  }));
  return through_norm(self, x);
}

PyResult<Value> decoder(Interpreter& in, std::span<const Value> a) {
  LayerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const Value causal, is_causal(self, a[1], a[3], a[7]));
  NNS_TRY_ASSIGN(const Value layers, self.get("layers"));
  Value x = a[1];
  NNS_TRY(object::for_each(in, layers, [&](const Value& layer) -> PyResult<void> {
    NNS_TRY_ASSIGN(x, call_with(in, layer, {x, a[2]},
                                {{"tgt_mask", a[3]},
                                 {"memory_mask", a[4]},
                                 {"tgt_key_padding_mask", a[5]},
                                 {"memory_key_padding_mask", a[6]},
                                 {"tgt_is_causal", causal},
                                 {"memory_is_causal", a[8]}}));
    return {};
  }));
  return through_norm(self, x);
}

// self, src 1, tgt 2, src_mask 3, tgt_mask 4, memory_mask 5, src_key_padding_mask 6, tgt_key_padding_mask 7,
// memory_key_padding_mask 8, src_is_causal 9, tgt_is_causal 10, memory_is_causal 11.
PyResult<Value> transform(Interpreter& in, std::span<const Value> a) {
  LayerSelf self(in, a[0]);
  const Tensor *const source = a[1].as<Tensor>(), *const target = a[2].as<Tensor>();
  if (source == nullptr || target == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute 'dim'",
                                   in.type_of(source == nullptr ? a[1] : a[2]).name());
  }
  NNS_TRY_ASSIGN(const bool batch_first, self.is_true("batch_first"));
  NNS_TRY_ASSIGN(const std::int64_t width, self.get_int("d_model"));
  const std::size_t batch = batch_first ? 0 : 1;
  if (source->ndim() == 3 && target->ndim() > batch && source->shape()[batch] != target->shape()[batch]) {
    return object::runtime_error(in, "the batch number of src and tgt must be equal");
  }
  const auto has_width = [&](const Tensor& x) { return x.ndim() > 0 && x.shape()[x.ndim() - 1] == width; };
  if (!has_width(*source) || !has_width(*target)) {
    return object::runtime_error(in, "the feature number of src and tgt must be equal to d_model");
  }
  NNS_TRY_ASSIGN(const Value encode, self.get("encoder"));
  NNS_TRY_ASSIGN(const Value decode, self.get("decoder"));
  NNS_TRY_ASSIGN(const Value memory,
                 call_with(in, encode, {a[1]}, {{"mask", a[3]}, {"src_key_padding_mask", a[6]}, {"is_causal", a[9]}}));
  return call_with(in, decode, {a[2], memory},
                   {{"tgt_mask", a[4]},
                    {"memory_mask", a[5]},
                    {"tgt_key_padding_mask", a[7]},
                    {"memory_key_padding_mask", a[8]},
                    {"tgt_is_causal", a[10]},
                    {"memory_is_causal", a[11]}});
}

}  // namespace

void define_encoder_layer_forward(LayerDefinition& layer) {
  define_blocks(layer, "dropout2");
  layer.cls.def("forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False)", encoder_layer);
}

void define_decoder_layer_forward(LayerDefinition& layer) {
  define_blocks(layer, "dropout3");
  layer.cls.def("_mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False)",
                [](Interpreter& in, std::span<const Value> a) {
                  return attention_block(in, "multihead_attn", "dropout2", a[0], a[1], a[2], a.subspan(3));
                });
  layer.cls.def(
      "forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
      "memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False)",
      decoder_layer);
}

void define_encoder_forward(LayerDefinition& layer) {
  layer.cls.def("forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None)", encoder);
}

void define_decoder_forward(LayerDefinition& layer) {
  layer.cls.def(
      "forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
      "memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False)",
      decoder);
}

void define_transformer_forward(LayerDefinition& layer) {
  layer.cls.def(
      "forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, "
      "tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None, "
      "memory_is_causal=False)",
      transform);
  layer.cls.def_static("generate_square_subsequent_mask(sz, device=None, dtype=None)",
                       [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                         NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[0]));
                         tensor::DType dtype = tensor::TensorLibrary::of(in).default_dtype;
                         tensor::Device device = tensor::Device::Cpu;
                         if (!a[1].is_none()) {
                           NNS_TRY_ASSIGN(device, tensor::device_of(in, a[1]));
                         }
                         if (!a[2].is_none()) {
                           NNS_TRY_ASSIGN(dtype, tensor::dtype_of(in, a[2]));
                         }
                         return Value(causal_mask(in, size, dtype, device));
                       });
}

}  // namespace nns::nn
