#include "core/checkpoint/decode.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/checkpoint/float_moments.h"
#include "core/tensor/float_formats.h"

namespace nns::checkpoint {

using tensor::DType;

namespace {

template <class T>
T load(const std::byte* raw, std::size_t index) {
  T value;
  std::memcpy(&value, raw + index * sizeof(T), sizeof(T));
  return value;
}

template <class Stored, class Out, class Convert>
void convert(const std::byte* raw, std::size_t count, Out* into, Convert&& to_value) {
  for (std::size_t i = 0; i < count; ++i) into[i] = to_value(load<Stored>(raw, i));
}

template <class Stored, class Out>
void widen(const std::byte* raw, std::size_t count, Out* into) {
  convert<Stored>(raw, count, into, [](Stored value) { return static_cast<Out>(value); });
}

double magnitude(double real, double imaginary) {
  if (std::isnan(real) || std::isnan(imaginary)) return std::numeric_limits<double>::quiet_NaN();
  return std::hypot(real, imaginary);
}

template <class Part, class ToDouble>
void magnitudes(const std::byte* raw, std::size_t count, double* into, ToDouble&& to_double) {
  for (std::size_t i = 0; i < count; ++i) {
    into[i] = magnitude(to_double(load<Part>(raw, 2 * i)), to_double(load<Part>(raw, 2 * i + 1)));
  }
}

template <class Part, class ToDouble>
ComplexSum sum_parts(const std::byte* raw, std::size_t count, ToDouble&& to_double) {
  ComplexSum sum;
  for (std::size_t i = 0; i < count; ++i) {
    sum.real += to_double(load<Part>(raw, 2 * i));
    sum.imaginary += to_double(load<Part>(raw, 2 * i + 1));
  }
  return sum;
}

double half_part(std::uint16_t code) { return tensor::half_to_float(code); }
double identity(double part) { return part; }

template <class Out, class Value>
void decode_through(DType dtype, const std::byte* raw, std::size_t count, Out* into) {
  constexpr std::size_t kBlock = 512;
  Value block[kBlock];
  for (std::size_t done = 0; done < count; done += kBlock) {
    const std::size_t part = count - done < kBlock ? count - done : kBlock;
    decode(dtype, raw + done * tensor::item_bytes(dtype), part, block);
    for (std::size_t i = 0; i < part; ++i) into[done + i] = static_cast<Out>(block[i]);
  }
}

template <class Out>
void decode_any(DType dtype, const std::byte* raw, std::size_t count, Out* into) {
  switch (value_class(dtype)) {
    case ValueClass::Float32:
      // Items that pack two numbers write two, which the block of decode_through has no room for.
      if (dtype == DType::Float4E2M1FNX2) {
        for (std::size_t i = 0; i < count; ++i) {
          const auto pair = tensor::float4_e2m1fn_x2_to_float(load<std::uint8_t>(raw, i));
          into[2 * i] = static_cast<Out>(pair[0]);
          into[2 * i + 1] = static_cast<Out>(pair[1]);
        }
        return;
      }
      return decode_through<Out, float>(dtype, raw, count, into);
    case ValueClass::Float64:
      return decode_through<Out, double>(dtype, raw, count, into);
    case ValueClass::Signed:
      return decode_through<Out, std::int64_t>(dtype, raw, count, into);
    case ValueClass::Unsigned:
      return decode_through<Out, std::uint64_t>(dtype, raw, count, into);
  }
}

}  // namespace

ValueClass value_class(DType dtype) {
  switch (dtype) {
    case DType::Float64:
    case DType::Complex32:
    case DType::Complex64:
    case DType::Complex128:
      return ValueClass::Float64;
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
    case DType::QInt8:
    case DType::QInt32:
      return ValueClass::Signed;
    case DType::UInt8:
    case DType::UInt16:
    case DType::UInt32:
    case DType::UInt64:
    case DType::Bool:
    case DType::QUInt8:
    case DType::QUInt4x2:
    case DType::QUInt2x4:
      return ValueClass::Unsigned;
    case DType::Float32:
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float8E4M3FN:
    case DType::Float8E5M2:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2FNUZ:
    case DType::Float8E8M0FNU:
    case DType::Float4E2M1FNX2:
      return ValueClass::Float32;
  }
  return ValueClass::Float64;
}

void decode(DType dtype, const std::byte* raw, std::size_t count, float* into) {
  switch (dtype) {
    case DType::Float32:
      std::memcpy(into, raw, count * sizeof(float));
      return;
    case DType::Float16:
      return halves_to_floats(raw, count, into);
    case DType::BFloat16:
      return bfloat16s_to_floats(raw, count, into);
    case DType::Float8E4M3FN:
      return convert<std::uint8_t>(raw, count, into, tensor::float8_e4m3fn_to_float);
    case DType::Float8E5M2:
      return convert<std::uint8_t>(raw, count, into, tensor::float8_e5m2_to_float);
    case DType::Float8E4M3FNUZ:
      return convert<std::uint8_t>(raw, count, into, tensor::float8_e4m3fnuz_to_float);
    case DType::Float8E5M2FNUZ:
      return convert<std::uint8_t>(raw, count, into, tensor::float8_e5m2fnuz_to_float);
    case DType::Float8E8M0FNU:
      return convert<std::uint8_t>(raw, count, into, tensor::float8_e8m0fnu_to_float);
    case DType::Float4E2M1FNX2:
      return decode_any(dtype, raw, count, into);
    default:
      assert(false);
  }
}

void decode(DType dtype, const std::byte* raw, std::size_t count, double* into) {
  switch (dtype) {
    case DType::Float64:
      std::memcpy(into, raw, count * sizeof(double));
      return;
    case DType::Complex32:
      return magnitudes<std::uint16_t>(raw, count, into, half_part);
    case DType::Complex64:
      return magnitudes<float>(raw, count, into, identity);
    case DType::Complex128:
      return magnitudes<double>(raw, count, into, identity);
    default:
      assert(false);
  }
}

void decode(DType dtype, const std::byte* raw, std::size_t count, std::int64_t* into) {
  switch (dtype) {
    case DType::Int8:
    case DType::QInt8:
      return widen<std::int8_t>(raw, count, into);
    case DType::Int16:
      return widen<std::int16_t>(raw, count, into);
    case DType::Int32:
    case DType::QInt32:
      return widen<std::int32_t>(raw, count, into);
    case DType::Int64:
      std::memcpy(into, raw, count * sizeof(std::int64_t));
      return;
    default:
      assert(false);
  }
}

void decode(DType dtype, const std::byte* raw, std::size_t count, std::uint64_t* into) {
  switch (dtype) {
    case DType::UInt8:
    case DType::QUInt8:
    case DType::QUInt4x2:
    case DType::QUInt2x4:
      return widen<std::uint8_t>(raw, count, into);
    case DType::Bool:
      return convert<std::uint8_t>(raw, count, into, [](std::uint8_t value) { return std::uint64_t{value != 0}; });
    case DType::UInt16:
      return widen<std::uint16_t>(raw, count, into);
    case DType::UInt32:
      return widen<std::uint32_t>(raw, count, into);
    case DType::UInt64:
      std::memcpy(into, raw, count * sizeof(std::uint64_t));
      return;
    default:
      assert(false);
  }
}

void decode_as_float(DType dtype, const std::byte* raw, std::size_t count, float* into) {
  if (value_class(dtype) == ValueClass::Float32) return decode(dtype, raw, count, into);
  decode_any(dtype, raw, count, into);
}

void decode_as_double(DType dtype, const std::byte* raw, std::size_t count, double* into) {
  if (value_class(dtype) == ValueClass::Float64) return decode(dtype, raw, count, into);
  decode_any(dtype, raw, count, into);
}

ComplexSum sum_complex(DType dtype, const std::byte* raw, std::size_t count) {
  switch (dtype) {
    case DType::Complex32:
      return sum_parts<std::uint16_t>(raw, count, half_part);
    case DType::Complex64:
      return sum_parts<float>(raw, count, identity);
    default:
      return sum_parts<double>(raw, count, identity);
  }
}

}  // namespace nns::checkpoint
