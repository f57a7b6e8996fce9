#pragma once

#include <utility>

#include "core/ops/cuda_elements.h"
#include "core/ops/item_groups.cuh"
#include "core/ops/launch.cuh"

// The one elementwise kernel; each .cu file that includes this names the formulas that it is compiled for.
namespace nns::ops {

constexpr int kElementThreads = 256;

template <class Formula, bool with_settings, class T, std::size_t... I>
__device__ __forceinline__ auto formula_at(const Settings& settings, const T (&x)[sizeof...(I)],
                                           std::index_sequence<I...>) {
  if constexpr (with_settings)
    return Formula::at(settings, x[I]...);
  else
    return Formula::at(x[I]...);
}

// The number that stands for all items of an input, where it does.
template <class T>
__device__ __forceinline__ T single_number(const DeviceInput& input) {
  if (input.data != nullptr) return load_item<T>(input.dtype, input.data);
  if constexpr (std::is_same_v<T, bool>) return input.real != 0;
  if constexpr (std::is_same_v<T, std::int64_t>) return input.integer;
  return static_cast<T>(input.real);
}

// What a thread reads at once.
template <class T, std::size_t inputs, int group>
struct GroupsOfInputs {
  std::int64_t offsets[kMostElementInputs + 1];
  ItemGroup<T, group> items[inputs];

  // Nothing behind the last group.
  __device__ __forceinline__ void read(const ElementWork& work, std::int64_t number) {
    if (number >= work.plan.count) return;
    work.plan.offsets(number, offsets);
    for (std::size_t i = 0; i < inputs; ++i) {
      const DeviceInput& input = work.inputs[i];
      if (!input.is_single && !input.is_spread) items[i].read(input.dtype, input.data + offsets[i + 1]);
    }
  }
};

// `group`: 8, or 4 and one by one.
template <class Formula, class T, std::size_t inputs, bool with_settings, int group>
__global__ void __launch_bounds__(kElementThreads) element_kernel(const __grid_constant__ ElementWork work) {
  using Order = std::make_index_sequence<inputs>;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  T single[inputs];
  for (std::size_t i = 0; i < inputs; ++i) {
    if (work.inputs[i].is_single) single[i] = single_number<T>(work.inputs[i]);
  }
  if (group > 4 || work.group > 1) {
    using Written = decltype(formula_at<Formula, with_settings>(work.settings, single, Order()));
    // The next group is under way while one is computed.
    GroupsOfInputs<T, inputs, group> next;
    next.read(work, first);
    for (std::int64_t number = first; number < work.plan.count; number += step) {
      const GroupsOfInputs<T, inputs, group> own = next;
      next.read(work, number + step);
      T x[inputs][group];
      for (std::size_t i = 0; i < inputs; ++i) {
        const DeviceInput& input = work.inputs[i];
        if (!input.is_single && !input.is_spread) {
          own.items[i].numbers(input.dtype, input.item_bytes, input.data + own.offsets[i + 1], x[i]);
          continue;
        }
        const T of_all = input.is_single ? single[i] : load_any<T>(input.dtype, input.data + own.offsets[i + 1]);
        for (int k = 0; k < group; ++k) x[i][k] = of_all;
      }
      Written made[group];
      for (int k = 0; k < group; ++k) {
        T one[inputs];
        for (std::size_t i = 0; i < inputs; ++i) one[i] = x[i][k];
        made[k] = formula_at<Formula, with_settings>(work.settings, one, Order());
      }
      store_group(work.out_dtype, work.out_bytes, work.out + own.offsets[0], made);
    }
  }
  // Worth its code where all items go this way.
  constexpr bool is_inlined = std::is_same_v<T, float> && group == 4;
  const bool is_tail = group > 4 || work.group > 1;
  const std::int64_t rest = is_tail ? work.tail : work.plan.count;
  for (std::int64_t item = first; item < rest; item += step) {
    std::int64_t offsets[kMostElementInputs + 1];
    if (is_tail) {
      const std::int64_t place = work.plan.count * group + item;
      offsets[0] = place * work.out_bytes;
      for (std::size_t i = 0; i < inputs; ++i) {
        offsets[i + 1] = work.inputs[i].is_spread ? 0 : place * work.inputs[i].item_bytes;
      }
    } else {
      work.plan.offsets(item, offsets);
    }
    T one[inputs];
    for (std::size_t i = 0; i < inputs; ++i) {
      const DeviceInput& input = work.inputs[i];
      if (input.is_single)
        one[i] = single[i];
      else if constexpr (is_inlined)
        one[i] = load_item<T>(input.dtype, input.data + offsets[i + 1]);
      else
        one[i] = load_any<T>(input.dtype, input.data + offsets[i + 1]);
    }
    const auto made = formula_at<Formula, with_settings>(work.settings, one, Order());
    if constexpr (is_inlined)
      store_item(work.out_dtype, work.out + offsets[0], made);
    else
      store_any(work.out_dtype, work.out + offsets[0], made);
  }
}

template <class Formula, class T, std::size_t inputs, bool with_settings>
void launch_elements(const ElementWork& work, StreamHandle stream) {
  const auto launch = [&]<int group>() {
    // Where there is enough for the whole device, a thread has four groups one after the other.
    constexpr std::int64_t kMany = std::int64_t{1} << 20U;
    const std::int64_t numbers = work.plan.count > work.tail ? work.plan.count : work.tail;
    const std::int64_t threads = work.group > 1 && numbers >= kMany ? (numbers + 3) / 4 : numbers;
    launch_kernel(element_kernel<Formula, T, inputs, with_settings, group>, blocks_for(threads, kElementThreads),
                  kElementThreads, stream, work);
  };
  // Only floats come in 16 bits.
  if constexpr (std::is_same_v<T, float>) {
    if (work.group == 8) return launch.template operator()<8>();
  }
  launch.template operator()<4>();
}

}  // namespace nns::ops

// Instantiates the launchers of a row of cuda_formulas.def.
#define NNS_LAUNCH(name, T, inputs, settings)                                                                         \
  template void nns::ops::launch_elements<nns::ops::formula::name, T, inputs, settings>(const nns::ops::ElementWork&, \
                                                                                        nns::ops::StreamHandle);
#define NNS_LAUNCH_Fractions(name, inputs, settings) \
  NNS_LAUNCH(name, float, inputs, settings)          \
  NNS_LAUNCH(name, double, inputs, settings)
#define NNS_LAUNCH_Numbers(name, inputs, settings) \
  NNS_LAUNCH_Fractions(name, inputs, settings) NNS_LAUNCH(name, std::int64_t, inputs, settings)
#define NNS_LAUNCH_Everything(name, inputs, settings) \
  NNS_LAUNCH_Numbers(name, inputs, settings) NNS_LAUNCH(name, bool, inputs, settings)
#define NNS_LAUNCH_ROW(name, inputs, settings, types) NNS_LAUNCH_##types(name, inputs, settings)
