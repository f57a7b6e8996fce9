#include "core/ops/attention.h"

#include <array>
#include <cmath>
#include <vector>

#include "core/ops/attention_work.h"
#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/promotion.h"
#include "core/ops/term.h"
#include "core/ops/training_observer.h"

// scaled_dot_product_attention: what it is given, and which way it goes.
// Behaviour: aten/src/ATen/native/transformers/attention.cpp.
namespace nns::ops {
namespace {

// The next output; of four dimensions (batch, head, row, item) the heads of a row lie next to each other, so that
// joining them moves nothing. Behaviour: aten/src/ATen/native/cpu/FlashAttentionKernel.cpp and
// transformers/cuda/flash_attn/flash_api.cpp, whose outputs are transposed ones of (batch, row, head, item).
PyResult<void> give_by_rows(OpCall& call, const Dims& shape, DType dtype) {
  if (shape.size() != 4) return call.give(shape, dtype);
  const std::int64_t row = shape[1] * shape[3];
  const Dims strides({shape[2] * row, shape[3], row, 1});
  return call.give_strided(shape, strides, dtype, call.device());
}

PyResult<void> flash_shape(OpCall& call) {
  const Tensor &query = call.required(0), &key = call.required(1), &value = call.required(2);
  if (!tensor::is_floating(query.dtype())) {
    return not_implemented_for(call.interpreter, "flash_attention", query.dtype());
  }
  const std::size_t last = query.ndim() - 1;
  if (query.shape()[last] != key.shape()[last] || key.shape()[last - 1] != value.shape()[last - 1]) {
    const Tensor& other = query.shape()[last] != key.shape()[last] ? query : key;
    return object::runtime_error(call.interpreter,
                                 "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
                                 "dimension {}",
                                 &other == &query ? query.shape()[last] : key.shape()[last - 1],
                                 &other == &query ? key.shape()[last] : value.shape()[last - 1],
                                 &other == &query ? last : last - 1);
  }
  Dims out = query.shape();
  out[last] = value.shape()[last];
  const Dims rows(query.shape().span().first(last));
  NNS_TRY(give_by_rows(call, out, query.dtype()));
  return call.give(rows, query.dtype() == DType::Float64 ? DType::Float64 : DType::Float32);
}

std::int64_t row_width(const Tensor& tensor) { return tensor.shape()[tensor.ndim() - 1]; }

Term turned(const Term& x) { return apply(OpId::transpose, {x, -2, -1}); }

// Whether a query sees a key: those up to its own place.
Term causal_mask(Interpreter& in, const Dims& square, Device device) {
  // The GPU has no kernel of tril: it is made here and moved.
  const bool is_moved = device == Device::Cuda;
  Term visible = apply(OpId::tril, {Term(tensor::ones(in, square, DType::Bool, is_moved ? Device::Cpu : device))});
  if (!is_moved || !visible.ok()) return visible;
  return tensor::to(visible.tensor(), DType::Bool, device);
}

// All weights at once, with zeros for a query that sees nothing.
Term all_weights(Interpreter& in, const Term& query, const Term& key, const Term& mask, bool is_causal, double scale) {
  Term scores = matmul(query, turned(key)) * scale;
  if (!scores.ok()) return scores;
  const double infinity = std::numeric_limits<double>::infinity();
  if (is_causal) {
    const Dims& shape = scores.tensor().shape();
    const Dims square({shape[shape.size() - 2], shape[shape.size() - 1]});
    scores = where(causal_mask(in, square, scores.tensor().device()), scores, -infinity);
  }
  if (mask.is_none()) return apply(OpId::softmax, {scores, -1});
  scores = mask.tensor().dtype() == DType::Bool ? where(mask, scores, -infinity) : scores + mask;
  const Term sees_nothing = apply(OpId::all, {eq(scores, -infinity), dims_value(in, Dims({-1})), true});
  return where(sees_nothing, 0, apply(OpId::softmax, {where(sees_nothing, 0, scores), -1}));
}

// The backward op cannot be differentiated again, as that of torch on a GPU.
PyResult<void> dropped_joint(Backward& b) {
  NNS_TRY_ASSIGN(const Value made,
                 call_op(b.interpreter(), OpId::dropped_attention_backward,
                         {Value(b.grad().ref()), Value(b.arg(0).ref()), Value(b.arg(1).ref()), Value(b.arg(2).ref()),
                          Value(b.out(0).ref()), Value(b.out(1).ref()), b.value(3), b.value(4),
                          Value(b.optional(5).ref()), b.value(6), b.value(7), b.value(8)}));
  const object::Tuple& grads = *made.as<object::Tuple>();
  for (std::size_t i = 0; i < 3; ++i) {
    if (b.needs(i)) NNS_TRY(b.give(i, Term(Ref<Tensor>(grads[i].as<Tensor>()))));
  }
  return {};
}

PyResult<void> flash_joint(Backward& b) {
  Interpreter& in = b.interpreter();
  if (!b.is_recorded()) {
    NNS_TRY_ASSIGN(const Value made, call_op(in, OpId::flash_attention_backward,
                                             {Value(b.grad().ref()), Value(b.arg(0).ref()), Value(b.arg(1).ref()),
                                              Value(b.arg(2).ref()), Value(b.out(0).ref()), Value(b.out(1).ref()),
                                              b.value(3), b.value(4), Value(b.optional(5).ref()), b.value(6)}));
    const object::Tuple& grads = *made.as<object::Tuple>();
    for (std::size_t i = 0; i < 3; ++i) {
      if (b.needs(i)) NNS_TRY(b.give(i, Term(Ref<Tensor>(grads[i].as<Tensor>()))));
    }
    return {};
  }
  const double scale = attention_scale(b.value(6), b.input(0).shape[b.input(0).shape.size() - 1]);
  const Term weights = all_weights(in, b.arg(0), b.arg(1), b.optional(5), b.flag(4), scale);
  if (b.needs(2)) NNS_TRY(b.give(2, matmul(turned(weights), b.grad())));
  const Term of_weights = matmul(b.grad(), turned(b.arg(2)));
  const Term share = apply(OpId::sum_dim, {weights * of_weights, -1, true});
  const Term slopes = weights * (of_weights - share) * scale;
  if (b.needs(0)) NNS_TRY(b.give(0, matmul(slopes, b.arg(1))));
  if (b.needs(1)) NNS_TRY(b.give(1, matmul(turned(slopes), b.arg(0))));
  return {};
}

// query 0, key 1, value 2, attn_mask 3, dropout_p 4, is_causal 5, scale 6, enable_gqa 7.
PyResult<void> check_attention(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor &query = call.required(0), &key = call.required(1), &value = call.required(2);
  const auto c_name = [](const Tensor& tensor) { return tensor::info(tensor.dtype()).scalar_name; };
  if (query.dtype() != key.dtype() || query.dtype() != value.dtype()) {
    return object::runtime_error(in,
                                 "Expected query, key, and value to have the same dtype, but got query.dtype: {} "
                                 "key.dtype: {} and value.dtype: {} instead.",
                                 c_name(query), c_name(key), c_name(value));
  }
  if (query.ndim() < 2 || key.ndim() < 2 || value.ndim() < 2) {
    return object::runtime_error(in,
                                 "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
                                 "{}, key.dim: {} and value.dim: {} instead.",
                                 query.ndim(), key.ndim(), value.ndim());
  }
  if (const Tensor* const mask = call.tensor(3)) {
    if (mask->dtype() != DType::Bool && mask->dtype() != DType::Float32 && mask->dtype() != query.dtype()) {
      return object::runtime_error(in,
                                   "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                                   "attn_mask.dtype: {} and  query.dtype: {} instead.",
                                   c_name(*mask), c_name(query));
    }
    if (call.flag(5)) {
      return object::runtime_error(
          in, "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
    }
  }
  if (const Tensor* const mask = call.tensor(3)) {
    // It is added to a number for each query and each key.
    const Dims scores({query.shape()[query.ndim() - 2], key.shape()[key.ndim() - 2]});
    const std::size_t known = std::min<std::size_t>(mask->ndim(), 2);
    NNS_TRY(broadcast_shapes(in, scores, Dims(mask->shape().span().last(known))));
  }
  if (!tensor::is_floating(query.dtype())) {
    return not_implemented_for(in, "baddbmm_with_gemm", query.dtype());
  }
  return {};
}

// Each head of keys and values serves several heads of queries: they are repeated.
PyResult<Term> heads_repeated(OpCall& call, const Term& heads, std::int64_t wanted) {
  const Dims& shape = heads.tensor().shape();
  const std::size_t place = shape.size() < 3 ? 0 : shape.size() - 3;
  if (shape.size() < 3 || shape[place] == 0 || wanted % shape[place] != 0) {
    return object::runtime_error(call.interpreter,
                                 "Number of heads in key and value must divide the number of heads in query");
  }
  const std::int64_t times = wanted / shape[place];
  if (times == 1) return heads;
  std::vector<std::int64_t> wide(shape.begin(), shape.end());
  wide.insert(wide.begin() + static_cast<std::ptrdiff_t>(place) + 1, times);
  Dims whole = shape;
  whole[place] *= times;
  const Term spread = apply(OpId::expand, {apply(OpId::unsqueeze, {heads, static_cast<std::int64_t>(place) + 1}),
                                           dims_value(call.interpreter, Dims(wide))});
  return apply(OpId::reshape, {spread, dims_value(call.interpreter, whole)});
}

// With all weights at once: dropped ones are drawn for all of them, as torch does where it drops; and the GPU's kernel
// that goes through them tile by tile does not take rows of any width.
PyResult<Value> attend_with_all_weights(OpCall& call, const Term& query, const Term& key, const Term& value, double p) {
  Interpreter& in = call.interpreter;
  Term weights = all_weights(in, query, key, Term(Ref<Tensor>(call.tensor(3))), call.flag(5),
                             attention_scale(call.args[6], row_width(call.required(0))));
  if (!weights.ok()) return weights.result().error();
  if (p > 0) {
    const Tensor& like = weights.tensor();
    const Ref<Tensor> noise = tensor::zeros(in, like.shape(), like.dtype(), like.device());
    if (p < 1) tensor::bernoulli_(*noise, tensor::TensorLibrary::of(in).generator, 1 - p);
    weights = weights * (p < 1 ? Term(noise) / (1 - p) : Term(noise));
  }
  return value_of(matmul(weights, value));
}

// The weights themselves are never all there; who watches a training may want to see those of the first sample.
void tell_weights(OpCall& call, Term query, Term key) {
  TrainingObserver* const watching = OpLibrary::of(call.interpreter).training;
  if (watching == nullptr || !watching->wants_attention()) return;
  if (query.tensor().device() != Device::Cpu || query.tensor().numel() == 0 || key.tensor().numel() == 0) return;
  const GradModeGuard unrecorded(call.interpreter, false);
  const auto first = [](const Term& x, std::size_t ndim) {
    return x.is_none() || x.tensor().ndim() < ndim ? x : apply(OpId::select, {x, 0, 0});
  };
  const std::size_t ndim = query.tensor().ndim();
  if (ndim > 4) return;
  Term mask(Ref<Tensor>(call.tensor(3)));
  if (ndim == 4) {
    query = first(query, 4);
    key = first(key, 4);
    mask = first(mask, 4);
  }
  const Term weights = all_weights(call.interpreter, query, key, mask, call.flag(5),
                                   attention_scale(call.args[6], row_width(call.required(0))));
  if (weights.ok()) watching->attended(weights.ref());
}

PyResult<Value> attention(OpCall& call) {
  NNS_TRY(check_attention(call));
  Interpreter& in = call.interpreter;
  const double p = call.real(4);
  if (p < 0 || p > 1) {
    return object::runtime_error(in, "dropout probability has to be between 0 and 1, but got {}", p);
  }
  const Term query(Ref<Tensor>(call.tensor(0)));
  Term key(Ref<Tensor>(call.tensor(1))), value(Ref<Tensor>(call.tensor(2)));
  if (call.flag(7)) {
    const Dims& shape = call.required(0).shape();
    const std::int64_t heads = shape.size() < 3 ? 1 : shape[shape.size() - 3];
    NNS_TRY_ASSIGN(key, heads_repeated(call, key, heads));
    NNS_TRY_ASSIGN(value, heads_repeated(call, value, heads));
    if (!key.ok()) return key.result().error();
    if (!value.ok()) return value.result().error();
  }
  tell_weights(call, query, key);
  const Tensor* const mask = call.tensor(3);
  const auto is_wide = [](const Term& x) { return row_width(x.tensor()) > kMostAttentionWidth; };
  const bool is_too_wide = query.tensor().is_cuda() && (is_wide(query) || is_wide(value));
  const bool drops_by_place = query.tensor().is_cuda() && p < 1;
  if ((p > 0 && !drops_by_place) || (mask != nullptr && needs_gradient(*mask)) || is_too_wide)
    return attend_with_all_weights(call, query, key, value, p);
  // The dimensions in front broadcast.
  const Term* const parts[] = {&query, &key, &value};
  Dims front;
  for (const Term* part : parts) {
    const Dims& shape = part->tensor().shape();
    NNS_TRY_ASSIGN(front, broadcast_shapes(in, front, Dims(shape.span().first(shape.size() - 2))));
  }
  std::array<Value, 3> wide;
  for (std::size_t i = 0; i < 3; ++i) {
    const Dims& shape = parts[i]->tensor().shape();
    std::vector<std::int64_t> whole(front.begin(), front.end());
    whole.insert(whole.end(), shape.end() - 2, shape.end());
    wide[i] = Value(parts[i]->ref());
    if (!(Dims(whole) == shape)) {
      NNS_TRY_ASSIGN(wide[i], call_op(in, OpId::expand, {wide[i], dims_value(in, Dims(whole))}));
    }
  }
  if (p > 0) {
    tensor::PhiloxState& state = tensor::TensorLibrary::of(in).generator.philox;
    const Value seed(static_cast<std::int64_t>(state.seed)), offset(static_cast<std::int64_t>(state.offset));
    state.offset += AttentionDropout::used(key.tensor().shape()[key.tensor().ndim() - 2]);
    NNS_TRY_ASSIGN(const Value made, call_op(in, OpId::dropped_attention,
                                             {wide[0], wide[1], wide[2], Value(p), call.args[5], call.args[3],
                                              call.args[6], seed, offset}));
    return (*made.as<object::Tuple>())[0];
  }
  NNS_TRY_ASSIGN(const Value made,
                 call_op(in, OpId::flash_attention,
                         {wide[0], wide[1], wide[2], Value(0.0), call.args[5], call.args[3], call.args[6]}));
  return (*made.as<object::Tuple>())[0];
}

PyResult<void> backward_shape(OpCall& call) {
  if (!tensor::is_floating(call.required(1).dtype())) {
    return not_implemented_for(call.interpreter, "flash_attention_backward", call.required(1).dtype());
  }
  for (std::size_t i = 1; i <= 3; ++i) {
    NNS_TRY(give_by_rows(call, call.required(i).shape(), call.required(i).dtype()));
  }
  return {};
}

OpBodies attention_bodies(decltype(OpBodies::joint) joint) {
  return {.shape = flash_shape,
          .cpu = run_attention_tiles,
          .joint = joint,
          .joint_reads = argument(0) | argument(1) | argument(2) | argument(5) | result(0) | result(1),
          .differentiable_outputs = 1};
}
OpBodies backward_bodies() { return {.shape = backward_shape, .cpu = run_attention_tiles_backward}; }

}  // namespace

template <>
OpBodies bodies<OpId::scaled_dot_product_attention>() {
  return {.composite = attention};
}
template <>
OpBodies bodies<OpId::flash_attention>() {
  return attention_bodies(flash_joint);
}
template <>
OpBodies bodies<OpId::flash_attention_backward>() {
  return backward_bodies();
}
template <>
OpBodies bodies<OpId::dropped_attention>() {
  OpBodies made = attention_bodies(dropped_joint);
  made.node_name = "ScaledDotProductFlashAttentionBackward0";
  return made;
}
template <>
OpBodies bodies<OpId::dropped_attention_backward>() {
  return backward_bodies();
}

}  // namespace nns::ops
