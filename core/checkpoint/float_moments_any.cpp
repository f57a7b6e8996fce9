#include "core/checkpoint/float_moments.h"

namespace nns::checkpoint {

void halves_to_floats(const std::byte* codes, std::size_t count, float* into) {
  halves_to_floats_any(codes, count, into);
}

void bfloat16s_to_floats(const std::byte* codes, std::size_t count, float* into) {
  bfloat16s_to_floats_any(codes, count, into);
}

FloatMoments add_stored(StoredFloat format, const std::byte* items, std::size_t count, double pivot) {
  return add_stored_any(format, items, count, pivot);
}

std::vector<decltype(&add_stored)> stored_bodies() { return {&add_stored_any}; }

FloatMoments add_floats(const float* values, std::size_t count, double pivot) {
  return add_floats_128(values, count, pivot);
}

}  // namespace nns::checkpoint
