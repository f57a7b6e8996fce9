#include "core/ops/subscript.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/op_recorder.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"
#include "core/tensor/stand_ins.h"

// x[key] and x[key] = value. Behaviour: torch/csrc/autograd/python_variable_indexing.cpp.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using object::ErrorKind;

template <class... Parts>
object::PyError index_error(Interpreter& in, fmt::format_string<Parts...> format, Parts&&... parts) {
  return object::error<ErrorKind::IndexError>(in, format, std::forward<Parts>(parts)...);
}

// What a key asks for: a view, and tensors of places by the view's dimension.
struct Subscript {
  Ref<Tensor> view;
  std::vector<Value> indices;
  std::vector<std::int64_t> dims;
  /// How many masks the indices are made of; other indices make it no matter of masks alone.
  int masks = 0;
  bool has_others = false;
};

bool is_mask(const Tensor& tensor) { return tensor.dtype() == DType::Bool || tensor.dtype() == DType::UInt8; }

// What a tensor of places is made of: a list, a tuple, a range or another sequence.
bool is_sequence(Interpreter& in, const Value& value) {
  if (value.as<object::List>() != nullptr || value.as<object::Tuple>() != nullptr) return true;
  if (value.as<Tensor>() != nullptr || value.as<object::Dict>() != nullptr) return false;
  const object::Class& type = in.type_of(value);
  return type.lookup(in.names().dunder_getitem) != nullptr && type.lookup(in.names().dunder_len) != nullptr &&
         type.lookup(in.names().dunder_index) == nullptr;
}

// Sequences inside a key are tensors of places.
PyResult<std::vector<Value>> items_of(Interpreter& in, const Value& key) {
  std::vector<Value> items;
  if (const auto* tuple = key.as<object::Tuple>()) {
    items.assign(tuple->items().begin(), tuple->items().end());
  } else {
    items.push_back(key);
  }
  for (Value& item : items) {
    NNS_TRY_ASSIGN(item, tensor::plain_operand(in, item));
    if (!is_sequence(in, item)) continue;
    NNS_TRY_ASSIGN(const Ref<Tensor> made, tensor::from_nested(in, item, std::nullopt));
    item = made->numel() == 0 ? Value(tensor::empty(in, made->shape(), DType::Int64)) : Value(made);
  }
  return items;
}

bool is_ellipsis(Interpreter& in, const Value& value) { return value.is(in.ellipsis()); }

std::int64_t dimensions_of(Interpreter& in, std::span<const Value> items) {
  std::int64_t count = 0;
  for (const Value& item : items) {
    if (item.is_none() || item.is_bool() || is_ellipsis(in, item)) continue;
    const Tensor* tensor = item.as<Tensor>();
    count += tensor != nullptr && is_mask(*tensor) ? static_cast<std::int64_t>(tensor->ndim()) : 1;
  }
  return count;
}

class Reader {
 public:
  Reader(Interpreter& in, Ref<Tensor> self) : in_(in) { found_.view = std::move(self); }

  PyResult<Subscript> read(const Value& key) {
    NNS_TRY_ASSIGN(const std::vector<Value> items, items_of(in_, key));
    const std::int64_t asked = dimensions_of(in_, items);
    const auto ndim = static_cast<std::int64_t>(found_.view->ndim());
    const bool is_one_int = items.size() == 1 && (items[0].is_int() || items[0].is_bool());
    if (asked > ndim && !(is_one_int && ndim == 0)) {
      return index_error(in_, "too many indices for tensor of dimension {}", ndim);
    }
    for (const Value& item : items) NNS_TRY(read_item(item, ndim - asked));
    return std::move(found_);
  }

 private:
  PyResult<void> change(OpId id, std::initializer_list<Value> args) {
    NNS_TRY_ASSIGN(found_.view, call_tensor_op(in_, id, std::span<const Value>(args.begin(), args.size())));
    return {};
  }

  PyResult<void> read_item(const Value& item, std::int64_t skipped_by_ellipsis) {
    const Value view(found_.view);
    if (item.is_none()) {
      NNS_TRY(change(OpId::unsqueeze, {view, Value(dim_)}));
      ++dim_;
      return {};
    }
    if (is_ellipsis(in_, item)) {
      dim_ += skipped_by_ellipsis;
      return {};
    }
    if (item.is_bool()) {
      NNS_TRY(change(OpId::unsqueeze, {view, Value(dim_)}));
      // One place or none of the new dimension.
      found_.has_others = true;
      add_index(tensor::zeros(in_, Dims({item.as_bool() ? 1 : 0}), DType::Int64));
      return {};
    }
    if (const auto* slice = item.as<object::Slice>()) return read_slice(*slice);
    if (Tensor* const tensor = item.as<Tensor>()) return read_tensor(*tensor);
    if (!item.is_int() && in_.type_of(item).lookup(in_.names().dunder_index) == nullptr) {
      return index_error(in_,
                         "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                         "indices (got {})",
                         in_.type_of(item).name());
    }
    NNS_TRY_ASSIGN(const std::int64_t index, object::index(in_, item));
    return select(index);
  }

  PyResult<void> select(std::int64_t index) {
    const Tensor& view = *found_.view;
    if (dim_ == 0 && view.ndim() == 0) {
      return index_error(in_,
                         "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
                         "to convert a 0-dim tensor to a number");
    }
    const std::int64_t size = view.shape()[static_cast<std::size_t>(dim_)];
    if (index < -size || index >= size) {
      return index_error(in_, "index {} is out of bounds for dimension {} with size {}", index, original_dim_, size);
    }
    ++original_dim_;
    return change(OpId::select, {Value(found_.view), Value(dim_), Value(index)});
  }

  PyResult<void> read_slice(const object::Slice& slice) {
    std::int64_t step = 1;
    if (!slice.step().is_none()) {
      NNS_TRY_ASSIGN(step, object::index(in_, slice.step()));
    }
    if (step == 0) return object::value_error(in_, "step cannot be zero");
    if (step < 0) return object::value_error(in_, "step must be greater than zero");
    Value ends[2] = {slice.start(), slice.stop()};
    for (Value& end : ends) {
      if (end.is_none()) continue;
      if (!end.is_int() && in_.type_of(end).lookup(in_.names().dunder_index) == nullptr) {
        return object::type_error(in_, "slice indices must be integers or None or have an __index__ method");
      }
      NNS_TRY_ASSIGN(const std::int64_t place, object::index(in_, end));
      end = Value(place);
    }
    const std::int64_t dim = dim_++;
    ++original_dim_;
    return change(OpId::slice, {Value(found_.view), Value(dim), ends[0], ends[1], Value(step)});
  }

  PyResult<void> read_tensor(Tensor& index) {
    if (!tensor::is_integral(index.dtype())) {
      return index_error(in_, "tensors used as indices must be long, int, byte or bool tensors");
    }
    if (index.ndim() == 0 && !is_mask(index)) {
      if (index.is_meta()) return no_item_of_meta(in_);
      return select(tensor::read_int64(index, index.offset()));
    }
    if (!is_mask(index)) {
      ++original_dim_;
      found_.has_others = true;
      add_index(Ref<Tensor>(&index));
      return {};
    }
    return read_mask(index);
  }

  // A mask is the places of its true items, one tensor a dimension.
  PyResult<void> read_mask(Tensor& mask) {
    if (mask.ndim() == 0) {
      if (mask.is_meta()) return no_item_of_meta(in_);
      const bool is_true = tensor::read_int64(mask, mask.offset()) != 0;
      NNS_TRY(change(OpId::unsqueeze, {Value(found_.view), Value(dim_)}));
      found_.has_others = true;
      add_index(tensor::zeros(in_, Dims({is_true ? 1 : 0}), DType::Int64));
      return {};
    }
    if (mask.dtype() == DType::UInt8) warn_of_byte_mask(in_);
    ++found_.masks;
    const Tensor& view = *found_.view;
    for (std::size_t d = 0; d < mask.ndim(); ++d) {
      const auto at = static_cast<std::size_t>(dim_) + d;
      if (mask.shape()[d] == view.shape()[at]) continue;
      return index_error(
          in_, "The shape of the mask [{}] at index {} does not match the shape of the indexed tensor [{}] at index {}",
          fmt::join(mask.shape().span(), ", "), d, fmt::join(view.shape().span(), ", "), at);
    }
    const GradModeGuard no_grad(in_, false);
    NNS_TRY_ASSIGN(const Ref<Tensor> places, call_tensor_op(in_, OpId::nonzero, std::array{Value(&mask)}));
    for (std::size_t d = 0; d < mask.ndim(); ++d) {
      ++original_dim_;
      add_index(tensor::select(*places, 1, static_cast<std::int64_t>(d)));
    }
    return {};
  }

  void add_index(Ref<Tensor> places) {
    found_.indices.emplace_back(std::move(places));
    found_.dims.push_back(dim_++);
  }

  Interpreter& in_;
  Subscript found_;
  /// Of the view so far, and of the tensor as the program sees it.
  std::int64_t dim_ = 0;
  std::int64_t original_dim_ = 0;
};

// A number or a tensor as what is written.
PyResult<Ref<Tensor>> written_value(Interpreter& in, const Tensor& self, const Value& given) {
  NNS_TRY_ASSIGN(const Value value, tensor::plain_operand(in, given));
  if (Tensor* const tensor = value.as<Tensor>()) return Ref<Tensor>(tensor);
  if (!Number::is_number(value)) {
    return object::type_error(in, "can't assign a {} to a {}", in.type_of(value).name(), self.type_string());
  }
  // Recorded, it is a constant, which has a value also where tensors have none.
  const Device device = OpRecorder::of(in) != nullptr && self.is_meta() ? Device::Cpu : self.device();
  NNS_TRY_ASSIGN(const Value made, one_step(in, "_lifted_number", {}, [&]() -> PyResult<Value> {
                   NNS_TRY_ASSIGN(Ref<Tensor> number, full_of(in, Dims(), value, self.dtype(), device));
                   return Value(std::move(number));
                 }));
  return Ref<Tensor>(made.as<Tensor>());
}

PyResult<Ref<Tensor>> in_dtype_of(Interpreter& in, const Tensor& self, Ref<Tensor> value) {
  if (value->dtype() == self.dtype()) return value;
  return call_tensor_op(in, OpId::to_dtype,
                        std::array{Value(value), tensor::TensorLibrary::of(in).dtype_value(self.dtype())});
}

// The value without `most` sizes of 1 in front.
PyResult<Value> without_leading_ones(Interpreter& in, const Ref<Tensor>& value, std::size_t most) {
  std::size_t extra = 0;
  while (extra < std::min(most, value->ndim()) && value->shape()[extra] == 1) ++extra;
  if (extra == 0) return Value(value);
  const std::vector<std::int64_t> rest(value->shape().begin() + extra, value->shape().end());
  return call_op(in, OpId::view, {Value(value), dims_value(in, Dims(rest))});
}

}  // namespace

void warn_of_byte_mask(Interpreter& in) {
  in.warn(object::ErrorKind::UserWarning,
          "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
}

PyResult<Value> get_item(Interpreter& interpreter, Tensor& self, const Value& key) {
  NNS_TRY_ASSIGN(const Subscript found, Reader(interpreter, Ref<Tensor>(&self)).read(key));
  if (!found.indices.empty()) {
    return call_op(
        interpreter, OpId::index,
        {Value(found.view), Value(interpreter.tuple(found.indices)), dims_value(interpreter, Dims(found.dims))});
  }
  if (found.view.get() == &self) return call_op(interpreter, OpId::alias, {Value(&self)});
  return Value(found.view);
}

PyResult<void> set_item(Interpreter& interpreter, Tensor& self, const Value& key, const Value& value) {
  NNS_TRY_ASSIGN(Ref<Tensor> source, written_value(interpreter, self, value));
  NNS_TRY_ASSIGN(const Subscript found, Reader(interpreter, Ref<Tensor>(&self)).read(key));
  // Items go to places as they are; one item fills a mask. Behaviour: TensorAdvancedIndexing.cpp, _index_put_impl_.
  const bool is_fill = found.masks == 1 && !found.has_others && source->numel() == 1;
  if (found.indices.empty() || is_fill) {
    NNS_TRY_ASSIGN(source, in_dtype_of(interpreter, self, source));
  }
  if (!found.indices.empty()) {
    NNS_TRY_ASSIGN(const Value short_source, without_leading_ones(interpreter, source, source->ndim()));
    NNS_TRY(call_in_place(interpreter, OpId::index_put,
                          std::array{Value(found.view), Value(interpreter.tuple(found.indices)),
                                     dims_value(interpreter, Dims(found.dims)), short_source, Value(false)}));
    return {};
  }
  if (source->ndim() == 0 && OpRecorder::of(interpreter) != nullptr) {
    // One number is a fill. Behaviour: python_variable_indexing.cpp, copy_to.
    NNS_TRY(call_in_place(interpreter, OpId::fill, std::array{Value(found.view), Value(source)}));
    return {};
  }
  Value spread(source);
  if (!(source->shape() == found.view->shape())) {
    const std::size_t extra = source->ndim() - std::min(source->ndim(), found.view->ndim());
    NNS_TRY_ASSIGN(const Value fitting, without_leading_ones(interpreter, source, extra));
    NNS_TRY_ASSIGN(spread, call_op(interpreter, OpId::expand, {fitting, dims_value(interpreter, found.view->shape())}));
  }
  NNS_TRY(call_in_place(interpreter, OpId::copy, std::array{Value(found.view), spread}));
  return {};
}

void add_subscripts(Interpreter& interpreter) {
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  cls.def("__getitem__(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value of_sparse, tensor::sparse_answer(in, "__getitem__", {a, {}}));
    return of_sparse.is_absent() ? get_item(in, *a[0].as<Tensor>(), a[1]) : of_sparse;
  });
  cls.def("__setitem__(self, key, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(set_item(in, *a[0].as<Tensor>(), a[1], a[2]));
    return Value();
  });
  // iter(x) walks the first dimension.
  cls.def("__iter__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<Tensor>()->ndim() == 0) return object::type_error(in, "iteration over a 0-d tensor");
    NNS_TRY_ASSIGN(const Value parts, is_overriding(in) ? in.call_method(a[0], in.intern("unbind"), {Value(0)})
                                                        : call_op(in, OpId::unbind, {a[0], Value(0)}));
    return object::iter(in, parts);
  });
  cls.def("__contains__(self, element)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].as<Tensor>() == nullptr && !Number::is_number(a[1])) {
      return object::runtime_error(in, "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.",
                                   object::class_repr(in.type_of(a[1])));
    }
    NNS_TRY_ASSIGN(const Value same, call_op(in, OpId::eq, {a[0], a[1]}));
    NNS_TRY_ASSIGN(const Value any, call_op(in, OpId::any, {same}));
    if (any.as<Tensor>()->is_meta()) return no_item_of_meta(in);
    return tensor::read_value(*any.as<Tensor>(), any.as<Tensor>()->offset());
  });
}

}  // namespace nns::ops
