#include <limits>

#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/random_work.h"

// Random numbers on a GPU, those of PyTorch's kernels there bit for bit: so the roundings and the fast functions are
// theirs. Behaviour: aten/src/ATen/native/cuda/DistributionTemplates.h, Dropout.cu, aten/src/ATen/core/
// TransformationHelper.h; numbers of bits: cuRAND's curand_uniform.h and curand_normal.h.
namespace nns::ops {
namespace {

using tensor::PhiloxNumbers;
using tensor::RandomLaw;

// In (0, 1].
__device__ __forceinline__ float uniform_of(std::uint32_t bits) {
  constexpr float kUnit = 2.3283064e-10F;
  return static_cast<float>(bits) * kUnit + (kUnit / 2.0F);
}
__device__ __forceinline__ double uniform_of(std::uint32_t low, std::uint32_t high) {
  constexpr double kUnit = 1.1102230246251565e-16;
  const std::uint64_t bits = low ^ (static_cast<std::uint64_t>(high) << 21U);
  return static_cast<double>(bits) * kUnit + (kUnit / 2.0);
}

// Source: Box and Muller (1958).
__device__ __forceinline__ void normal_of(std::uint32_t first, std::uint32_t second, float (&made)[2]) {
  constexpr float kUnit = 2.3283064e-10F, kCircle = kUnit * 6.2831855F;
  const float u = static_cast<float>(first) * kUnit + (kUnit / 2);
  const float v = static_cast<float>(second) * kCircle + (kCircle / 2);
  const float length = sqrtf(-2.0F * logf(u));
  __sincosf(v, &made[0], &made[1]);
  made[0] *= length;
  made[1] *= length;
}
__device__ __forceinline__ void normal_of(const PhiloxNumbers& numbers, double (&made)[2]) {
  constexpr double kUnit = 1.1102230246251565e-16;
  const double u = uniform_of(numbers.of[0], numbers.of[1]);
  const std::uint64_t bits = numbers.of[2] ^ (static_cast<std::uint64_t>(numbers.of[3]) << 21U);
  const double v = static_cast<double>(bits) * (kUnit * 2.0) + kUnit;
  const double length = sqrt(-2.0 * log(u));
  sincospi(v, &made[0], &made[1]);
  made[0] *= length;
  made[1] *= length;
}

__device__ __forceinline__ float fast_log(float x) { return __logf(x); }
__device__ __forceinline__ double fast_log(double x) { return log(x); }

// What a dtype keeps of a number.
__device__ __forceinline__ float rounded(DType dtype, float number) {
  if (dtype == DType::BFloat16) return bfloat16_number(bfloat16_bits(number));
  return dtype == DType::Float16 ? half_number(half_bits(number)) : number;
}
__device__ __forceinline__ double rounded(DType, double number) { return number; }

// A number of a law from one in (0, 1].
template <class T>
__device__ __forceinline__ T number_of(const DrawWork& work, T uniform) {
  const T first = static_cast<T>(work.law.first);
  switch (work.law.kind) {
    case RandomLaw::Kind::Uniform: {
      // The bounds change places: the second one is not in.
      const T value = rounded(work.dtype, uniform * static_cast<T>(work.span) + first);
      return value == static_cast<T>(work.law.second) ? first : value;
    }
    case RandomLaw::Kind::Bernoulli:
      return uniform < first ? 1 : 0;
    default: {
      // Never 0, also where it is rounded.
      constexpr T kHalf = std::numeric_limits<T>::epsilon() / 2;
      const T logarithm = uniform >= T(1) - kHalf ? -kHalf : fast_log(uniform);
      return T(-1) / first * logarithm;
    }
  }
}

// The four (of wide laws two) numbers of a counter.
template <class T, int count>
__device__ __forceinline__ void numbers_of(const DrawWork& work, const PhiloxNumbers& drawn, T (&made)[count]) {
  if (work.law.kind == RandomLaw::Kind::Normal) {
    if constexpr (count == 2) {
      normal_of(drawn, made);
    } else {
      float pair[2];
      for (int i = 0; i < 4; i += 2) {
        normal_of(drawn.of[i], drawn.of[i + 1], pair);
        made[i] = pair[0];
        made[i + 1] = pair[1];
      }
    }
    for (T& number : made) number = number * static_cast<T>(work.law.second) + static_cast<T>(work.law.first);
    return;
  }
  for (int i = 0; i < count; ++i) {
    if constexpr (count == 2)
      made[i] = number_of<T>(work, uniform_of(drawn.of[2 * i], drawn.of[2 * i + 1]));
    else
      made[i] = number_of<T>(work, uniform_of(drawn.of[i]));
  }
}
template <int count>
__device__ __forceinline__ void numbers_of(const DrawWork& work, const PhiloxNumbers& drawn,
                                           std::int64_t (&made)[count]) {
  for (int i = 0; i < count; ++i) {
    const std::uint64_t bits =
        count == 2 ? static_cast<std::uint64_t>(drawn.of[2 * i]) << 32U | drawn.of[2 * i + 1] : drawn.of[i];
    // A range that fits into 32 bits costs a short division.
    const bool is_short = work.law.range != 0 && bits >> 32U == 0 && work.law.range >> 32U == 0;
    const std::uint64_t rest = is_short ? static_cast<std::uint32_t>(bits) % static_cast<std::uint32_t>(work.law.range)
                               : work.law.range == 0 ? bits
                                                     : bits % work.law.range;
    made[i] = static_cast<std::int64_t>(rest + static_cast<std::uint64_t>(work.law.base));
  }
}

template <class T, int count>
__global__ void __launch_bounds__(tensor::DrawPlan::kThreads) draw_kernel(const __grid_constant__ DrawWork work) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const auto neighbours = static_cast<int>(work.law.neighbours);
  // Items of one counter: `used` of them, `apart` from each other; and how many a thread makes before it goes on.
  const int used = neighbours > 1 && neighbours < count ? neighbours : count;
  const std::int64_t apart = neighbours > 1 ? 1 : threads;
  const int together = neighbours > 1 ? neighbours : 1;
  const std::int64_t stride = threads * (neighbours > 1 ? neighbours : count);
  std::uint64_t counter = work.state.offset / 4;
  for (std::int64_t first = thread * together; first < work.plan.count; first += stride) {
    for (int done = 0; done < together; done += used, ++counter) {
      const PhiloxNumbers drawn = tensor::philox_numbers(work.state.seed, static_cast<std::uint64_t>(thread), counter);
      T made[count];
      numbers_of(work, drawn, made);
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const std::int64_t at = first + done + i * apart;
        if (i >= used || at >= work.plan.count) break;
        std::int64_t offsets[1];
        work.plan.offsets(at, offsets);
        store_item(work.dtype, work.out + offsets[0], made[i]);
      }
    }
  }
}

}  // namespace

void launch_draw(const DrawWork& work, StreamHandle stream) {
  const auto run = [&](auto kernel) {
    launch_kernel(kernel, work.threads.blocks, tensor::DrawPlan::kThreads, stream, work);
  };
  if (work.law.kind == RandomLaw::Kind::Integers) {
    return work.law.is_wide ? run(draw_kernel<std::int64_t, 2>) : run(draw_kernel<std::int64_t, 4>);
  }
  return work.law.is_wide ? run(draw_kernel<double, 2>) : run(draw_kernel<float, 4>);
}

}  // namespace nns::ops
