#include "core/ops/random_bounds.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace nns::ops {
namespace {

template <class T>
RandomBounds of_type(std::string_view type) {
  RandomBounds bounds{type, static_cast<double>(std::numeric_limits<T>::lowest()),
                      static_cast<double>(std::numeric_limits<T>::max()), std::nullopt};
  if constexpr (std::is_floating_point_v<T>) bounds.digits = std::numeric_limits<T>::digits;
  return bounds;
}

void warn_of_digits(Interpreter& in, std::string_view name, std::int64_t bound, const RandomBounds& bounds) {
  const std::int64_t exact = std::int64_t{1} << *bounds.digits;
  if (bound >= -exact && bound <= exact) return;
  in.warn(object::ErrorKind::UserWarning,
          fmt::format("{0} is out of bounds [-(2^{1}), 2^{1}]. Due to precision limitations {2} can support discrete "
                      "uniform distribution only within this range. This warning will become an error in version 1.7 "
                      "release, please fix the code in advance",
                      name, *bounds.digits, bounds.type));
}

}  // namespace

RandomBounds random_bounds(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return of_type<bool>("bool");
    case DType::UInt8:
      return of_type<std::uint8_t>("unsigned char");
    case DType::Int8:
      return of_type<std::int8_t>("signed char");
    case DType::Int16:
      return of_type<std::int16_t>("short int");
    case DType::UInt16:
      return of_type<std::uint16_t>("short unsigned int");
    case DType::Int32:
      return of_type<std::int32_t>("int");
    case DType::UInt32:
      return of_type<std::uint32_t>("unsigned int");
    case DType::Float16:
      return {"c10::Half", -65504, 65504, 11};
    case DType::BFloat16:
      return {"c10::BFloat16", -std::ldexp(1.9921875, 127), std::ldexp(1.9921875, 127), 8};
    case DType::Float32:
      return of_type<float>("float");
    case DType::Float64:
      return of_type<double>("double");
    case DType::UInt64:
      return of_type<std::uint64_t>("long unsigned int");
    default:
      return of_type<std::int64_t>("long int");
  }
}

PyResult<void> check_bound(Interpreter& in, std::string_view name, double bound, const RandomBounds& bounds) {
  if (bound >= bounds.least && bound <= bounds.most) return {};
  return object::runtime_error(in, "{} is out of bounds for {}", name, bounds.type);
}

PyResult<void> check_count(Interpreter& in, DType dtype, std::int64_t count) {
  const RandomBounds bounds = random_bounds(dtype);
  // One more than the dtype's greatest number is still enough for the last one.
  if (static_cast<double>(count) > bounds.most + 1) {
    return object::runtime_error(in, "n is too large for result tensor type: 'torch.{}Tensor'",
                                 tensor::info(dtype).scalar_name);
  }
  if (!bounds.digits || count <= (std::int64_t{1} << *bounds.digits) + 1) return {};
  if (dtype == DType::Float16) return object::runtime_error(in, "n cannot be greater than 2049 for Half type.");
  return object::runtime_error(in, "n cannot be greater than 2^{}+1 for {} type.", *bounds.digits,
                               tensor::info(dtype).scalar_name);
}

PyResult<void> check_integer_bounds(Interpreter& in, DType dtype, std::int64_t from, std::int64_t last) {
  if (tensor::is_complex(dtype)) {
    return object::runtime_error(in, "check_random_bounds handles only integral, floating-point and boolean types");
  }
  const RandomBounds bounds = random_bounds(dtype);
  NNS_TRY(check_bound(in, "from", static_cast<double>(from), bounds));
  NNS_TRY(check_bound(in, "to - 1", static_cast<double>(last), bounds));
  if (!bounds.digits) return {};
  warn_of_digits(in, "from", from, bounds);
  warn_of_digits(in, "to - 1", last, bounds);
  return {};
}

}  // namespace nns::ops
