#define HWY_TARGET_INCLUDE "core/parallel/reduction_kernels.h"
#include "core/parallel/reduction.h"

#include <fmt/format.h>
#include <hwy/foreach_target.h>

#include <algorithm>
#include <complex>
#include <type_traits>

#include "core/parallel/reduction_kernels.h"
#include "core/tensor/float_formats.h"

namespace nns::parallel {
HWY_EXPORT(sum_floats);

namespace {

using tensor::DType;

struct Half {
  std::uint16_t code;
};
struct BFloat {
  std::uint16_t code;
};

template <class T>
T min_of(T a, T b) {
  // A NaN stays, whichever side it is on.
  if (a != a) return a;
  return b != b || b < a ? b : a;
}
template <class T>
T max_of(T a, T b) {
  if (a != a) return a;
  return b != b || a < b ? b : a;
}

template <class T>
T combined(ReduceOp op, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool is_all = op == ReduceOp::Product || op == ReduceOp::Min || op == ReduceOp::BitAnd;
    if (op == ReduceOp::BitXor) return a != b;
    return is_all ? a && b : a || b;
  } else {
    using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
    switch (op) {
      // Integers wrap around.
      case ReduceOp::Product:
        return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
      case ReduceOp::Min:
        return min_of(a, b);
      case ReduceOp::Max:
        return max_of(a, b);
      default:
        break;
    }
    if constexpr (std::is_integral_v<T>) {
      if (op == ReduceOp::BitAnd) return static_cast<T>(a & b);
      if (op == ReduceOp::BitOr) return static_cast<T>(a | b);
      if (op == ReduceOp::BitXor) return static_cast<T>(a ^ b);
    }
    return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  }
}

Half combined(ReduceOp op, Half a, Half b) {
  return {tensor::half_from_float(combined(op, tensor::half_to_float(a.code), tensor::half_to_float(b.code)))};
}
BFloat combined(ReduceOp op, BFloat a, BFloat b) {
  return {
      tensor::bfloat16_from_float(combined(op, tensor::bfloat16_to_float(a.code), tensor::bfloat16_to_float(b.code)))};
}
template <class T>
std::complex<T> combined(ReduceOp op, std::complex<T> a, std::complex<T> b) {
  return op == ReduceOp::Product ? a * b : a + b;
}

template <class T>
void combine(ReduceOp op, std::span<const std::byte> left, std::span<const std::byte> right, std::span<std::byte> out) {
  const T* const a = reinterpret_cast<const T*>(left.data());
  const T* const b = reinterpret_cast<const T*>(right.data());
  T* const to = reinterpret_cast<T*>(out.data());
  const std::size_t count = out.size() / sizeof(T);
  // Sums are nearly all there is. (Highway 1.0 adds no doubles in WebAssembly; compilers do.)
  if constexpr (std::is_same_v<T, float>) {
    if (op == ReduceOp::Sum) return HWY_DYNAMIC_DISPATCH(sum_floats)(a, b, to, count);
  }
  if constexpr (std::is_same_v<T, double>) {
    if (op == ReduceOp::Sum) {
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
      return;
    }
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = combined(op, a[i], b[i]);
}

}  // namespace

std::string_view reduce_op_name(ReduceOp op) {
  constexpr std::string_view kNames[] = {"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "PREMUL_SUM"};
  return kNames[static_cast<std::size_t>(op)];
}

base::Result<void> check_reduction(DType dtype, ReduceOp op) {
  if (op == ReduceOp::Avg || op == ReduceOp::PremulSum) {
    return base::Error{fmt::format("Cannot use ReduceOp.{} with Gloo", reduce_op_name(op)), {}, {}, {}};
  }
  const bool is_bitwise = op == ReduceOp::BitAnd || op == ReduceOp::BitOr || op == ReduceOp::BitXor;
  if (is_bitwise && !tensor::is_integral(dtype)) {
    return base::Error{fmt::format("Cannot use ReduceOp.{} with non-integral dtype", reduce_op_name(op)), {}, {}, {}};
  }
  const bool has_order = op == ReduceOp::Min || op == ReduceOp::Max;
  const bool is_wide_complex = dtype == DType::Complex64 || dtype == DType::Complex128;
  const bool is_known = dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Float16 ||
                        dtype == DType::BFloat16 || tensor::is_integral(dtype) || (is_wide_complex && !has_order);
  if (is_known) return {};
  return base::Error{fmt::format("ReduceOp.{} of {} is not supported by the process group", reduce_op_name(op),
                                 tensor::torch_dtype_text(dtype)),
                     {},
                     {},
                     {}};
}

void reduce_into(DType dtype, ReduceOp op, std::span<std::byte> into, std::span<const std::byte> other) {
  combine_items(dtype, op, into, other, into);
}

void combine_items(DType dtype, ReduceOp op, std::span<const std::byte> left, std::span<const std::byte> right,
                   std::span<std::byte> out) {
  switch (dtype) {
    case DType::Float32:
      return combine<float>(op, left, right, out);
    case DType::Float64:
      return combine<double>(op, left, right, out);
    case DType::Float16:
      return combine<Half>(op, left, right, out);
    case DType::BFloat16:
      return combine<BFloat>(op, left, right, out);
    case DType::Complex64:
      return combine<std::complex<float>>(op, left, right, out);
    case DType::Complex128:
      return combine<std::complex<double>>(op, left, right, out);
    case DType::Int8:
      return combine<std::int8_t>(op, left, right, out);
    case DType::Int16:
      return combine<std::int16_t>(op, left, right, out);
    case DType::Int32:
      return combine<std::int32_t>(op, left, right, out);
    case DType::Int64:
      return combine<std::int64_t>(op, left, right, out);
    case DType::UInt8:
      return combine<std::uint8_t>(op, left, right, out);
    case DType::UInt16:
      return combine<std::uint16_t>(op, left, right, out);
    case DType::UInt32:
      return combine<std::uint32_t>(op, left, right, out);
    case DType::UInt64:
      return combine<std::uint64_t>(op, left, right, out);
    case DType::Bool:
      return combine<bool>(op, left, right, out);
    default:
      return;
  }
}

std::span<std::byte> part_of_items(std::span<std::byte> items, tensor::DType dtype, std::size_t part,
                                   std::size_t parts) {
  const std::size_t width = tensor::item_bytes(dtype);
  const std::size_t count = items.size() / width;
  const std::size_t begin = count * part / parts, end = count * (part + 1) / parts;
  return items.subspan(begin * width, (end - begin) * width);
}

}  // namespace nns::parallel
