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
  double real = 0;
  std::int64_t integer = 0;
};

inline constexpr std::size_t kMostElementInputs = 3;

/// What an elementwise kernel works on. Operand 0 of the plan is the output, operand i + 1 input i.
struct ElementWork {
  WalkPlan<kMostElementInputs + 1> plan;
  std::byte* out = nullptr;
  tensor::DType out_dtype = tensor::DType::Float32;
  std::int64_t out_bytes = 0;
  DeviceInput inputs[kMostElementInputs];
  Settings settings;
  /// Every operand lies in a row without gaps, aligned to four of its items, or is one item for all.
  bool is_packed = false;
};

/// Queues a kernel. What went wrong in the launch, cudaGetLastError() tells.
using ElementLauncher = void (*)(const ElementWork& work, StreamHandle stream);

/// The kernel of Formula::at() in numbers of type T. Instantiated for the rows of cuda_formulas.def.
template <class Formula, class T, std::size_t inputs, bool with_settings>
void launch_elements(const ElementWork& work, StreamHandle stream);

}  // namespace nns::ops
