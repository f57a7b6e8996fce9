#pragma once

#include <utility>

#include "core/ops/cuda_elements.h"
#include "core/ops/device_items.cuh"
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

template <class Formula, class T, std::size_t inputs, bool with_settings>
__global__ void __launch_bounds__(kElementThreads) element_kernel(const __grid_constant__ ElementWork work) {
  using Order = std::make_index_sequence<inputs>;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  T single[inputs];
  for (std::size_t i = 0; i < inputs; ++i) {
    if (work.inputs[i].is_single) single[i] = single_number<T>(work.inputs[i]);
  }
  std::int64_t begin = first;
  if (work.is_packed) {
    const std::int64_t fours = work.plan.count / 4;
    using Written = decltype(formula_at<Formula, with_settings>(work.settings, single, Order()));
    for (std::int64_t four = first; four < fours; four += step) {
      T x[inputs][4];
      for (std::size_t i = 0; i < inputs; ++i) {
        const DeviceInput& input = work.inputs[i];
        if (input.is_single) {
          for (int k = 0; k < 4; ++k) x[i][k] = single[i];
        } else {
          load_four(input.dtype, input.item_bytes, input.data + four * 4 * input.item_bytes, x[i]);
        }
      }
      Written made[4];
      for (int k = 0; k < 4; ++k) {
        T one[inputs];
        for (std::size_t i = 0; i < inputs; ++i) one[i] = x[i][k];
        made[k] = formula_at<Formula, with_settings>(work.settings, one, Order());
      }
      store_four(work.out_dtype, work.out_bytes, work.out + four * 4 * work.out_bytes, made);
    }
    begin += fours * 4;
  }
  for (std::int64_t item = begin; item < work.plan.count; item += step) {
    std::int64_t offsets[kMostElementInputs + 1];
    work.plan.offsets(item, offsets);
    T one[inputs];
    for (std::size_t i = 0; i < inputs; ++i) {
      one[i] = work.inputs[i].is_single ? single[i]
                                        : load_item<T>(work.inputs[i].dtype, work.inputs[i].data + offsets[i + 1]);
    }
    store_item(work.out_dtype, work.out + offsets[0], formula_at<Formula, with_settings>(work.settings, one, Order()));
  }
}

template <class Formula, class T, std::size_t inputs, bool with_settings>
void launch_elements(const ElementWork& work, StreamHandle stream) {
  const std::int64_t threads = work.is_packed ? work.plan.count / 4 + work.plan.count % 4 : work.plan.count;
  launch_kernel(element_kernel<Formula, T, inputs, with_settings>, blocks_for(threads, kElementThreads),
                kElementThreads, stream, work);
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
