#pragma once

#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/optim/step_kernels.h"

// A step of an optimiser over many parameters in one launch: a block has so many items of one parameter. A rule is made
// of the options and a parameter's scalars, and is called with an item, its gradient and its states. Not for callers of
// optim.
namespace nns::optim {

constexpr int kStepThreads = 256;

template <class T, class Rule, class Work>
__global__ void __launch_bounds__(kStepThreads) step_kernel(const __grid_constant__ Work work, std::int64_t bytes) {
  const auto& lane = work.lane[work.lane_of(blockIdx.x)];
  const Rule rule(work.options, lane.scalars);
  std::byte* const param = lane.rows.param;
  const std::byte* const grad = lane.rows.grad;
  std::byte* state[Rule::kStates];
  auto joint = reinterpret_cast<std::uintptr_t>(param) | reinterpret_cast<std::uintptr_t>(grad);
  for (int k = 0; k < Rule::kStates; ++k) {
    state[k] = lane.rows.state[Rule::kFirst + k];
    joint |= reinterpret_cast<std::uintptr_t>(state[k]);
  }
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x - lane.first_block) * Work::kItems;
  const std::int64_t end = begin + Work::kItems < lane.count ? begin + Work::kItems : lane.count;
  std::int64_t done = begin;
  if (joint % static_cast<std::uintptr_t>(4 * bytes) == 0) {
    done += (end - begin) / 4 * 4;
    for (std::int64_t i = begin + 4 * threadIdx.x; i < done; i += 4 * kStepThreads) {
      T x[4], g[4], kept[Rule::kStates][4] = {};
      ops::load_four(work.dtype, bytes, param + i * bytes, x);
      ops::load_four(work.dtype, bytes, grad + i * bytes, g);
      for (int k = 0; k < Rule::kStates; ++k) {
        if (state[k] != nullptr) ops::load_four(work.dtype, bytes, state[k] + i * bytes, kept[k]);
      }
      for (int n = 0; n < 4; ++n) {
        T one[Rule::kStates];
        for (int k = 0; k < Rule::kStates; ++k) one[k] = kept[k][n];
        rule(x[n], g[n], one);
        for (int k = 0; k < Rule::kStates; ++k) kept[k][n] = one[k];
      }
      ops::store_four(work.dtype, bytes, param + i * bytes, x);
      for (int k = 0; k < Rule::kStates; ++k) {
        if (state[k] != nullptr) ops::store_four(work.dtype, bytes, state[k] + i * bytes, kept[k]);
      }
    }
  }
  for (std::int64_t i = done + threadIdx.x; i < end; i += kStepThreads) {
    T x = ops::load_item<T>(work.dtype, param + i * bytes), one[Rule::kStates] = {};
    for (int k = 0; k < Rule::kStates; ++k) {
      if (state[k] != nullptr) one[k] = ops::load_item<T>(work.dtype, state[k] + i * bytes);
    }
    rule(x, ops::load_item<T>(work.dtype, grad + i * bytes), one);
    ops::store_item(work.dtype, param + i * bytes, x);
    for (int k = 0; k < Rule::kStates; ++k) {
      if (state[k] != nullptr) ops::store_item(work.dtype, state[k] + i * bytes, one[k]);
    }
  }
}

template <template <class> class Rule, class Work>
void launch_step_kernel(const Work& work, ops::StreamHandle stream) {
  switch (work.dtype) {
    case tensor::DType::Float64:
      return ops::launch_kernel(step_kernel<double, Rule<double>, Work>, work.blocks, kStepThreads, stream, work,
                                std::int64_t{8});
    case tensor::DType::Float32:
      return ops::launch_kernel(step_kernel<float, Rule<float>, Work>, work.blocks, kStepThreads, stream, work,
                                std::int64_t{4});
    default:
      return ops::launch_kernel(step_kernel<float, Rule<float>, Work>, work.blocks, kStepThreads, stream, work,
                                std::int64_t{2});
  }
}

}  // namespace nns::optim
