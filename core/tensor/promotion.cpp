#include "core/tensor/promotion.h"

#include <utility>

#include "core/tensor/tensor.h"

namespace nns::tensor {
namespace {

bool is_wide_unsigned(DType dtype) {
  return dtype == DType::UInt16 || dtype == DType::UInt32 || dtype == DType::UInt64;
}

bool is_small_float(DType dtype) { return is_floating(dtype) && item_bytes(dtype) == 1; }

}  // namespace

DTypeCategory category_of(DType dtype) {
  if (dtype == DType::Bool) return DTypeCategory::Bool;
  if (is_complex(dtype)) return DTypeCategory::Complex;
  return is_floating(dtype) ? DTypeCategory::Floating : DTypeCategory::Integer;
}

DType complex_of(DType dtype) {
  if (dtype == DType::Float64 || dtype == DType::Complex128) return DType::Complex128;
  if (dtype == DType::Float16 || dtype == DType::Complex32) return DType::Complex32;
  return DType::Complex64;
}

DType real_of(DType dtype) {
  if (dtype == DType::Complex128) return DType::Float64;
  if (dtype == DType::Complex64) return DType::Float32;
  return dtype == DType::Complex32 ? DType::Float16 : dtype;
}

object::PyResult<DType> promote_types(Interpreter& interpreter, DType a, DType b) {
  if (a == b) return a;
  if (is_small_float(a) || is_small_float(b)) {
    return object::runtime_error(interpreter,
                                 "Promotion for Float8 Types is not supported, attempted to promote {} and {}",
                                 info(a).scalar_name, info(b).scalar_name);
  }
  if (category_of(a) > category_of(b)) std::swap(a, b);
  const DTypeCategory low = category_of(a);
  const DTypeCategory high = category_of(b);
  if (high == DTypeCategory::Complex) {
    if (low == DTypeCategory::Complex) return item_bytes(a) > item_bytes(b) ? a : b;
    if (low != DTypeCategory::Floating) return b;
    const DType raised = a == DType::BFloat16 ? DType::Complex64 : complex_of(a);
    return item_bytes(raised) > item_bytes(b) ? raised : b;
  }
  if (high == DTypeCategory::Floating) {
    if (low != DTypeCategory::Floating) return b;
    const std::uint32_t left = item_bytes(a);
    const std::uint32_t right = item_bytes(b);
    if (left == right) return DType::Float32;  // float16 and bfloat16
    return left > right ? a : b;
  }
  if (low == DTypeCategory::Bool) return b;
  if (is_wide_unsigned(a) || is_wide_unsigned(b)) {
    return object::runtime_error(
        interpreter, "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {} and {}",
        info(a).scalar_name, info(b).scalar_name);
  }
  // uint8 and a signed type of its width need the next one.
  if (a == DType::UInt8 || b == DType::UInt8) {
    const DType other = a == DType::UInt8 ? b : a;
    return other == DType::Int8 ? DType::Int16 : other;
  }
  return item_bytes(a) > item_bytes(b) ? a : b;
}

}  // namespace nns::tensor
