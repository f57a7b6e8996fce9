#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"
#include "core/ops/attention_work.h"
#include "core/ops/errors.h"
#include "core/ops/gemm.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/training_observer.h"
#include "core/ops/vector_rows.h"

// softmax(query key^T * scale + mask) value, tile by tile: a running maximum and sum a row, never all weights at once.
// Behaviour: aten/src/ATen/native/transformers/attention.cpp. The tiles: Dao et al., FlashAttention-2 (2023).
namespace nns::ops {
namespace {

constexpr std::int64_t kQueryTile = 64;
constexpr std::int64_t kKeyTile = 128;

// A tensor whose last two dimensions are matrices, as numbers of type T where they lie, or a copy in order.
template <class T>
class Matrices {
 public:
  Matrices(const Tensor& tensor, bool keeps_strides) : shape_(tensor.shape()) {
    if (keeps_strides && lies_as<T>(tensor.dtype())) {
      data_ = reinterpret_cast<const T*>(tensor.data());
      strides_ = tensor.strides();
    } else {
      copy_.emplace(tensor);
      data_ = copy_->data();
      strides_ = tensor::contiguous_strides(tensor.shape());
    }
  }
  // Rows [begin, end) of matrix number `batch`, counted over all dimensions in front.
  MatrixView<const T> rows(std::int64_t batch, std::int64_t begin, std::int64_t end) const {
    const std::size_t last = shape_.size() - 1;
    return {data_ + start_of(batch) + begin * strides_[last - 1], end - begin, shape_[last], strides_[last - 1],
            strides_[last]};
  }

 private:
  std::int64_t start_of(std::int64_t batch) const {
    std::int64_t place = 0;
    for (std::size_t dim = shape_.size() - 2; dim-- > 0;) {
      place += batch % shape_[dim] * strides_[dim];
      batch /= shape_[dim];
    }
    return place;
  }

  Dims shape_, strides_;
  const T* data_ = nullptr;
  std::optional<NumbersIn<T>> copy_;
};

// The work on one line of a tile: in vectors for floats, else item by item.
template <class T>
T largest_of(const T* line, std::int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    return vectors::largest(line, count);
  } else {
    return std::accumulate(line, line + count, -std::numeric_limits<T>::infinity(),
                           [](T a, T b) { return std::max(a, b); });
  }
}
template <class T>
void scale_line(T* line, T factor, std::int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    vectors::scale_shift(line, factor, 0, line, count);
  } else {
    for (std::int64_t j = 0; j < count; ++j) line[j] *= factor;
  }
}
// line = exp(line - peak); gives the sum.
template <class T>
T exp_line(T* line, T peak, std::int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(vectors::exp_shifted(line, peak, line, count));
  } else {
    T sum = 0;
    for (std::int64_t j = 0; j < count; ++j) {
      line[j] = std::exp(line[j] - peak);
      sum += line[j];
    }
    return sum;
  }
}
template <class T>
T product_sum(const T* a, const T* b, std::int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(vectors::dot(a, b, count));
  } else {
    return std::inner_product(a, a + count, b, T(0));
  }
}
// Weights from scores, and the gradients of scores from those of weights.
template <class T>
void slopes_of_line(T* w, T* s, T log_sum, T share, T scale, std::int64_t count) {
  if constexpr (std::is_same_v<T, float>) {
    vectors::attention_slopes(w, s, log_sum, share, scale, count);
  } else {
    for (std::int64_t j = 0; j < count; ++j) {
      w[j] = std::exp(w[j] - log_sum);
      s[j] = w[j] * (s[j] - share) * scale;
    }
  }
}

// What every tile needs to know. Units: items.
struct Sizes {
  std::int64_t batches = 1, queries = 0, keys = 0, width = 0, value_width = 0;
  double scale = 1;
  bool is_causal = false;
};

Sizes sizes_of(const Tensor& query, const Tensor& key, const Tensor& value, bool is_causal, const Value& scale) {
  const auto size = [](const Tensor& tensor, std::size_t from_end) { return tensor.shape()[tensor.ndim() - from_end]; };
  Sizes made{1, size(query, 2), size(key, 2), size(query, 1), size(value, 1), 1, is_causal};
  for (std::size_t dim = 0; dim + 2 < query.ndim(); ++dim) made.batches *= query.shape()[dim];
  made.scale = scale.is_none() ? 1 / std::sqrt(static_cast<double>(made.width)) : Number::of(scale).as_double();
  return made;
}

// What is added to the scores: nothing, a tensor of numbers, or -inf where a bool is false. Its shape broadcasts.
template <class T>
class Mask {
 public:
  Mask(const Tensor* mask, const Tensor& query, std::int64_t keys) {
    if (mask == nullptr) return;
    Dims whole = query.shape();
    whole[whole.size() - 1] = keys;
    // Where the mask has one item for many, its stride is 0.
    Dims strides(whole.size(), 0);
    const std::size_t missing = whole.size() - mask->ndim();
    for (std::size_t dim = 0; dim < mask->ndim(); ++dim) {
      if (mask->shape()[dim] != 1) strides[dim + missing] = mask->strides()[dim];
    }
    tensor_ = tensor::as_strided(*mask, whole, strides, mask->offset());
  }

  // Adds to the scores of rows [row, row + count) against keys [begin, end).
  void add_to(T* scores, std::int64_t batch, std::int64_t row, std::int64_t count, std::int64_t begin,
              std::int64_t end) const {
    if (!tensor_) return;
    const Dims &shape = tensor_->shape(), &strides = tensor_->strides();
    const std::size_t last = shape.size() - 1;
    std::int64_t place = tensor_->offset();
    for (std::size_t dim = last - 1; dim-- > 0;) {
      place += batch % shape[dim] * strides[dim];
      batch /= shape[dim];
    }
    const auto bytes = static_cast<std::int64_t>(tensor::item_bytes(tensor_->dtype()));
    const bool is_bool = tensor_->dtype() == DType::Bool;
    std::vector<T> items(static_cast<std::size_t>(end - begin));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = place + (row + i) * strides[last - 1] + begin * strides[last];
      load_items(tensor_->dtype(), tensor_->storage()->data() + first * bytes, strides[last] * bytes, end - begin,
                 compute_for<T>(), items.data());
      T* const to = scores + i * kKeyTile;
      for (std::int64_t j = 0; j < end - begin; ++j) {
        const T here = items[static_cast<std::size_t>(j)];
        if (!is_bool)
          to[j] += here;
        else if (here == T(0))
          to[j] = -std::numeric_limits<T>::infinity();
      }
    }
  }

 private:
  Ref<Tensor> tensor_;
};

// The scores of one tile of queries against one tile of keys; rows lie kKeyTile items apart.
template <class T>
void tile_scores(const Sizes& sizes, const MatrixView<const T>& query, const MatrixView<const T>& key,
                 const Mask<T>& mask, std::int64_t batch, std::int64_t row, std::int64_t begin, T* scores) {
  gemm<T>(query, key.transposed(), {scores, query.rows, key.rows, kKeyTile, 1});
  for (std::int64_t i = 0; i < query.rows; ++i) {
    scale_line(scores + i * kKeyTile, static_cast<T>(sizes.scale), key.rows);
    if (!sizes.is_causal) continue;
    for (std::int64_t j = std::max<std::int64_t>(0, row + i + 1 - begin); j < key.rows; ++j)
      scores[i * kKeyTile + j] = -std::numeric_limits<T>::infinity();
  }
  mask.add_to(scores, batch, row, query.rows, begin, begin + key.rows);
}

// Calls use(batch) for all of them, on several threads where each has enough to do.
template <class Use>
void for_each_batch(const Sizes& sizes, const Use& use) {
  constexpr std::int64_t kLeastProducts = 500'000;
  const std::int64_t products = std::max<std::int64_t>(sizes.queries * sizes.keys * sizes.width, 1);
  base::run_ranges(sizes.batches, kLeastProducts / products + 1, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t batch = begin; batch < end; ++batch) use(batch);
  });
}

// Keys behind this one are hidden from queries up to `row_end`.
std::int64_t visible_keys(const Sizes& sizes, std::int64_t row_end) {
  return sizes.is_causal ? std::min(sizes.keys, row_end) : sizes.keys;
}

// query 0, key 1, value 2, dropout_p 3, is_causal 4, attn_mask 5, scale 6; outputs: the result, and of each row the
// logarithm of its sum of exponentials.
template <class T>
void attend(OpCall& call) {
  const Sizes sizes = sizes_of(call.required(0), call.required(1), call.required(2), call.flag(4), call.args[6]);
  const Matrices<T> query(call.required(0), true), key(call.required(1), true), value(call.required(2), true);
  const Mask<T> mask(call.tensor(5), call.required(0), sizes.keys);
  const ZeroedNumbers<T> out(call.output(0)), log_sums(call.output(1));
  constexpr T kNothing = -std::numeric_limits<T>::infinity();
  // Heads are computed each by itself, by as many threads as there are.
  const auto attend_to = [&](std::int64_t batch) {
    std::vector<T> scores(static_cast<std::size_t>(kQueryTile * kKeyTile));
    std::vector<T> largest(kQueryTile), sums(kQueryTile);
    for (std::int64_t row = 0; row < sizes.queries; row += kQueryTile) {
      const std::int64_t row_end = std::min(sizes.queries, row + kQueryTile), rows = row_end - row;
      const MatrixView<T> result{out.data() + (batch * sizes.queries + row) * sizes.value_width, rows,
                                 sizes.value_width, sizes.value_width, 1};
      std::fill(largest.begin(), largest.end(), kNothing);
      std::fill(sums.begin(), sums.end(), T(0));
      const std::int64_t visible = visible_keys(sizes, row_end);
      for (std::int64_t begin = 0; begin < visible; begin += kKeyTile) {
        const std::int64_t end = std::min(visible, begin + kKeyTile);
        tile_scores(sizes, query.rows(batch, row, row_end), key.rows(batch, begin, end), mask, batch, row, begin,
                    scores.data());
        for (std::int64_t i = 0; i < rows; ++i) {
          T* const line = scores.data() + i * kKeyTile;
          const T peak = std::max(largest_of(line, end - begin), largest[static_cast<std::size_t>(i)]);
          if (peak == kNothing) {
            std::fill_n(line, end - begin, T(0));
            continue;
          }
          const T shrink = std::exp(largest[static_cast<std::size_t>(i)] - peak);
          const T sum = exp_line(line, peak, end - begin);
          sums[static_cast<std::size_t>(i)] = sums[static_cast<std::size_t>(i)] * shrink + sum;
          largest[static_cast<std::size_t>(i)] = peak;
          if (begin > 0) {
            scale_line(result.data + i * sizes.value_width, shrink, sizes.value_width);
          }
        }
        gemm<T>({scores.data(), rows, end - begin, kKeyTile, 1}, value.rows(batch, begin, end), result, true);
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        // A query that sees nothing gets zeros.
        const T sum = sums[static_cast<std::size_t>(i)];
        const T factor = sum > T(0) ? T(1) / sum : (std::isnan(sum) ? sum : T(0));
        scale_line(result.data + i * sizes.value_width, factor, sizes.value_width);
        log_sums[batch * sizes.queries + row + i] =
            sum == T(0) ? std::numeric_limits<T>::infinity() : largest[static_cast<std::size_t>(i)] + std::log(sum);
      }
    }
  };
  for_each_batch(sizes, attend_to);
}

// grad_out 0, query 1, key 2, value 3, out 4, logsumexp 5, dropout_p 6, is_causal 7, attn_mask 8, scale 9. The weights
// of a tile are made again from the logarithms of the sums.
template <class T>
void attend_backward(OpCall& call) {
  const Sizes sizes = sizes_of(call.required(1), call.required(2), call.required(3), call.flag(7), call.args[9]);
  const Matrices<T> grad(call.required(0), true), query(call.required(1), true), key(call.required(2), true),
      value(call.required(3), true);
  const NumbersIn<T> grads(call.required(0)), outs(call.required(4)), log_sums(call.required(5));
  const Mask<T> mask(call.tensor(8), call.required(1), sizes.keys);
  const ZeroedNumbers<T> query_grad(call.output(0)), key_grad(call.output(1)), value_grad(call.output(2));
  const auto tile = static_cast<std::size_t>(kQueryTile * kKeyTile);
  const auto rows_of = [](T* data, std::int64_t first, std::int64_t rows, std::int64_t columns) {
    return MatrixView<T>{data + first * columns, rows, columns, columns, 1};
  };
  for_each_batch(sizes, [&](std::int64_t batch) {
    std::vector<T> weights(tile), slopes(tile), shares(static_cast<std::size_t>(sizes.queries));
    const std::int64_t first_row = batch * sizes.queries, first_key = batch * sizes.keys;
    for (std::int64_t i = 0; i < sizes.queries; ++i) {
      const std::int64_t at = (first_row + i) * sizes.value_width;
      shares[static_cast<std::size_t>(i)] = product_sum(grads.data() + at, outs.data() + at, sizes.value_width);
    }
    for (std::int64_t row = 0; row < sizes.queries; row += kQueryTile) {
      const std::int64_t row_end = std::min(sizes.queries, row + kQueryTile), rows = row_end - row;
      const MatrixView<const T> q = query.rows(batch, row, row_end), g = grad.rows(batch, row, row_end);
      const std::int64_t visible = visible_keys(sizes, row_end);
      for (std::int64_t begin = 0; begin < visible; begin += kKeyTile) {
        const std::int64_t end = std::min(visible, begin + kKeyTile), count = end - begin;
        const MatrixView<const T> k = key.rows(batch, begin, end);
        tile_scores(sizes, q, k, mask, batch, row, begin, weights.data());
        const MatrixView<const T> weight_view{weights.data(), rows, count, kKeyTile, 1};
        const MatrixView<const T> slope_view{slopes.data(), rows, count, kKeyTile, 1};
        gemm<T>(g, value.rows(batch, begin, end).transposed(), {slopes.data(), rows, count, kKeyTile, 1});
        for (std::int64_t i = 0; i < rows; ++i) {
          const T log_sum = log_sums[first_row + row + i], share = shares[static_cast<std::size_t>(row + i)];
          T *const w = weights.data() + i * kKeyTile, *const s = slopes.data() + i * kKeyTile;
          slopes_of_line(w, s, log_sum, share, static_cast<T>(sizes.scale), count);
        }
        gemm<T>(weight_view.transposed(), g, rows_of(value_grad.data(), first_key + begin, count, sizes.value_width),
                true);
        gemm<T>(slope_view, k, rows_of(query_grad.data(), first_row + row, rows, sizes.width), true);
        gemm<T>(slope_view.transposed(), q, rows_of(key_grad.data(), first_key + begin, count, sizes.width), true);
      }
    }
  });
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
  NNS_TRY(call.give(out, query.dtype()));
  return call.give(rows, query.dtype() == DType::Float64 ? DType::Float64 : DType::Float32);
}

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

double scale_of(const Value& scale, const Dims& query) {
  return scale.is_none() ? 1 / std::sqrt(static_cast<double>(query[query.size() - 1])) : Number::of(scale).as_double();
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
  const double scale = scale_of(b.value(6), b.input(0).shape);
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
                             scale_of(call.args[6], call.required(0).shape()));
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
  const Term weights =
      all_weights(call.interpreter, query, key, mask, call.flag(5), scale_of(call.args[6], call.required(0).shape()));
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
  const auto is_wide = [](const Term& x) { return x.tensor().shape()[x.tensor().ndim() - 1] > kMostAttentionWidth; };
  const bool is_too_wide = query.tensor().is_cuda() && (is_wide(query) || is_wide(value));
  if (p > 0 || (mask != nullptr && needs_gradient(*mask)) || is_too_wide)
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
  NNS_TRY_ASSIGN(const Value made,
                 call_op(in, OpId::flash_attention,
                         {wide[0], wide[1], wide[2], Value(0.0), call.args[5], call.args[3], call.args[6]}));
  return (*made.as<object::Tuple>())[0];
}

template <std::size_t query, void (*attend_float)(OpCall&), void (*attend_double)(OpCall&)>
PyResult<void> run(OpCall& call) {
  if (call.required(query).dtype() == DType::Float64)
    attend_double(call);
  else
    attend_float(call);
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::scaled_dot_product_attention>() {
  return {.composite = attention};
}
template <>
OpBodies bodies<OpId::flash_attention>() {
  return {.shape = flash_shape,
          .cpu = run<0, attend<float>, attend<double>>,
          .joint = flash_joint,
          .joint_reads = argument(0) | argument(1) | argument(2) | argument(5) | result(0) | result(1),
          .differentiable_outputs = 1};
}
template <>
OpBodies bodies<OpId::flash_attention_backward>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            if (!tensor::is_floating(call.required(1).dtype())) {
              return not_implemented_for(call.interpreter, "flash_attention_backward", call.required(1).dtype());
            }
            for (std::size_t i = 1; i <= 3; ++i) {
              NNS_TRY(call.give(call.required(i).shape(), call.required(i).dtype()));
            }
            return {};
          },
          .cpu = run<1, attend_backward<float>, attend_backward<double>>};
}

}  // namespace nns::ops
