#include "core/tensor/generator.h"

#include <cmath>

namespace nns::tensor {
namespace {

constexpr double kPi = 3.14159265358979323846;

std::uint32_t twist(std::uint32_t upper, std::uint32_t lower) {
  const std::uint32_t mixed = (upper & 0x80000000U) | (lower & 0x7FFFFFFFU);
  return (mixed >> 1U) ^ ((lower & 1U) != 0 ? 0x9908B0DFU : 0U);
}

}  // namespace

void Generator::seed_with(std::uint64_t seed) {
  seed_ = seed;
  second_normal_.reset();
  state_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < kStateSize; ++i) {
    state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + i;
  }
  next_ = kStateSize;
  is_fresh_ = true;
}

void Generator::refill() {
  constexpr std::size_t kShift = 397;
  for (std::size_t i = 0; i < kStateSize - kShift; ++i)
    state_[i] = state_[i + kShift] ^ twist(state_[i], state_[i + 1]);
  for (std::size_t i = kStateSize - kShift; i < kStateSize - 1; ++i) {
    state_[i] = state_[i + kShift - kStateSize] ^ twist(state_[i], state_[i + 1]);
  }
  state_[kStateSize - 1] = state_[kShift - 1] ^ twist(state_[kStateSize - 1], state_[0]);
  next_ = 0;
  is_fresh_ = false;
}

double Generator::normal_double() {
  if (second_normal_) {
    const double second = *second_normal_;
    second_normal_.reset();
    return second;
  }
  const double angle = 2.0 * kPi * uniform_double();
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform_double()));
  second_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

void Generator::normal_sixteen(float* data, float mean, float deviation) {
  for (int j = 0; j < 8; ++j) {
    const float u1 = 1.0F - data[j];
    const float u2 = data[j + 8];
    const float radius = std::sqrt(-2.0F * std::log(u1));
    const float theta = 2.0F * static_cast<float>(kPi) * u2;
    data[j] = radius * std::cos(theta) * deviation + mean;
    data[j + 8] = radius * std::sin(theta) * deviation + mean;
  }
}

void Generator::fill_normal(float* data, std::int64_t count, float mean, float deviation) {
  if (count < 16) {
    for (std::int64_t i = 0; i < count; ++i) {
      data[i] = static_cast<float>(normal_double() * static_cast<double>(deviation) + static_cast<double>(mean));
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) data[i] = uniform_float();
  for (std::int64_t i = 0; i + 15 < count; i += 16) normal_sixteen(data + i, mean, deviation);
  if (count % 16 != 0) {
    // The last 16 are drawn anew and overlap those before.
    float* tail = data + count - 16;
    for (int i = 0; i < 16; ++i) tail[i] = uniform_float();
    normal_sixteen(tail, mean, deviation);
  }
}

void Generator::fill_uniform(float* data, std::int64_t count, double from, double to) {
  // torch's kernel multiplies and adds with one rounding; in double the product of two floats is exact.
  const auto low = static_cast<float>(from), high = static_cast<float>(to);
  const auto width = static_cast<double>(high - low), start = static_cast<double>(low);
  for (std::int64_t i = 0; i < count; ++i) {
    data[i] = static_cast<float>(static_cast<double>(uniform_float()) * width + start);
  }
}

void Generator::fill_uniform(double* data, std::int64_t count, double from, double to) {
  for (std::int64_t i = 0; i < count; ++i) data[i] = std::fma(uniform_double(), to - from, from);
}

}  // namespace nns::tensor
