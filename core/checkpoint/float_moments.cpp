#include "core/checkpoint/float_moments_body.h"
#include "core/tensor/float_formats.h"

namespace nns::checkpoint {

namespace {

// tensor::half_to_float with the choice as arithmetic, so that the loop around it becomes vector code.
float half_value(std::uint16_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x8000U) << 16U;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(code & 0x7FFFU) << 13U;
  const std::uint32_t scaled =
      tensor::float_bits(tensor::float_from_bits(magnitude) * tensor::float_from_bits(0x77800000U));
  const std::uint32_t is_special = 0U - static_cast<std::uint32_t>(magnitude >= 0x0F800000U);
  return tensor::float_from_bits(sign | (is_special & (magnitude | 0x7F800000U)) | (~is_special & scaled));
}

}  // namespace

void halves_to_floats_any(const std::byte* codes, std::size_t count, float* into) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t code;
    std::memcpy(&code, codes + 2 * i, sizeof code);
    into[i] = half_value(code);
  }
}

FloatMoments add_floats_128(const float* values, std::size_t count, double pivot) {
  return add_floats_body<16>(values, count, pivot);
}

FloatMoments add_stored_any(StoredFloat format, const std::byte* items, std::size_t count, double pivot) {
  switch (format) {
    case StoredFloat::Float16:
      return add_decoded(items, 2, count, pivot, &halves_to_floats_any, &add_floats_128);
    case StoredFloat::BFloat16:
      return add_decoded(items, 2, count, pivot, &bfloat16s_to_floats_any, &add_floats_128);
    case StoredFloat::Float32:
      break;
  }
  const auto copy = [](const std::byte* from, std::size_t part, float* into) { std::memcpy(into, from, part * 4); };
  return add_decoded(items, 4, count, pivot, copy, &add_floats_128);
}

void bfloat16s_to_floats_any(const std::byte* codes, std::size_t count, float* into) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t code;
    std::memcpy(&code, codes + 2 * i, sizeof code);
    into[i] = tensor::bfloat16_to_float(code);
  }
}

}  // namespace nns::checkpoint
