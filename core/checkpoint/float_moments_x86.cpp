#include "core/checkpoint/float_moments.h"

namespace nns::checkpoint {

namespace {

// Every processor with AVX2 has F16C, for which clang 14 has no name.
bool has_avx2() {
  static const bool known = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return known;
}

bool has_avx512() {
  static const bool known = has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return known;
}

}  // namespace

FloatMoments add_stored(StoredFloat format, const std::byte* items, std::size_t count, double pivot) {
  return has_avx512() ? add_stored_avx512(format, items, count, pivot)
         : has_avx2() ? add_stored_avx2(format, items, count, pivot)
                      : add_stored_any(format, items, count, pivot);
}

std::vector<decltype(&add_stored)> stored_bodies() {
  std::vector<decltype(&add_stored)> bodies = {&add_stored_any};
  if (has_avx2()) bodies.push_back(&add_stored_avx2);
  if (has_avx512()) bodies.push_back(&add_stored_avx512);
  return bodies;
}

void halves_to_floats(const std::byte* codes, std::size_t count, float* into) {
  return has_avx2() ? halves_to_floats_f16c(codes, count, into) : halves_to_floats_any(codes, count, into);
}

void bfloat16s_to_floats(const std::byte* codes, std::size_t count, float* into) {
  return has_avx2() ? bfloat16s_to_floats_avx2(codes, count, into) : bfloat16s_to_floats_any(codes, count, into);
}

FloatMoments add_floats(const float* values, std::size_t count, double pivot) {
  return has_avx2() ? add_floats_256(values, count, pivot) : add_floats_128(values, count, pivot);
}

}  // namespace nns::checkpoint
