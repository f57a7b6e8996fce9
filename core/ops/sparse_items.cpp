#include "core/ops/sparse_items.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/ops/plain_numbers.h"
#include "core/tensor/capture.h"

namespace nns::ops {
namespace {

using tensor::SparseParts;
using Indices = std::vector<std::int64_t>;

// int64 or int32 items in order, wherever they lie.
PyResult<Indices> numbers_of(const Tensor& tensor) {
  if (tensor.is_meta()) return Indices(static_cast<std::size_t>(tensor.numel()));
  NNS_TRY_ASSIGN(const Ref<Tensor> here, tensor::on_host(tensor));
  Indices numbers;
  numbers.reserve(static_cast<std::size_t>(here->numel()));
  if (here->is_contiguous() && here->dtype() == DType::Int64) {
    const auto* const items = reinterpret_cast<const std::int64_t*>(here->data());
    numbers.assign(items, items + here->numel());
  } else {
    tensor::for_each_place(*here, [&](std::int64_t place) { numbers.push_back(tensor::read_int64(*here, place)); });
  }
  return numbers;
}

PyResult<Ref<Tensor>> index_tensor(Interpreter& in, const Dims& shape, const Indices& numbers, Device device) {
  Ref<Tensor> made = tensor::empty(in, shape, DType::Int64);
  std::copy(numbers.begin(), numbers.end(), reinterpret_cast<std::int64_t*>(made->data()));
  return tensor::to(*made, DType::Int64, device);
}

std::size_t sparse_dims(const Tensor& sparse) { return static_cast<std::size_t>(sparse.sparse()->indices->shape()[0]); }
std::int64_t column_count(const Tensor& sparse) { return sparse.sparse()->indices->shape()[1]; }

// By column: its place when the sparse dimensions are counted as one.
PyResult<Indices> column_places(const Tensor& sparse) {
  NNS_TRY_ASSIGN(const Indices columns, numbers_of(*sparse.sparse()->indices));
  const auto count = static_cast<std::size_t>(column_count(sparse));
  Indices places(count);
  for (std::size_t dim = 0; dim < sparse_dims(sparse); ++dim) {
    const std::int64_t size = sparse.shape()[dim];
    for (std::size_t k = 0; k < count; ++k) {
      const std::int64_t index = columns[dim * count + k];
      if (index < 0 || index >= size) {
        return object::runtime_error(sparse.interpreter(),
                                     "size is inconsistent with indices: for dim {}, size is {} but found index {}",
                                     dim, size, index);
      }
      places[k] = places[k] * size + index;
    }
  }
  return places;
}

// `dense` with its first dimensions, which `sparse` counts by columns, as one.
Dims folded_shape(const Tensor& sparse) {
  std::int64_t places = 1;
  for (std::size_t dim = 0; dim < sparse_dims(sparse); ++dim) places *= sparse.shape()[dim];
  Indices shape{places};
  for (std::size_t dim = sparse_dims(sparse); dim < sparse.ndim(); ++dim) shape.push_back(sparse.shape()[dim]);
  return Dims(shape);
}

Dims values_shape(const Tensor& values, std::int64_t count) {
  Dims shape = values.shape();
  shape[0] = count;
  return shape;
}

Term zero_values(const Tensor& values, std::int64_t count) {
  return tensor::zeros(values.interpreter(), values_shape(values, count), values.dtype(), values.device());
}

// Whole items are multiplied by whole numbers.
TermArgument factor_of(double alpha, DType dtype) {
  return tensor::is_integral(dtype) ? TermArgument(static_cast<std::int64_t>(alpha)) : TermArgument(alpha);
}

PyResult<void> check_same_size(const Tensor& a, const Tensor& b) {
  if (a.shape() == b.shape()) return {};
  if (a.sparse() != nullptr) {
    return object::runtime_error(a.interpreter(),
                                 "add: expected sizes of 'self' and 'other' to match, but [{}] != [{}]",
                                 fmt::join(a.shape().span(), ", "), fmt::join(b.shape().span(), ", "));
  }
  return object::runtime_error(a.interpreter(),
                               "add: expected 'self' and 'other' to have same size, but self has size [{}] while other "
                               "has size [{}] (FYI: dense-sparse addition does not currently support broadcasting)",
                               fmt::join(a.shape().span(), ", "), fmt::join(b.shape().span(), ", "));
}

// The items of one column in a dense tensor: which lie in order, or one by one.
class Block {
 public:
  Block(const Tensor& dense, std::size_t from) {
    for (std::size_t dim = from; dim < dense.ndim(); ++dim) {
      const Indices before = std::exchange(offsets_, {});
      for (const std::int64_t offset : before) {
        for (std::int64_t i = 0; i < dense.shape()[dim]; ++i) offsets_.push_back(offset + i * dense.strides()[dim]);
      }
    }
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      is_in_order_ = is_in_order_ && offsets_[i] == static_cast<std::int64_t>(i);
    }
  }
  bool is_in_order() const { return is_in_order_; }
  const Indices& offsets() const { return offsets_; }

 private:
  Indices offsets_{0};
  bool is_in_order_ = true;
};

template <class T>
T number_as(double number) {
  if constexpr (kIsComplex<T>)
    return T(static_cast<typename T::value_type>(number));
  else
    return static_cast<T>(number);
}

// dense += alpha * values at the columns. Must hold: on the CPU, the columns were checked.
void add_items_at(const Tensor& dense, const Indices& columns, const Tensor& values, double alpha) {
  const auto dims = columns.size() / static_cast<std::size_t>(values.shape()[0]);
  const Block block(dense, dims);
  const auto count = static_cast<std::size_t>(values.shape()[0]), width = block.offsets().size();
  const auto bytes = static_cast<std::int64_t>(tensor::item_bytes(dense.dtype()));
  with_any_number(dense.dtype(), [&]<class T>(T) {
    const NumbersIn<T> items(values);
    const T factor = number_as<T>(alpha);
    std::vector<T> row(width);
    for (std::size_t k = 0; k < count; ++k) {
      std::int64_t at = 0;
      for (std::size_t dim = 0; dim < dims; ++dim) at += columns[dim * count + k] * dense.strides()[dim];
      const T* const from = items.data() + k * width;
      std::byte* const to = dense.data() + at * bytes;
      if (lies_as<T>(dense.dtype()) && block.is_in_order()) {
        T* const target = reinterpret_cast<T*>(to);
        for (std::size_t i = 0; i < width; ++i) target[i] += factor * from[i];
        continue;
      }
      for (std::size_t i = 0; i < width; ++i) {
        std::byte* const item = to + block.offsets()[i] * bytes;
        load_items(dense.dtype(), item, bytes, 1, compute_for<T>(), &row[i]);
        row[i] += factor * from[i];
        store_items(dense.dtype(), item, bytes, 1, compute_for<T>(), &row[i]);
      }
    }
  });
}

PyResult<Ref<Tensor>> made_sparse(const Tensor& like, const Ref<Tensor>& indices, const Term& values,
                                  bool is_coalesced) {
  if (!values.ok()) return values.result().error();
  return tensor::make_sparse(like.interpreter(), like.shape(), {indices, values.ref(), is_coalesced});
}

}  // namespace

PyResult<Ref<Tensor>> coalesced(Tensor& self) {
  const SparseParts& parts = *self.sparse();
  if (parts.is_coalesced) return Ref<Tensor>(&self);
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(const Indices places, column_places(self));
  const std::size_t count = places.size();
  const bool is_ordered = std::adjacent_find(places.begin(), places.end(), std::greater_equal<>()) == places.end();
  if (is_ordered) return made_sparse(self, parts.indices, Term(parts.values), true);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  // By column: which of the new ones it goes to; and the first column of each of these.
  Indices numbers(count);
  std::vector<std::size_t> first;
  for (const std::size_t k : order) {
    if (first.empty() || places[first.back()] != places[k]) first.push_back(k);
    numbers[k] = static_cast<std::int64_t>(first.size()) - 1;
  }
  NNS_TRY_ASSIGN(const Indices columns, numbers_of(*parts.indices));
  Indices kept;
  for (std::size_t dim = 0; dim < sparse_dims(self); ++dim) {
    for (const std::size_t k : first) kept.push_back(columns[dim * count + k]);
  }
  const auto groups = static_cast<std::int64_t>(first.size());
  const Device device = parts.values->device();
  NNS_TRY_ASSIGN(const Ref<Tensor> indices, index_tensor(in, Dims({parts.indices->shape()[0], groups}), kept, device));
  NNS_TRY_ASSIGN(const Ref<Tensor> to, index_tensor(in, Dims({static_cast<std::int64_t>(count)}), numbers, device));
  return made_sparse(self, indices,
                     apply(OpId::index_add, {zero_values(*parts.values, groups), 0, Term(to), Term(parts.values)}),
                     true);
}

PyResult<Ref<Tensor>> sparse_sum(Tensor& a, Tensor& b, double alpha) {
  Interpreter& in = a.interpreter();
  NNS_TRY(check_same_size(a, b));
  const SparseParts &left = *a.sparse(), &right = *b.sparse();
  const Term scaled = alpha == 1 ? Term(right.values) : Term(right.values) * factor_of(alpha, right.values->dtype());
  if (column_count(b) == 0) return made_sparse(a, left.indices, Term(left.values), left.is_coalesced);
  if (column_count(a) == 0) return made_sparse(b, right.indices, scaled, right.is_coalesced);
  if (sparse_dims(a) != sparse_dims(b)) {
    return object::runtime_error(in,
                                 "add: expected 'self' and 'other' to have same density, but 'self' has {} sparse "
                                 "dimensions while 'other' has {} sparse dimensions",
                                 sparse_dims(a), sparse_dims(b));
  }
  NNS_TRY_ASSIGN(const Indices places_a, column_places(a));
  NNS_TRY_ASSIGN(const Indices places_b, column_places(b));
  NNS_TRY_ASSIGN(const Indices columns_a, numbers_of(*left.indices));
  NNS_TRY_ASSIGN(const Indices columns_b, numbers_of(*right.indices));
  Indices to_a(places_a.size()), to_b(places_b.size());
  std::vector<Indices> rows(sparse_dims(a));
  std::size_t i = 0, k = 0;
  std::int64_t made = 0;
  for (; i < places_a.size() || k < places_b.size(); ++made) {
    const bool takes_a = k >= places_b.size() || (i < places_a.size() && places_a[i] <= places_b[k]);
    const bool takes_b = i >= places_a.size() || (k < places_b.size() && places_b[k] <= places_a[i]);
    for (std::size_t dim = 0; dim < rows.size(); ++dim) {
      rows[dim].push_back(takes_a ? columns_a[dim * places_a.size() + i] : columns_b[dim * places_b.size() + k]);
    }
    if (takes_a) to_a[i++] = made;
    if (takes_b) to_b[k++] = made;
  }
  Indices columns;
  for (const Indices& row : rows) columns.insert(columns.end(), row.begin(), row.end());
  const Device device = left.values->device();
  NNS_TRY_ASSIGN(const Ref<Tensor> indices, index_tensor(in, Dims({left.indices->shape()[0], made}), columns, device));
  NNS_TRY_ASSIGN(const Ref<Tensor> from_a, index_tensor(in, Dims({column_count(a)}), to_a, device));
  NNS_TRY_ASSIGN(const Ref<Tensor> from_b, index_tensor(in, Dims({column_count(b)}), to_b, device));
  const Term first = apply(OpId::index_add, {zero_values(*left.values, made), 0, Term(from_a), Term(left.values)});
  return made_sparse(a, indices, apply(OpId::index_add, {first, 0, Term(from_b), scaled}),
                     left.is_coalesced && right.is_coalesced);
}

PyResult<Ref<Tensor>> dense_sum(Tensor& dense, Tensor& sparse, double alpha) {
  Interpreter& in = dense.interpreter();
  NNS_TRY(check_same_size(dense, sparse));
  NNS_TRY_ASSIGN(const Indices places, column_places(sparse));
  const SparseParts& parts = *sparse.sparse();
  NNS_TRY_ASSIGN(const Ref<Tensor> to, index_tensor(in, Dims({column_count(sparse)}), places, parts.values->device()));
  const Term flat = apply(OpId::reshape, {Term(Ref<Tensor>(&dense)), dims_value(in, folded_shape(sparse))});
  const Term sum =
      apply(OpId::index_add, {flat, 0, Term(to), Term(parts.values), factor_of(alpha, parts.values->dtype())});
  return apply(OpId::reshape, {sum, dims_value(in, dense.shape())}).take();
}

PyResult<Ref<Tensor>> sum_of_gradients(Tensor& a, Tensor& b) {
  if (a.sparse() != nullptr && b.sparse() != nullptr) return sparse_sum(a, b);
  if (a.sparse() != nullptr) return dense_sum(b, a);
  if (b.sparse() != nullptr) return dense_sum(a, b);
  return call_tensor_op(a.interpreter(), OpId::add, std::array{Value(&a), Value(&b)});
}

PyResult<void> add_sparse(Tensor& self, Tensor& sparse, double alpha) {
  Interpreter& in = self.interpreter();
  tensor::Capture::refuse_current("a tensor of layout torch.sparse_coo is added");
  const GradModeGuard no_grad(in, false);
  if (self.sparse() != nullptr) {
    NNS_TRY_ASSIGN(const Ref<Tensor> sum, sparse_sum(self, sparse, alpha));
    self.set_data(*sum);
    return {};
  }
  NNS_TRY(check_same_size(self, sparse));
  const SparseParts& parts = *sparse.sparse();
  if (self.is_cuda()) {
    NNS_TRY_ASSIGN(const Ref<Tensor> sum, dense_sum(self, sparse, alpha));
    NNS_TRY(tensor::copy_items(self, *sum));
  } else if (!self.is_meta() && column_count(sparse) > 0) {
    NNS_TRY(column_places(sparse));
    NNS_TRY_ASSIGN(const Indices columns, numbers_of(*parts.indices));
    add_items_at(self, columns, *parts.values, alpha);
  }
  self.bump_version();
  return {};
}

PyResult<Ref<Tensor>> items_at(Tensor& dense, const Tensor& sparse) {
  Interpreter& in = dense.interpreter();
  NNS_TRY_ASSIGN(const Indices places, column_places(sparse));
  NNS_TRY_ASSIGN(const Ref<Tensor> from, index_tensor(in, Dims({column_count(sparse)}), places, dense.device()));
  const Term flat = apply(OpId::reshape, {Term(Ref<Tensor>(&dense)), dims_value(in, folded_shape(sparse))});
  return apply(OpId::index_select, {flat, 0, Term(from)}).take();
}

Ref<Tensor> with_values(const Tensor& like, Ref<Tensor> values) {
  const SparseParts& parts = *like.sparse();
  return tensor::make_sparse(like.interpreter(), like.shape(), {parts.indices, std::move(values), parts.is_coalesced});
}

void clear_items(Tensor& sparse) {
  const SparseParts& parts = *sparse.sparse();
  Interpreter& in = sparse.interpreter();
  const Device device = parts.values->device();
  sparse.set_data(
      *tensor::make_sparse(in, sparse.shape(),
                           {tensor::empty(in, Dims({parts.indices->shape()[0], 0}), DType::Int64, device),
                            tensor::empty(in, values_shape(*parts.values, 0), parts.values->dtype(), device), true}));
}

Term embedding_sparse_gradient(const Term& grad, const Term& indices, std::int64_t rows, std::int64_t padding,
                               bool scales) {
  if (!grad.ok()) return grad;
  if (!indices.ok()) return indices;
  Interpreter& in = grad.tensor().interpreter();
  if (scales) {
    return object::runtime_error(in, "embedding_backward: scale_grad_by_freq not supported with sparse gradients");
  }
  tensor::Capture::refuse_current("a gradient of layout torch.sparse_coo");
  const std::int64_t width = grad.tensor().shape()[grad.tensor().ndim() - 1];
  const Device device = grad.tensor().device();
  Term values = apply(OpId::reshape, {grad, dims_value(in, Dims({indices.tensor().numel(), width}))});
  Indices named, kept;
  if (!indices.tensor().is_meta()) {
    PyResult<Indices> all = numbers_of(indices.tensor());
    if (!all.ok()) return all.error();
    for (std::size_t k = 0; k < all->size(); ++k) {
      if ((*all)[k] == padding) continue;
      named.push_back((*all)[k]);
      kept.push_back(static_cast<std::int64_t>(k));
    }
    if (kept.size() != all->size()) {
      const Term from = index_tensor(in, Dims({static_cast<std::int64_t>(kept.size())}), kept, device);
      values = apply(OpId::index_select, {values, 0, from});
    }
  }
  const Dims columns(
      {1, indices.tensor().is_meta() ? indices.tensor().numel() : static_cast<std::int64_t>(named.size())});
  if (indices.tensor().is_meta()) named.resize(static_cast<std::size_t>(columns[1]));
  PyResult<Ref<Tensor>> places = index_tensor(in, columns, named, device);
  if (!places.ok()) return places.error();
  if (!values.ok()) return values;
  return tensor::make_sparse(in, Dims({rows, width}), {std::move(places).value(), values.ref(), false});
}

Term gather_sparse_gradient(const Term& grad, std::int64_t dim, const Term& index, const Dims& shape) {
  if (!grad.ok()) return grad;
  if (!index.ok()) return index;
  const Tensor& from = index.tensor();
  Interpreter& in = from.interpreter();
  tensor::Capture::refuse_current("a gradient of layout torch.sparse_coo");
  const std::int64_t count = from.numel();
  const Term values = apply(OpId::reshape, {grad, dims_value(in, Dims({count}))});
  if (!values.ok()) return values;
  Indices places(shape.size() * static_cast<std::size_t>(count), 0);
  if (!from.is_meta() && shape.size() > 0) {
    PyResult<Indices> named = numbers_of(from);
    if (!named.ok()) return named.error();
    const std::size_t along = wrapped(dim, shape.size());
    for (std::size_t k = 0; k < named->size(); ++k) {
      std::size_t left = k;
      for (std::size_t i = shape.size(); i-- > 0;) {
        const std::size_t size = from.ndim() == 0 ? 1 : static_cast<std::size_t>(from.shape()[i]);
        places[i * named->size() + k] = i == along ? (*named)[k] : static_cast<std::int64_t>(left % size);
        left /= size;
      }
    }
  }
  PyResult<Ref<Tensor>> columns =
      index_tensor(in, Dims({static_cast<std::int64_t>(shape.size()), count}), places, from.device());
  if (!columns.ok()) return columns.error();
  return tensor::make_sparse(in, shape, {std::move(columns).value(), values.ref(), false});
}

}  // namespace nns::ops
