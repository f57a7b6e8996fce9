#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "core/checkpoint/decode.h"
#include "core/checkpoint/elements.h"

namespace nns::checkpoint {

namespace {

using tensor::DType;

// fmt writes the shortest digits that read back as the same number of that type.
template <class T>
std::string number(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", value);
}

template <class T>
T part(const std::byte* item, std::size_t index) {
  T value;
  std::memcpy(&value, item + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
std::string complex_number(T real, T imaginary) {
  const std::string tail = number(imaginary);
  return fmt::format("({}{}{}j)", number(real), tail.front() == '-' ? "" : "+", tail);
}

}  // namespace

std::string item_text(DType dtype, const std::byte* item) {
  switch (dtype) {
    case DType::Bool:
      return part<std::uint8_t>(item, 0) != 0 ? "True" : "False";
    case DType::Complex64:
      return complex_number(part<float>(item, 0), part<float>(item, 1));
    case DType::Complex128:
      return complex_number(part<double>(item, 0), part<double>(item, 1));
    case DType::Complex32: {
      float parts[2];
      decode(DType::Float16, item, 2, parts);
      return complex_number(parts[0], parts[1]);
    }
    default:
      break;
  }
  switch (value_class(dtype)) {
    case ValueClass::Float32: {
      float values[2];
      decode(dtype, item, 1, values);
      return values_per_item(dtype) == 2 ? fmt::format("{} {}", number(values[0]), number(values[1]))
                                         : number(values[0]);
    }
    case ValueClass::Float64: {
      double value;
      decode(dtype, item, 1, &value);
      return number(value);
    }
    case ValueClass::Signed: {
      std::int64_t value;
      decode(dtype, item, 1, &value);
      return fmt::format("{}", value);
    }
    case ValueClass::Unsigned: {
      std::uint64_t value;
      decode(dtype, item, 1, &value);
      return fmt::format("{}", value);
    }
  }
  return {};
}

}  // namespace nns::checkpoint
