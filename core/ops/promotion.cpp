#include "core/ops/promotion.h"

#include <algorithm>
#include <optional>

namespace nns::ops {
namespace {

using tensor::category_of;
using tensor::complex_of;
using Category = tensor::DTypeCategory;

PyResult<std::optional<DType>> joined(Interpreter& interpreter, const std::optional<DType>& known, DType added) {
  if (!known) return std::optional<DType>(added);
  NNS_TRY_ASSIGN(const DType both, promote_types(interpreter, *known, added));
  return std::optional<DType>(both);
}

}  // namespace

PyResult<void> TypePromotion::add(const Tensor& tensor) {
  std::optional<DType>& group = tensor.ndim() > 0 ? with_dims_ : without_dims_;
  NNS_TRY_ASSIGN(group, joined(interpreter_, group, tensor.dtype()));
  return {};
}

void TypePromotion::add(const Number& number) {
  const DType floating = tensor::TensorLibrary::of(interpreter_).default_dtype;
  DType dtype = DType::Int64;
  if (number.kind == Number::Kind::Bool) dtype = DType::Bool;
  if (number.kind == Number::Kind::Float) dtype = floating;
  if (number.kind == Number::Kind::Complex) dtype = complex_of(floating);
  if (!numbers_ || category_of(dtype) > category_of(*numbers_)) numbers_ = dtype;
}

PyResult<void> TypePromotion::add(const Value& value) {
  if (const Tensor* tensor = value.as<Tensor>()) return add(*tensor);
  if (Number::is_number(value)) add(Number::of(value));
  return {};
}

PyResult<DType> TypePromotion::dtype() const {
  // The higher group keeps its dtype unless the lower one is of a higher kind.
  const auto combined = [this](const std::optional<DType>& higher,
                               const std::optional<DType>& lower) -> PyResult<std::optional<DType>> {
    if (!higher) return lower;
    if (!lower || category_of(*higher) == Category::Complex) return higher;
    if (category_of(*higher) == Category::Floating) {
      return std::optional(category_of(*lower) == Category::Complex ? complex_of(*higher) : *higher);
    }
    if (*higher == DType::Bool || category_of(*lower) > Category::Integer) return joined(interpreter_, higher, *lower);
    return higher;
  };
  NNS_TRY_ASSIGN(const std::optional<DType> lower, combined(without_dims_, numbers_));
  NNS_TRY_ASSIGN(const std::optional<DType> found, combined(with_dims_, lower));
  return found.value_or(tensor::TensorLibrary::of(interpreter_).default_dtype);
}

PyResult<Dims> broadcast_shapes(Interpreter& interpreter, const Dims& a, const Dims& b) {
  if (a == b) return a;
  const std::size_t ndim = std::max(a.size(), b.size());
  Dims shape(ndim, 1);
  for (std::size_t i = 0; i < ndim; ++i) {
    const std::size_t dim = ndim - 1 - i;
    const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1) {
      return object::runtime_error(
          interpreter, "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}",
          left, right, dim);
    }
    shape[dim] = left == 1 ? right : left;
  }
  return shape;
}

DType floating_of(Interpreter& interpreter, DType dtype) {
  return tensor::is_differentiable(dtype) ? dtype : tensor::TensorLibrary::of(interpreter).default_dtype;
}

std::string_view cpp_type_name(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return "float";
    case DType::Float64:
      return "double";
    case DType::Float16:
      return "c10::Half";
    case DType::BFloat16:
      return "c10::BFloat16";
    case DType::Complex64:
      return "c10::complex<float>";
    case DType::Complex128:
      return "c10::complex<double>";
    case DType::Int8:
      return "signed char";
    case DType::UInt8:
      return "unsigned char";
    case DType::Int16:
      return "short";
    case DType::Int32:
      return "int";
    case DType::Int64:
      return "long";
    case DType::Bool:
      return "bool";
    default:
      return tensor::info(dtype).torch_name;
  }
}

}  // namespace nns::ops
