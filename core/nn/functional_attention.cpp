#include <fmt/format.h>

#include <cmath>

#include "core/nn/arguments.h"
#include "core/nn/masks.h"

// Behaviour: torch/nn/functional.py, scaled_dot_product_attention and multi_head_attention_forward.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

std::string size_text(const Term& term) { return tensor::size_text(term.tensor().shape()); }

// The parameters of multi_head_attention_forward, in their order.
enum Parameter : std::size_t {
  kQuery,
  kKey,
  kValue,
  kEmbedDim,
  kHeads,
  kInWeight,
  kInBias,
  kBiasK,
  kBiasV,
  kAddZero,
  kDropout,
  kOutWeight,
  kOutBias,
  kTraining,
  kPadding,
  kNeedWeights,
  kMask,
  kSeparate,
  kQueryWeight,
  kKeyWeight,
  kValueWeight,
  kStaticKey,
  kStaticValue,
  kAverage,
  kCausal,
};

// One call of multi_head_attention_forward; sizes: target length, batch, source length, width of a head.
class MultiHead {
 public:
  explicit MultiHead(FunctionCall& call) : call_(call), in_(call.interpreter) {}

  PyResult<Value> run() {
    NNS_TRY(check_shapes());
    NNS_TRY(prepare_masks());
    NNS_TRY(check_widths());
    NNS_TRY(project());
    NNS_TRY(check_mask_size());
    NNS_TRY(add_biases());
    NNS_TRY(split_heads());
    NNS_TRY(merge_masks());
    return call_.flag(kNeedWeights) ? attend_with_weights() : attend();
  }

 private:
  Term viewed(const Term& x, std::initializer_list<std::int64_t> shape) const {
    return ops::apply(OpId::reshape, {x, ops::dims_value(in_, Dims(shape))});
  }
  static Term unsqueezed(const Term& x, int dim) { return ops::apply(OpId::unsqueeze, {x, dim}); }
  static Term turned(const Term& x, int a, int b) { return ops::apply(OpId::transpose, {x, a, b}); }
  Term joined(const Term& a, const Term& b, int dim) const {
    if (!a.ok()) return a;
    if (!b.ok()) return b;
    return ops::call_tensor_op(in_, OpId::cat,
                               std::array{Value(in_.tuple({Value(a.ref()), Value(b.ref())})), Value(dim)});
  }
  // One more column of zeros: what was added to the keys is seen by all.
  Term padded(const Term& mask) const {
    if (!mask.ok() || mask.is_none()) return mask;
    Dims column = mask.tensor().shape();
    column[column.size() - 1] = 1;
    return joined(mask, ops::zeros_like(mask, column), -1);
  }

  // Behaviour: _mha_shape_check. Without a batch, one is added.
  PyResult<void> check_shapes() {
    query_ = call_.term(kQuery);
    key_ = call_.term(kKey);
    value_ = call_.term(kValue);
    padding_ = call_.term(kPadding);
    mask_ = call_.term(kMask);
    const std::size_t ndim = query_.tensor().ndim();
    if (ndim != 2 && ndim != 3) {
      return assertion(
          in_, fmt::format("query should be unbatched 2D or batched 3D tensor but received {}-D query tensor", ndim));
    }
    is_batched_ = ndim == 3;
    const std::string_view kind = is_batched_ ? "batched" : "unbatched";
    const std::string start = fmt::format("For {} ({}-D) `query`, expected ", kind, ndim);
    if (key_.tensor().ndim() != ndim || value_.tensor().ndim() != ndim) {
      return assertion(in_, fmt::format("{}`key` and `value` to be {}-D but found {}-D and {}-D tensors respectively",
                                        start, ndim, key_.tensor().ndim(), value_.tensor().ndim()));
    }
    if (!padding_.is_none() && padding_.tensor().ndim() != ndim - 1) {
      return assertion(in_, fmt::format("{}`key_padding_mask` to be `None` or {}-D but found {}-D tensor instead",
                                        start, ndim - 1, padding_.tensor().ndim()));
    }
    if (!mask_.is_none() && mask_.tensor().ndim() != 2 && mask_.tensor().ndim() != 3) {
      return assertion(in_, fmt::format("{}`attn_mask` to be `None`, 2-D or 3-D but found {}-D tensor instead", start,
                                        mask_.tensor().ndim()));
    }
    if (is_batched_) return {};
    if (!mask_.is_none() && mask_.tensor().ndim() == 3) {
      const Dims expected({call_.integer(kHeads), query_.tensor().shape()[0], key_.tensor().shape()[0]});
      if (!(mask_.tensor().shape() == expected)) {
        return assertion(in_, fmt::format("Expected `attn_mask` shape to be ({}) but got {}",
                                          fmt::join(expected.span(), ", "), size_text(mask_)));
      }
    }
    // Two that are one object stay one.
    const Term query = unsqueezed(query_, 1);
    const Term key = is_same(kKey, kQuery) ? query : unsqueezed(key_, 1);
    value_ = is_same(kValue, kKey) ? key : unsqueezed(value_, 1);
    query_ = query;
    key_ = key;
    if (!padding_.is_none()) padding_ = unsqueezed(padding_, 0);
    return {};
  }

  bool is_same(Parameter a, Parameter b) const { return call_.tensor(a) == call_.tensor(b); }

  PyResult<void> prepare_masks() {
    const Dims& shape = query_.tensor().shape();
    targets_ = shape[0];
    batch_ = shape[1];
    sources_ = key_.tensor().shape()[0];
    is_causal_ = call_.flag(kCausal);
    NNS_TRY_ASSIGN(padding_, canonical_mask(in_, padding_, "key_padding_mask", mask_, "attn_mask", query_.tensor()));
    if (is_causal_ && mask_.is_none()) {
      return object::runtime_error(in_, "Need attn_mask if specifying the is_causal hint.");
    }
    if (is_causal_ && padding_.is_none() && !call_.flag(kNeedWeights)) {
      mask_ = Term();
      return {};
    }
    NNS_TRY_ASSIGN(mask_, canonical_mask(in_, mask_, "attn_mask", Term(), "", query_.tensor()));
    is_causal_ = is_causal_ && padding_.is_none();
    return {};
  }

  PyResult<void> check_widths() {
    const Dims& shape = query_.tensor().shape();
    width_ = shape[2];
    heads_ = call_.integer(kHeads);
    if (width_ != call_.integer(kEmbedDim)) {
      return assertion(
          in_, fmt::format("was expecting embedding dimension of {}, but got {}", call_.integer(kEmbedDim), width_));
    }
    if (heads_ <= 0 || width_ % heads_ != 0) {
      return assertion(in_, fmt::format("embed_dim {} not divisible by num_heads {}", width_, heads_));
    }
    head_ = width_ / heads_;
    const Dims &keys = key_.tensor().shape(), &values = value_.tensor().shape();
    if (call_.flag(kSeparate)) {
      if (keys[0] != values[0] || keys[1] != values[1]) {
        return assertion(in_, fmt::format("key's sequence and batch dims {} do not match value's {}",
                                          tensor::size_text(Dims({keys[0], keys[1]})),
                                          tensor::size_text(Dims({values[0], values[1]}))));
      }
    } else if (!(keys == values)) {
      return assertion(in_,
                       fmt::format("key shape {} does not match value shape {}", size_text(key_), size_text(value_)));
    }
    return {};
  }

  // Part number `first` to `last` (of three) of a weight or bias of all projections.
  Term part(const Term& whole, std::int64_t first, std::int64_t count) const {
    if (whole.is_none()) return whole;
    return ops::apply(OpId::narrow, {whole, 0, first * width_, count * width_});
  }
  Term linear(const Term& x, const Term& weight, const Term& bias) const {
    return ops::apply(OpId::linear, {x, weight, bias});
  }
  static Term columns(const Term& x, std::int64_t begin, std::int64_t count) {
    return ops::apply(OpId::narrow, {x, -1, begin, count});
  }

  // Behaviour: _in_projection_packed and _in_projection: what is one tensor is projected in one product.
  PyResult<void> project() {
    const Term bias = call_.term(kInBias);
    if (call_.flag(kSeparate)) {
      for (const auto& [parameter, name] :
           {std::pair(kQueryWeight, "q"), std::pair(kKeyWeight, "k"), std::pair(kValueWeight, "v")}) {
        if (call_.is_none(parameter)) {
          return assertion(in_, fmt::format("use_separate_proj_weight is True but {}_proj_weight is None", name));
        }
      }
      q_ = linear(query_, call_.term(kQueryWeight), part(bias, 0, 1));
      k_ = linear(key_, call_.term(kKeyWeight), part(bias, 1, 1));
      v_ = linear(value_, call_.term(kValueWeight), part(bias, 2, 1));
      return {};
    }
    if (call_.is_none(kInWeight)) {
      return assertion(in_, "use_separate_proj_weight is False but in_proj_weight is None");
    }
    const Term weight = call_.term(kInWeight);
    if (is_same(kKey, kValue) && is_same(kQuery, kKey)) {
      const Term all = linear(query_, weight, bias);
      q_ = columns(all, 0, width_);
      k_ = columns(all, width_, width_);
      v_ = columns(all, 2 * width_, width_);
    } else if (is_same(kKey, kValue)) {
      q_ = linear(query_, part(weight, 0, 1), part(bias, 0, 1));
      const Term both = linear(key_, part(weight, 1, 2), part(bias, 1, 2));
      k_ = columns(both, 0, width_);
      v_ = columns(both, width_, width_);
    } else {
      q_ = linear(query_, part(weight, 0, 1), part(bias, 0, 1));
      k_ = linear(key_, part(weight, 1, 1), part(bias, 1, 1));
      v_ = linear(value_, part(weight, 2, 1), part(bias, 2, 1));
    }
    return {};
  }

  PyResult<void> check_mask_size() {
    if (mask_.is_none()) return {};
    const Dims& shape = mask_.tensor().shape();
    const Dims wanted = shape.size() == 2 ? Dims({targets_, sources_}) : Dims({batch_ * heads_, targets_, sources_});
    if (!(shape == wanted)) {
      return object::runtime_error(in_, "The shape of the {}D attn_mask is {}, but should be ({}).", shape.size(),
                                   size_text(mask_), fmt::join(wanted.span(), ", "));
    }
    if (shape.size() == 2) mask_ = unsqueezed(mask_, 0);
    return {};
  }

  PyResult<void> add_biases() {
    if (call_.is_none(kBiasK) || call_.is_none(kBiasV)) {
      return call_.is_none(kBiasK) && call_.is_none(kBiasV) ? PyResult<void>() : assertion(in_, "");
    }
    if (!call_.is_none(kStaticKey)) return assertion(in_, "bias cannot be added to static key.");
    if (!call_.is_none(kStaticValue)) return assertion(in_, "bias cannot be added to static value.");
    const Value times = ops::dims_value(in_, Dims({1, batch_, 1}));
    k_ = joined(k_, ops::apply(OpId::repeat, {call_.term(kBiasK), times}), 0);
    v_ = joined(v_, ops::apply(OpId::repeat, {call_.term(kBiasV), times}), 0);
    mask_ = padded(mask_);
    padding_ = padded(padding_);
    return {};
  }

  // From (length, batch, width) to (batch * heads, length, width of a head).
  PyResult<Term> heads_of(const Term& x, Parameter fixed, std::string_view name) {
    if (!x.ok()) return x;
    if (call_.is_none(fixed)) {
      return turned(viewed(x, {x.tensor().shape()[0], batch_ * heads_, head_}), 0, 1);
    }
    const Dims& shape = call_.required(fixed).shape();
    if (shape[0] != batch_ * heads_) {
      return assertion(in_, fmt::format("expecting {}.size(0) of {}, but got {}", name, batch_ * heads_, shape[0]));
    }
    if (shape[2] != head_) {
      return assertion(in_, fmt::format("expecting {}.size(2) of {}, but got {}", name, head_, shape[2]));
    }
    return call_.term(fixed);
  }

  PyResult<void> split_heads() {
    q_ = turned(viewed(q_, {targets_, batch_ * heads_, head_}), 0, 1);
    NNS_TRY_ASSIGN(k_, heads_of(k_, kStaticKey, "static_k"));
    NNS_TRY_ASSIGN(v_, heads_of(v_, kStaticValue, "static_v"));
    if (call_.flag(kAddZero) && k_.ok() && v_.ok()) {
      const Dims one({batch_ * heads_, 1, head_});
      k_ = joined(k_, ops::zeros_like(k_, one), 1);
      v_ = joined(v_, ops::zeros_like(v_, one), 1);
      mask_ = padded(mask_);
      padding_ = padded(padding_);
    }
    for (const Term* term : {&q_, &k_, &v_, &mask_, &padding_}) {
      if (!term->ok()) return term->result().error();
    }
    sources_ = k_.tensor().shape()[1];
    return {};
  }

  PyResult<void> merge_masks() {
    if (padding_.is_none()) return {};
    const Dims& shape = padding_.tensor().shape();
    if (shape[0] != batch_) {
      return assertion(in_, fmt::format("Expected key_padded_mask.shape[0] to be {}, but got {}", batch_, shape[0]));
    }
    if (shape[1] != sources_) {
      return assertion(in_, fmt::format("Expected key_padded_mask.shape[1] to be {}, but got {}", sources_, shape[1]));
    }
    const Term wide = ops::apply(OpId::expand, {viewed(padding_, {batch_, 1, 1, sources_}),
                                                ops::dims_value(in_, Dims({batch_, heads_, 1, sources_}))});
    const Term of_heads = viewed(wide, {batch_ * heads_, 1, sources_});
    mask_ = mask_.is_none() ? of_heads : mask_ + of_heads;
    return {};
  }

  double dropout() const { return call_.flag(kTraining) ? call_.real(kDropout) : 0; }

  // The result of all heads, (length, batch, width), behind the last projection.
  Term projected(const Term& rows) const {
    const Term made = linear(rows, call_.term(kOutWeight), call_.term(kOutBias));
    if (!made.ok()) return made;
    const Term whole = viewed(made, {targets_, batch_, made.tensor().shape()[1]});
    return is_batched_ ? whole : ops::apply(OpId::squeeze, {whole, ops::dims_value(in_, Dims({1}))});
  }

  PyResult<Value> attend_with_weights() {
    if (is_causal_ && mask_.is_none()) return assertion(in_, "FIXME: is_causal not implemented for need_weights");
    Term scores = ops::apply(OpId::bmm, {q_ * std::sqrt(1 / static_cast<double>(head_)), turned(k_, -2, -1)});
    if (!mask_.is_none()) scores = scores + mask_;
    Term weights = ops::apply(OpId::softmax, {scores, -1});
    if (!weights.ok()) return weights.result().error();
    if (dropout() > 0) {
      NNS_TRY_ASSIGN(const Value kept, call_functional(in_, "dropout", {Value(weights.ref()), Value(dropout())}));
      weights = Term(Ref<Tensor>(kept.as<Tensor>()));
    }
    const Term made = turned(ops::apply(OpId::bmm, {weights, v_}), 0, 1);
    NNS_TRY_ASSIGN(const Value output, ops::value_of(projected(viewed(made, {targets_ * batch_, width_}))));
    weights = viewed(weights, {batch_, heads_, targets_, sources_});
    if (call_.flag(kAverage)) weights = ops::apply(OpId::mean_dim, {weights, 1});
    if (!is_batched_) weights = ops::apply(OpId::squeeze, {weights, ops::dims_value(in_, Dims({0}))});
    NNS_TRY_ASSIGN(const Value shown, ops::value_of(weights));
    return Value(in_.tuple({output, shown}));
  }

  PyResult<Value> attend() {
    if (!mask_.is_none()) {
      mask_ = mask_.tensor().shape()[0] == 1 ? unsqueezed(mask_, 0) : viewed(mask_, {batch_, heads_, -1, sources_});
    }
    const Term made =
        ops::apply(OpId::scaled_dot_product_attention,
                   {viewed(q_, {batch_, heads_, targets_, head_}), viewed(k_, {batch_, heads_, sources_, head_}),
                    viewed(v_, {batch_, heads_, sources_, head_}), mask_, dropout(), is_causal_});
    const Term rows = ops::apply(OpId::permute, {made, ops::dims_value(in_, Dims({2, 0, 1, 3}))});
    NNS_TRY_ASSIGN(const Value output, ops::value_of(projected(viewed(rows, {batch_ * targets_, width_}))));
    return Value(in_.tuple({output, Value()}));
  }

  FunctionCall& call_;
  Interpreter& in_;
  bool is_batched_ = true, is_causal_ = false;
  std::int64_t targets_ = 0, batch_ = 0, sources_ = 0, width_ = 0, heads_ = 0, head_ = 0;
  Term query_, key_, value_, padding_, mask_;
  Term q_, k_, v_;
};

constexpr FunctionRow kAttentionRows[] = {
    {"scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, "
     "enable_gqa=False)",
     "TTTtfbnb",
     [](FunctionCall& call) { return ops::call_op(call.interpreter, OpId::scaled_dot_product_attention, call.args); }},
    {"multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, "
     "bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, "
     "need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, "
     "v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True, is_causal=False)",
     "TTTiittttbfTtbtbtbtttttbb", [](FunctionCall& call) { return MultiHead(call).run(); }},
};

}  // namespace

std::span<const FunctionRow> attention_functions() { return kAttentionRows; }

PyResult<Term> canonical_mask(Interpreter& in, const Term& mask, std::string_view name, const Term& other,
                              std::string_view other_name, const Tensor& like) {
  if (mask.is_none()) return mask;
  const tensor::DType dtype = mask.tensor().dtype();
  const bool is_float = tensor::is_floating(dtype);
  if (!is_float && dtype != tensor::DType::Bool) {
    return assertion(in, fmt::format("only bool and floating types of {} are supported", name));
  }
  if (!other.is_none() && other.tensor().dtype() != dtype) {
    in.warn(object::ErrorKind::UserWarning,
            fmt::format("Support for mismatched {} and {} is deprecated. Use same type for both instead.", name,
                        other_name));
  }
  if (is_float) return mask;
  const Term zeros(tensor::zeros(in, mask.tensor().shape(), like.dtype(), mask.tensor().device()));
  return ops::apply(OpId::masked_fill, {zeros, mask, -std::numeric_limits<double>::infinity()});
}

}  // namespace nns::nn
