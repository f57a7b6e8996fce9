#pragma once

#include <array>
#include <cstddef>

#include "core/ops/formulas.h"
#include "core/ops/walk_plan.h"
#include "core/tensor/dtype.h"

/// What a CUDA stream points to.
struct CUstream_st;

// Elementwise ops on CUDA: one kernel for each formula and type of number, which takes items of every dtype. Not for
// callers of ops.
namespace nns::ops {

/// A CUDA stream, as files that do not see CUDA's headers name it.
using StreamHandle = CUstream_st*;

/// One input of an elementwise kernel: items in memory, or one number for all.
struct DeviceInput {
  /// Null: the number.
  const std::byte* data = nullptr;
  tensor::DType dtype = tensor::DType::Float32;
  std::int64_t item_bytes = 0;
  /// One item for all.
  bool is_single = false;
  /// One item for all of a group.
  bool is_spread = false;
  double real = 0;
  std::int64_t integer = 0;
};

inline constexpr std::size_t kMostElementInputs = 3;

/// What an elementwise kernel works on. Operand 0 of the plan is the output, operand i + 1 input i. The plan is one of
/// groups where group is more than 1.
struct ElementWork {
  WalkPlan<kMostElementInputs + 1> plan;
  std::byte* out = nullptr;
  tensor::DType out_dtype = tensor::DType::Float32;
  std::int64_t out_bytes = 0;
  DeviceInput inputs[kMostElementInputs];
  Settings settings;
  /// Items that a thread reads and writes at once: 1, 4 or 8.
  std::int64_t group = 1;
  /// Items behind the last group of a plan of one dimension.
  std::int64_t tail = 0;

  /// Makes the plan one of groups of `size` items, where every operand lies in such groups without gaps, aligned to
  /// them or to 16 bytes, or is one item for all of a group. False: nothing changed.
  bool make_groups(std::size_t input_count, std::int64_t size) {
    if (plan.dims == 0 || plan.dim[0].size < size || (plan.dims > 1 && plan.dim[0].size % size != 0)) return false;
    const auto lies_in_groups = [&](const std::byte* at, std::int64_t bytes, std::size_t operand) {
      const std::int64_t aligned = size * bytes < 16 ? size * bytes : 16;
      bool fits = plan.dim[0].strides[operand] == bytes &&
                  reinterpret_cast<std::uintptr_t>(at) % static_cast<std::uintptr_t>(aligned) == 0;
      for (std::int32_t k = 1; k < plan.dims; ++k) fits = fits && plan.dim[k].strides[operand] % aligned == 0;
      return fits;
    };
    bool fits = lies_in_groups(out, out_bytes, 0);
    for (std::size_t i = 0; i < input_count; ++i) {
      const DeviceInput& input = inputs[i];
      fits = fits && (input.is_single || plan.dim[0].strides[i + 1] == 0 ||
                      lies_in_groups(input.data, input.item_bytes, i + 1));
    }
    if (!fits) return false;
    for (std::size_t i = 0; i < input_count; ++i) inputs[i].is_spread = plan.dim[0].strides[i + 1] == 0;
    group = size;
    tail = plan.dims == 1 ? plan.count % size : 0;
    plan.join_items(size);
    return true;
  }
  /// The groups that suit the operands best: 16 bytes of floats. `in_floats`: the kernel computes in float.
  void choose_groups(std::size_t input_count, bool in_floats) {
    bool is_narrow = out_bytes <= 2;
    for (std::size_t i = 0; i < input_count; ++i) {
      is_narrow = is_narrow || (!inputs[i].is_single && inputs[i].item_bytes <= 2);
    }
    if (in_floats && is_narrow && make_groups(input_count, 8)) return;
    make_groups(input_count, 4);
  }
};

/// Queues a kernel. What went wrong in the launch, cudaGetLastError() tells.
using ElementLauncher = void (*)(const ElementWork& work, StreamHandle stream);

/// The kernel of Formula::at() in numbers of type T. Instantiated for the rows of cuda_formulas.def.
template <class Formula, class T, std::size_t inputs, bool with_settings>
void launch_elements(const ElementWork& work, StreamHandle stream);

}  // namespace nns::ops
