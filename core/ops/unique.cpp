#include <algorithm>
#include <numeric>
#include <optional>

#include "core/ops/errors.h"
#include "core/ops/host_call.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"

// Distinct items or slices, and how often numbers come.
// Behaviour: aten/src/ATen/native/Unique.cpp, SummaryOps.cpp; torch/functional.py, unique and unique_consecutive.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using Ints = std::vector<std::int64_t>;

Ref<Tensor> ints_tensor(Interpreter& in, const Ints& items, const Dims& shape) {
  Ref<Tensor> made = tensor::empty(in, shape, DType::Int64);
  std::copy(items.begin(), items.end(), reinterpret_cast<std::int64_t*>(made->data()));
  return made;
}

// Rows of numbers that are compared; a row of one item is an item.
class Rows {
 public:
  /// The slices of `tensor` along `dim`, or without one its items.
  Rows(const Tensor& tensor, std::optional<std::size_t> dim) {
    count_ = dim ? tensor.shape()[*dim] : tensor.numel();
    width_ = count_ == 0 ? 0 : tensor.numel() / count_;
    for (std::int64_t i = 0; i < (dim ? count_ : std::min<std::int64_t>(count_, 1)); ++i) {
      const Ref<Tensor> part = dim ? tensor::select(tensor, *dim, i) : tensor::detach(tensor);
      tensor::for_each_place(*part, [&](std::int64_t place) {
        if (tensor::is_integral(tensor.dtype()))
          whole_.push_back(tensor::read_int64(tensor, place));
        else
          real_.push_back(tensor::read_double(tensor, place));
      });
    }
  }

  std::int64_t count() const { return count_; }
  bool is_less(std::int64_t a, std::int64_t b) const {
    return whole_.empty() ? compare(real_, a, b) : compare(whole_, a, b);
  }
  // What is not a number is equal to nothing.
  bool is_same(std::int64_t a, std::int64_t b) const { return whole_.empty() ? same(real_, a, b) : same(whole_, a, b); }

 private:
  template <class T>
  const T* row(const std::vector<T>& items, std::int64_t i) const {
    return items.data() + i * width_;
  }
  template <class T>
  bool compare(const std::vector<T>& items, std::int64_t a, std::int64_t b) const {
    const T *x = row(items, a), *y = row(items, b);
    for (std::int64_t i = 0; i < width_; ++i) {
      // NaN last.
      if (x[i] < y[i] || (y[i] != y[i] && x[i] == x[i])) return true;
      if (y[i] < x[i] || (x[i] != x[i] && y[i] == y[i])) return false;
    }
    return false;
  }
  template <class T>
  bool same(const std::vector<T>& items, std::int64_t a, std::int64_t b) const {
    return std::equal(row(items, a), row(items, a) + width_, row(items, b));
  }

  std::int64_t count_ = 0, width_ = 0;
  Ints whole_;
  std::vector<double> real_;
};

struct Distinct {
  Ints first;    // of each: the row that stands for it
  Ints inverse;  // of each row: which it is
  Ints counts;
};

// Neighbours in this order that are the same become one.
Distinct distinct_of(const Rows& rows, const Ints& order) {
  Distinct made;
  made.inverse.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !rows.is_same(order[i - 1], order[i])) {
      made.first.push_back(order[i]);
      made.counts.push_back(0);
    }
    ++made.counts.back();
    made.inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(made.first.size()) - 1;
  }
  return made;
}

// input, return_inverse, return_counts, dim.
PyResult<Value> distinct(Interpreter& in, Value input, bool with_inverse, bool with_counts, const Value& dim,
                         bool sorts, std::string_view name) {
  const GradModeGuard no_grad(in, false);
  const Tensor& self = *input.as<Tensor>();
  if (self.is_meta()) {
    return object::error<object::ErrorKind::NotImplementedError>(
        in, "aten::{}: attempted to run this operator with Meta tensors, but its result depends on the values", name);
  }
  if (tensor::is_complex(self.dtype())) {
    return object::error<object::ErrorKind::NotImplementedError>(in, "\"{}\" not implemented for '{}'", name,
                                                                 tensor::info(self.dtype()).scalar_name);
  }
  std::optional<std::size_t> along;
  if (!dim.is_none()) {
    NNS_TRY_ASSIGN(const std::size_t place, checked_dimension(in, dim.as_int(), self.ndim()));
    if (self.ndim() > 0) along = place;
  }
  if (along) {
    const bool has_others = self.numel() > 0 || self.shape()[*along] == 0;
    for (std::size_t i = 0; i < self.ndim(); ++i) {
      if ((self.shape()[i] == 0 && i != *along) || !has_others) {
        return object::runtime_error(in,
                                     "There are 0 sized dimensions, and they aren't selected, so unique cannot be "
                                     "applied");
      }
    }
  }
  const Rows rows(self, along);
  Ints order(static_cast<std::size_t>(rows.count()));
  std::iota(order.begin(), order.end(), 0);
  if (sorts) std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows.is_less(a, b); });
  const Distinct found = distinct_of(rows, order);
  const auto count = static_cast<std::int64_t>(found.first.size());
  Value source = input;
  if (!along) {
    NNS_TRY_ASSIGN(source, call_op(in, OpId::reshape, {input, dims_value(in, Dims({-1}))}));
  }
  NNS_TRY_ASSIGN(Value values, call_op(in, OpId::index_select,
                                       {source, Value(static_cast<std::int64_t>(along.value_or(0))),
                                        Value(ints_tensor(in, found.first, Dims({count})))}));
  if (!with_inverse && !with_counts) return values;
  std::vector<Value> made = {std::move(values)};
  const Dims inverse_shape = along ? Dims({rows.count()}) : self.shape();
  if (with_inverse) made.emplace_back(ints_tensor(in, found.inverse, inverse_shape));
  if (with_counts) made.emplace_back(ints_tensor(in, found.counts, Dims({count})));
  return Value(in.tuple(std::move(made)));
}

// Whether the items of a tensor on a GPU can stay there: a GPU sorts them.
bool stays_on_gpu(const Value& input, const Value& dim) {
  const Tensor& self = *input.as<Tensor>();
  return self.is_cuda() && !tensor::is_complex(self.dtype()) && (dim.is_none() || self.ndim() == 1) && self.numel() > 0;
}

// distinct() of the items, made of ops.
PyResult<Value> distinct_by_ops(Interpreter& in, const Value& input, bool with_inverse, bool with_counts, bool sorts) {
  const GradModeGuard no_grad(in, false);
  const Tensor& self = *input.as<Tensor>();
  const auto whole = [&](const Dims& shape, double value) {
    return Term(tensor::full(in, shape, value, DType::Int64, self.device()));
  };
  const auto part = [](const Term& of, std::int64_t start, std::int64_t length) {
    return apply(OpId::narrow, {of, std::int64_t{0}, start, length});
  };
  const auto joined_items = [&in](const Term& a, const Term& b) -> Term {
    if (!a.ok()) return a;
    if (!b.ok()) return b;
    return call_tensor_op(in, OpId::cat, std::array{Value(in.tuple({Value(a.ref()), Value(b.ref())})), Value(0)});
  };
  NNS_TRY_ASSIGN(Value flat, call_op(in, OpId::reshape, {input, dims_value(in, Dims({-1}))}));
  Term items(Ref<Tensor>(flat.as<Tensor>())), order;
  const std::int64_t count = self.numel();
  if (sorts) {
    NNS_TRY_ASSIGN(const Value both, call_op(in, OpId::sort, {flat, Value(0), Value(false)}));
    items = Term(Ref<Tensor>((*both.as<object::Tuple>())[0].as<Tensor>()));
    order = Term(Ref<Tensor>((*both.as<object::Tuple>())[1].as<Tensor>()));
  }
  // 1 where an item is another one than that in front of it; what is not a number is equal to nothing.
  Term begins = whole(Dims({1}), 1);
  if (count > 1) {
    const Term is_other = apply(OpId::ne, {part(items, 1, count - 1), part(items, 0, count - 1)});
    begins = joined_items(begins, as_dtype(is_other, DType::Int64));
  }
  const Term firsts = apply(OpId::reshape, {apply(OpId::nonzero, {begins}), dims_value(in, Dims({-1}))});
  if (!firsts.ok()) return firsts.result().error();
  const Term values = apply(OpId::index_select, {items, std::int64_t{0}, firsts});
  if (!values.ok()) return values.result().error();
  if (!with_inverse && !with_counts) return Value(values.ref());
  std::vector<Value> made = {Value(values.ref())};
  if (with_inverse) {
    Term inverse = apply(OpId::cumsum, {begins, std::int64_t{0}}) - 1;
    if (sorts) inverse = apply(OpId::scatter, {whole(Dims({count}), 0), std::int64_t{0}, order, inverse});
    inverse = apply(OpId::reshape, {inverse, dims_value(in, self.shape())});
    if (!inverse.ok()) return inverse.result().error();
    made.emplace_back(inverse.ref());
  }
  if (with_counts) {
    const std::int64_t distinct_count = firsts.tensor().numel();
    const Term ends = joined_items(part(firsts, 1, distinct_count - 1), whole(Dims({1}), static_cast<double>(count)));
    const Term counts = ends - firsts;
    if (!counts.ok()) return counts.result().error();
    made.emplace_back(counts.ref());
  }
  return Value(in.tuple(std::move(made)));
}

PyResult<Value> bincount(Interpreter& in, Args a) {
  const Tensor& self = *a[0].as<Tensor>();
  const Tensor* const weights = a[1].as<Tensor>();
  const std::int64_t least = a[2].as_int();
  if (least < 0) return object::runtime_error(in, "minlength should be >= 0");
  if (self.is_meta() || (weights != nullptr && weights->is_meta())) return no_meta_kernel(in, "bincount");
  const bool is_right = tensor::is_integral(self.dtype()) && self.dtype() != DType::Bool;
  Ints items;
  bool is_negative = false;
  if (self.ndim() == 1 && is_right && !self.is_meta()) {
    tensor::for_each_place(self, [&](std::int64_t place) {
      items.push_back(tensor::read_int64(self, place));
      is_negative = is_negative || items.back() < 0;
    });
  }
  if (!(self.ndim() == 1 && is_right) && !(self.ndim() == 1 && self.numel() == 0)) {
    return object::runtime_error(in, "bincount only supports 1-d non-negative integral inputs.");
  }
  if (is_negative) return object::runtime_error(in, "bincount only supports 1-d non-negative integral inputs.");
  if (weights != nullptr && (weights->ndim() != 1 || weights->numel() != self.numel())) {
    return object::runtime_error(in, "weights should be 1-d and have the same length as input");
  }
  const std::int64_t most = items.empty() ? 0 : *std::max_element(items.begin(), items.end()) + 1;
  const DType dtype = weights == nullptr                   ? DType::Int64
                      : weights->dtype() == DType::Float32 ? DType::Float32
                                                           : DType::Float64;
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, Dims({std::max(most, least)}), dtype, self.device()));
  tensor::fill_items(*made, 0);
  const Ref<Tensor> parts = weights == nullptr ? tensor::ones(in, self.shape(), dtype) : nullptr;
  Ref<Tensor> given = parts;
  if (weights != nullptr) {
    const GradModeGuard no_grad(in, false);
    const Value wanted = tensor::TensorLibrary::of(in).dtype_value(dtype);
    NNS_TRY_ASSIGN(given, call_tensor_op(in, OpId::to_dtype, std::array{a[1], wanted}));
  }
  std::size_t i = 0;
  tensor::for_each_place(*given, [&](std::int64_t place) { tensor::add_at(*made, items[i++], *given, place); });
  return Value(std::move(made));
}

// Whether nothing but the numbers themselves may be wrong, which a GPU looks at.
bool counts_on_gpu(Args a) {
  const Tensor& self = *a[0].as<Tensor>();
  const Tensor* const weights = a[1].as<Tensor>();
  const bool is_right = tensor::is_integral(self.dtype()) && self.dtype() != DType::Bool;
  const bool has_right_weights =
      weights == nullptr || (weights->is_cuda() && weights->ndim() == 1 && weights->numel() == self.numel());
  return self.is_cuda() && is_right && self.ndim() == 1 && self.numel() > 0 && has_right_weights && a[2].as_int() >= 0;
}
PyResult<Value> bincount_by_ops(Interpreter& in, Args a) {
  const GradModeGuard no_grad(in, false);
  const Term items(Ref<Tensor>(a[0].as<Tensor>()));
  const Term least = apply(OpId::min, {items}), most = apply(OpId::max, {items});
  if (!least.ok()) return least.result().error();
  if (!most.ok()) return most.result().error();
  if (tensor::read_int64(least.tensor(), least.tensor().offset()) < 0) {
    return object::runtime_error(in, "bincount only supports 1-d non-negative integral inputs.");
  }
  const std::int64_t length = std::max(tensor::read_int64(most.tensor(), most.tensor().offset()) + 1, a[2].as_int());
  const Tensor* const weights = a[1].as<Tensor>();
  const DType dtype = weights == nullptr                   ? DType::Int64
                      : weights->dtype() == DType::Float32 ? DType::Float32
                                                           : DType::Float64;
  const Device device = items.tensor().device();
  const Dims shape = items.tensor().shape();
  const auto full = [&](const Dims& of, double value) { return Term(tensor::full(in, of, value, dtype, device)); };
  const Term given = weights == nullptr ? full(shape, 1) : as_dtype(Term(Ref<Tensor>(a[1].as<Tensor>())), dtype);
  const Term places = as_dtype(items, DType::Int64);
  const Term counts = apply(OpId::scatter_add, {full(Dims({length}), 0), std::int64_t{0}, places, given});
  if (!counts.ok()) return counts.result().error();
  return Value(counts.ref());
}

}  // namespace

void add_unique_functions(Interpreter& interpreter) {
  const auto both = [&interpreter](std::string_view signature, const OverloadBody& body) {
    add_method(interpreter, signature, body);
    add_function(interpreter, "torch", signature, body);
  };
  both("unique(Tensor input, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None)",
       [](Interpreter& in, Args given) -> PyResult<Value> {
         if (stays_on_gpu(given[0], given[4])) {
           return distinct_by_ops(in, given[0], given[2].as_bool(), given[3].as_bool(), true);
         }
         return call_on_host(in, given, [](Interpreter& own, Args a) {
           return distinct(own, a[0], a[2].as_bool(), a[3].as_bool(), a[4], true, "unique");
         });
       });
  both("unique_consecutive(Tensor input, bool return_inverse=False, bool return_counts=False, int? dim=None)",
       [](Interpreter& in, Args given) -> PyResult<Value> {
         if (stays_on_gpu(given[0], given[3])) {
           return distinct_by_ops(in, given[0], given[1].as_bool(), given[2].as_bool(), false);
         }
         return call_on_host(in, given, [](Interpreter& own, Args a) {
           return distinct(own, a[0], a[1].as_bool(), a[2].as_bool(), a[3], false, "unique_consecutive");
         });
       });
  both("bincount(Tensor input, Tensor? weights=None, int minlength=0)",
       [](Interpreter& in, Args given) -> PyResult<Value> {
         if (counts_on_gpu(given)) return bincount_by_ops(in, given);
         return call_on_host(in, given, bincount);
       });
}

}  // namespace nns::ops
