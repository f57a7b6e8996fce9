#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/parallel.h"
#include "core/ops/attention.h"
#include "core/ops/gemm.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/vector_rows.h"

// softmax(query key^T * scale + mask) value, tile by tile: a running maximum and sum a row, never all weights at once.
// Source: Dao, FlashAttention-2 (2023).
namespace nns::ops {
namespace {

constexpr std::int64_t kQueryTile = 64;
constexpr std::int64_t kKeyTile = 128;

// Where matrix number `batch` begins, counted over all dimensions in front. Units: items.
std::int64_t start_of_matrix(const Dims& shape, const Dims& strides, std::int64_t batch) {
  std::int64_t place = 0;
  for (std::size_t dim = shape.size() - 2; dim-- > 0;) {
    place += batch % shape[dim] * strides[dim];
    batch /= shape[dim];
  }
  return place;
}

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
    return {data_ + start_of_matrix(shape_, strides_, batch) + begin * strides_[last - 1], end - begin, shape_[last],
            strides_[last - 1], strides_[last]};
  }

 private:
  Dims shape_, strides_;
  const T* data_ = nullptr;
  std::optional<NumbersIn<T>> copy_;
};

// An output whose last two dimensions are matrices, full of zeros at first. Must hold: it lies without gaps, rows
// packed.
template <class T>
class MatricesOut {
 public:
  explicit MatricesOut(const Tensor& tensor) : shape_(tensor.shape()), strides_(tensor.strides()), numbers_(tensor) {}
  MatrixView<T> rows(std::int64_t batch, std::int64_t begin, std::int64_t end) const {
    const std::size_t last = shape_.size() - 1;
    return {numbers_.data() + start_of_matrix(shape_, strides_, batch) + begin * strides_[last - 1], end - begin,
            shape_[last], strides_[last - 1], 1};
  }

 private:
  Dims shape_, strides_;
  ZeroedNumbers<T> numbers_;
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
  AttentionDropout dropout;
};

Sizes sizes_of(const Tensor& query, const Tensor& key, const Tensor& value, bool is_causal, const Value& scale) {
  const auto size = [](const Tensor& tensor, std::size_t from_end) { return tensor.shape()[tensor.ndim() - from_end]; };
  Sizes made{1, size(query, 2), size(key, 2), size(query, 1), size(value, 1), 1, is_causal, {}};
  for (std::size_t dim = 0; dim + 2 < query.ndim(); ++dim) made.batches *= query.shape()[dim];
  made.scale = attention_scale(scale, made.width);
  return made;
}

// Multiplies numbers of a line, which is of one query and of keys from `begin` on, by what dropout makes of them.
template <class T>
void drop_line(const Sizes& sizes, std::int64_t batch, std::int64_t query, std::int64_t begin, T* line,
               std::int64_t count) {
  for (std::int64_t j = 0; sizes.dropout.is_on && j < count; ++j) {
    line[j] *= static_cast<T>(sizes.dropout.factor(batch, sizes.queries, query, begin + j));
  }
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
  Sizes sizes = sizes_of(call.required(0), call.required(1), call.required(2), call.flag(4), call.args[6]);
  sizes.dropout = dropout_of(call, 3, 7);
  const Matrices<T> query(call.required(0), true), key(call.required(1), true), value(call.required(2), true);
  const Mask<T> mask(call.tensor(5), call.required(0), sizes.keys);
  const MatricesOut<T> out(call.output(0));
  const ZeroedNumbers<T> log_sums(call.output(1));
  constexpr T kNothing = -std::numeric_limits<T>::infinity();
  // Heads are computed each by itself, by as many threads as there are.
  const auto attend_to = [&](std::int64_t batch) {
    std::vector<T> scores(static_cast<std::size_t>(kQueryTile * kKeyTile));
    std::vector<T> largest(kQueryTile), sums(kQueryTile);
    for (std::int64_t row = 0; row < sizes.queries; row += kQueryTile) {
      const std::int64_t row_end = std::min(sizes.queries, row + kQueryTile), rows = row_end - row;
      const MatrixView<T> result = out.rows(batch, row, row_end);
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
          drop_line(sizes, batch, row + i, begin, line, end - begin);
          sums[static_cast<std::size_t>(i)] = sums[static_cast<std::size_t>(i)] * shrink + sum;
          largest[static_cast<std::size_t>(i)] = peak;
          if (begin > 0) {
            scale_line(result.data + i * result.row_stride, shrink, sizes.value_width);
          }
        }
        gemm<T>({scores.data(), rows, end - begin, kKeyTile, 1}, value.rows(batch, begin, end), result, true);
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        // A query that sees nothing gets zeros.
        const T sum = sums[static_cast<std::size_t>(i)];
        const T factor = sum > T(0) ? T(1) / sum : (std::isnan(sum) ? sum : T(0));
        scale_line(result.data + i * result.row_stride, factor, sizes.value_width);
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
  Sizes sizes = sizes_of(call.required(1), call.required(2), call.required(3), call.flag(7), call.args[9]);
  sizes.dropout = dropout_of(call, 6, 10);
  const Matrices<T> grad(call.required(0), true), query(call.required(1), true), key(call.required(2), true),
      value(call.required(3), true);
  const NumbersIn<T> grads(call.required(0)), outs(call.required(4)), log_sums(call.required(5));
  const Mask<T> mask(call.tensor(8), call.required(1), sizes.keys);
  const MatricesOut<T> query_grad(call.output(0)), key_grad(call.output(1)), value_grad(call.output(2));
  const auto tile = static_cast<std::size_t>(kQueryTile * kKeyTile);
  for_each_batch(sizes, [&](std::int64_t batch) {
    std::vector<T> weights(tile), slopes(tile), shares(static_cast<std::size_t>(sizes.queries));
    const std::int64_t first_row = batch * sizes.queries;
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
          drop_line(sizes, batch, row + i, begin, s, count);
          slopes_of_line(w, s, log_sum, share, static_cast<T>(sizes.scale), count);
          drop_line(sizes, batch, row + i, begin, w, count);
        }
        gemm<T>(weight_view.transposed(), g, value_grad.rows(batch, begin, end), true);
        gemm<T>(slope_view, k, query_grad.rows(batch, row, row_end), true);
        gemm<T>(slope_view.transposed(), q, key_grad.rows(batch, begin, end), true);
      }
    }
  });
}

}  // namespace

double attention_scale(const Value& given, std::int64_t width) {
  return given.is_none() ? 1 / std::sqrt(static_cast<double>(width)) : Number::of(given).as_double();
}

// That of a call whose dropout_p is argument `p`, and whose last two arguments, if there are more than `plain`, are a
// seed and an offset.
AttentionDropout dropout_of(const OpCall& call, std::size_t p, std::size_t plain) {
  if (call.args.size() <= plain) return {};
  return AttentionDropout::of(call.real(p), static_cast<std::uint64_t>(call.integer(plain)),
                              static_cast<std::uint64_t>(call.integer(plain + 1)));
}

PyResult<void> run_attention_tiles(OpCall& call) {
  if (call.required(0).dtype() == DType::Float64)
    attend<double>(call);
  else
    attend<float>(call);
  return {};
}
PyResult<void> run_attention_tiles_backward(OpCall& call) {
  if (call.required(1).dtype() == DType::Float64)
    attend_backward<double>(call);
  else
    attend_backward<float>(call);
  return {};
}

}  // namespace nns::ops
