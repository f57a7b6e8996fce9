#include "core/tensor/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/object/instance.h"
#include "core/tensor/capture.h"
#include "core/tensor/distributed.h"

namespace nns::tensor {

Tensor::Tensor(object::Class& cls, TensorView view) : Container(cls, kKind), view_(std::move(view)) {}

bool Tensor::is_contiguous() const {
  if (numel() == 0) return true;
  std::int64_t step = 1;
  for (std::size_t i = ndim(); i-- > 0;) {
    if (view_.shape[i] != 1 && view_.strides[i] != step) return false;
    step *= view_.shape[i];
  }
  return true;
}

PyResult<void> Tensor::set_requires_grad(bool value) {
  if (value && !is_differentiable(dtype())) {
    return object::runtime_error(interpreter(),
                                 "only Tensors of floating point and complex dtype can require gradients");
  }
  requires_grad_ = value;
  return {};
}

std::string Tensor::type_string() const {
  std::string name = legacy_type_name(dtype());
  return is_cuda() ? name.insert(name.find('.') + 1, "cuda.") : name;
}

bool Tensor::is_parameter() const {
  const object::Class* parameter = TensorLibrary::of(interpreter()).parameter;
  if (&type() == parameter || type().is_subclass_of(*parameter)) return true;
  // One of a class of its own keeps it. Behaviour: torch/nn/parameter.py, _ParameterMeta.
  return attributes_ && attributes_->find("_is_param") != nullptr;
}

void Tensor::swap(Tensor& other) {
  std::swap(view_, other.view_);
  std::swap(grad_, other.grad_);
  std::swap(grad_fn_, other.grad_fn_);
  std::swap(output_number_, other.output_number_);
  std::swap(autograd_, other.autograd_);
  std::swap(sparse_, other.sparse_);
  std::swap(attributes_, other.attributes_);
  std::swap(requires_grad_, other.requires_grad_);
  std::swap(is_inference_, other.is_inference_);
  std::swap(is_buffer_, other.is_buffer_);
  std::swap(is_persistent_, other.is_persistent_);
  std::swap(is_uninitialized_, other.is_uninitialized_);
  const Ref<object::Class> mine(&type());
  set_type(other.type());
  other.set_type(*mine);
}

object::Dict* Tensor::instance_dict(bool create) {
  if (!attributes_ && create) attributes_ = interpreter().dict();
  return attributes_.get();
}

void Tensor::traverse(object::Visitor& visitor) const {
  visitor.visit(grad_);
  visitor.visit(grad_fn_);
  visitor.visit(attributes_);
  if (sparse_) {
    visitor.visit(sparse_->indices);
    visitor.visit(sparse_->values);
  }
  if (!autograd_) return;
  visitor.visit(autograd_->view_base);
  visitor.visit(autograd_->hooks);
  visitor.visit(autograd_->after_accumulation_hooks);
  for (const auto& [level, tangent] : autograd_->tangents) visitor.visit(tangent);
}

void Tensor::clear_references() {
  grad_ = nullptr;
  grad_fn_ = nullptr;
  attributes_ = nullptr;
  sparse_ = nullptr;
  if (!autograd_) return;
  autograd_->view_base = nullptr;
  autograd_->hooks = nullptr;
  autograd_->after_accumulation_hooks = nullptr;
  autograd_->tangents.clear();
}

TensorLibrary& TensorLibrary::of(Interpreter& interpreter) {
  if (TensorLibrary* made = interpreter.extension<TensorLibrary>()) [[likely]]
    return *made;
  TensorLibrary& library = interpreter.extend(std::make_unique<TensorLibrary>());
  add_tensor_classes(interpreter, library);
  return library;
}

Ref<Tensor> make_tensor(Interpreter& interpreter, TensorView view) {
  return object::make<Tensor>(*TensorLibrary::of(interpreter).tensor, std::move(view));
}

Ref<Tensor> empty(Interpreter& interpreter, const Dims& shape, DType dtype, Device device) {
  const auto bytes = static_cast<std::uint64_t>(element_count(shape)) * item_bytes(dtype);
  return make_tensor(interpreter,
                     {Storage::allocate(interpreter, bytes, device), shape, contiguous_strides(shape), 0, dtype});
}

namespace {

// `start` times all sizes; none: it does not fit.
std::optional<std::int64_t> product_from(std::int64_t start, const Dims& shape) {
  bool is_too_large = false;
  for (const std::int64_t size : shape) is_too_large |= __builtin_mul_overflow(start, size, &start);
  return is_too_large ? std::nullopt : std::optional(start);
}

PyResult<void> check_strides(Interpreter& interpreter, const Dims& shape) {
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 1;) {
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(shape[i], 1), &step)) {
      return object::runtime_error(interpreter, "Stride calculation overflowed");
    }
  }
  return {};
}

}  // namespace

PyResult<void> check_not_negative(Interpreter& interpreter, const Dims& shape) {
  for (const std::int64_t size : shape) {
    if (size >= 0) continue;
    return object::runtime_error(interpreter, "Trying to create tensor with negative dimension {}: [{}]", size,
                                 fmt::join(shape.span(), ", "));
  }
  return {};
}

PyResult<void> check_sizes(Interpreter& interpreter, const Dims& shape) {
  const std::optional<std::int64_t> count = product_from(1, shape);
  if (!count) return object::runtime_error(interpreter, "numel: integer multiplication overflow");
  return *count == 0 ? check_strides(interpreter, shape) : PyResult<void>();
}

PyResult<void> check_in_bounds(Interpreter& interpreter, const TensorView& view) {
  bool fits = view.offset >= 0 && view.shape.size() == view.strides.size();
  bool is_empty = false, is_too_large = false;
  std::uint64_t last = fits ? static_cast<std::uint64_t>(view.offset) : 0;
  for (std::size_t i = 0; fits && i < view.shape.size(); ++i) {
    const std::int64_t size = view.shape[i], stride = view.strides[i];
    if (size < 0 || stride < 0) {
      fits = false;
    } else if (size == 0) {
      is_empty = true;
    } else {
      std::uint64_t step = 0;
      is_too_large |=
          __builtin_mul_overflow(static_cast<std::uint64_t>(size - 1), static_cast<std::uint64_t>(stride), &step) ||
          __builtin_add_overflow(last, step, &last);
    }
  }
  const std::uint64_t width = item_bytes(view.dtype);
  std::uint64_t needed = 0;
  is_too_large = is_too_large || last == UINT64_MAX || __builtin_mul_overflow(last + 1, width, &needed);
  if (fits && is_empty) {
    needed = 0;
  } else if (fits && is_too_large) {
    return object::runtime_error(interpreter, "Storage size calculation overflowed with sizes=[{}] and strides=[{}]",
                                 fmt::join(view.shape.span(), ", "), fmt::join(view.strides.span(), ", "));
  }
  if (fits && needed <= view.storage->bytes()) return check_sizes(interpreter, view.shape);
  return object::runtime_error(interpreter,
                               "setStorage: sizes [{}], strides [{}], storage offset {}, and itemsize {} requiring a "
                               "storage size of {} are out of bounds for storage of size {}",
                               fmt::join(view.shape.span(), ", "), fmt::join(view.strides.span(), ", "), view.offset,
                               width, needed, view.storage->bytes());
}

PyResult<std::uint64_t> storage_bytes(Interpreter& interpreter, const Dims& shape, DType dtype) {
  const std::optional<std::int64_t> bytes = product_from(static_cast<std::int64_t>(item_bytes(dtype)), shape);
  if (!bytes) {
    return object::runtime_error(interpreter, "Storage size calculation overflowed with sizes=[{}]",
                                 fmt::join(shape.span(), ", "));
  }
  if (*bytes == 0) NNS_TRY(check_strides(interpreter, shape));
  return static_cast<std::uint64_t>(*bytes);
}

PyResult<Ref<Tensor>> try_empty(Interpreter& interpreter, const Dims& shape, DType dtype, Device device) {
  NNS_TRY_ASSIGN(const std::uint64_t bytes, storage_bytes(interpreter, shape, dtype));
  NNS_TRY_ASSIGN(Ref<Storage> storage, Storage::try_allocate(interpreter, bytes, device));
  return make_tensor(interpreter, {std::move(storage), shape, contiguous_strides(shape), 0, dtype});
}

Ref<Tensor> zeros(Interpreter& interpreter, const Dims& shape, DType dtype, Device device) {
  return full(interpreter, shape, 0, dtype, device);
}

Ref<Tensor> ones(Interpreter& interpreter, const Dims& shape, DType dtype, Device device) {
  return full(interpreter, shape, 1, dtype, device);
}

PyResult<void> check_room(Interpreter& interpreter, std::int64_t numbers) {
  NNS_TRY(try_empty(interpreter, Dims({numbers}), DType::Float64, Device::Cpu));
  return {};
}

PyResult<Ref<Tensor>> try_full(Interpreter& interpreter, const Dims& shape, double value, DType dtype, Device device) {
  NNS_TRY_ASSIGN(Ref<Tensor> made, try_empty(interpreter, shape, dtype, device));
  fill_items(*made, value);
  return made;
}

Ref<Tensor> full(Interpreter& interpreter, const Dims& shape, double value, DType dtype, Device device) {
  auto made = empty(interpreter, shape, dtype, device);
  fill_items(*made, value);
  return made;
}

PyResult<Ref<Tensor>> make_parameter(Interpreter& interpreter, const Tensor& data, bool requires_grad) {
  if (requires_grad && !is_differentiable(data.dtype())) {
    return object::runtime_error(interpreter, "Only Tensors of floating point and complex dtype can require gradients");
  }
  if (data.sparse() != nullptr) {
    return object::error<object::ErrorKind::NotImplementedError>(
        interpreter, "nnscope has no parameters of layout torch.sparse_coo");
  }
  auto made = object::make<Tensor>(*TensorLibrary::of(interpreter).parameter, data.view());
  NNS_TRY(made->set_requires_grad(requires_grad));
  return made;
}

Ref<Tensor> detach(const Tensor& self) {
  if (const SparseParts* const parts = self.sparse()) {
    return make_sparse(self.interpreter(), self.shape(), {parts->indices, detach(*parts->values), parts->is_coalesced});
  }
  return make_tensor(self.interpreter(), self.view());
}

Ref<Tensor> make_sparse(Interpreter& interpreter, const Dims& shape, SparseParts parts) {
  auto made = make_tensor(interpreter, {Storage::allocate(interpreter, 0, Device::Meta), shape,
                                        contiguous_strides(shape), 0, parts.values->dtype()});
  made->set_sparse(std::move(parts));
  TensorLibrary::of(interpreter).any_sparse = true;
  return made;
}

PyResult<Value> sparse_answer(Interpreter& interpreter, std::string_view function, const object::Arguments& arguments) {
  const TensorLibrary& library = TensorLibrary::of(interpreter);
  if (!library.any_sparse || !library.sparse_call) [[likely]]
    return Value::absent();
  const auto is_sparse = [](const Value& value) {
    const Tensor* const tensor = value.as<Tensor>();
    return tensor != nullptr && tensor->sparse() != nullptr;
  };
  const auto shows_sparse = [&is_sparse](const Value& value) {
    std::span<const Value> items(&value, 1);
    if (const auto* tuple = value.as<object::Tuple>()) items = tuple->items();
    if (const auto* list = value.as<object::List>()) items = list->items();
    return std::any_of(items.begin(), items.end(), is_sparse);
  };
  const bool is_meant = std::any_of(arguments.positional.begin(), arguments.positional.end(), shows_sparse) ||
                        std::any_of(arguments.keywords.begin(), arguments.keywords.end(),
                                    [&](const object::Keyword& one) { return shows_sparse(one.value); });
  return is_meant ? library.sparse_call(function, arguments) : distributed_answer(interpreter, function, arguments);
}

// Behaviour: c10/core/dispatch/OperatorEntry.cpp, reportError; the list of backends is left out.
object::PyError no_sparse_kernel(Interpreter& interpreter, std::string_view op) {
  return object::error<object::ErrorKind::NotImplementedError>(
      interpreter,
      "Could not run 'aten::{}' with arguments from the 'SparseCPU' backend. This could be because the operator "
      "doesn't "
      "exist for this backend, or was omitted during the selective/custom build process (if using custom build).",
      op);
}

std::string_view layout_text(Layout layout) {
  constexpr std::string_view kNames[kLayouts] = {"torch.strided",    "torch.sparse_coo", "torch.sparse_csr",
                                                 "torch.sparse_csc", "torch.sparse_bsr", "torch.sparse_bsc",
                                                 "torch._mkldnn",    "torch.jagged"};
  return kNames[static_cast<std::size_t>(layout)];
}

Ref<Tensor> as_strided(const Tensor& self, const Dims& shape, const Dims& strides, std::int64_t offset) {
  return make_tensor(self.interpreter(), {self.storage(), shape, strides, offset, self.dtype()});
}

Ref<Tensor> select(const Tensor& self, std::size_t dim, std::int64_t index) {
  std::vector<std::int64_t> shape(self.shape().begin(), self.shape().end());
  std::vector<std::int64_t> strides(self.strides().begin(), self.strides().end());
  const std::int64_t offset = self.offset() + index * strides[dim];
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(dim));
  return as_strided(self, Dims(shape), Dims(strides), offset);
}

Ref<Tensor> transpose(const Tensor& self, std::size_t a, std::size_t b) {
  Dims shape = self.shape(), strides = self.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return as_strided(self, shape, strides, self.offset());
}

Ref<Tensor> view_as_shape(const Tensor& self, const Dims& shape) {
  return as_strided(self, shape, contiguous_strides(shape), self.offset());
}

std::string size_text(const Dims& dims) { return fmt::format("torch.Size([{}])", fmt::join(dims.span(), ", ")); }

}  // namespace nns::tensor
