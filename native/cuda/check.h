#pragma once

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <string_view>

#include "native/cuda/failure.h"

namespace nns::cuda {

/// The result of a call of CUDA's runtime; `what` was under way: an op, or the call itself.
inline base::Result<void> checked(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return {};
  return failure(fmt::format("CUDA error: {} ({}, in {})", cudaGetErrorString(status), cudaGetErrorName(status), what));
}

}  // namespace nns::cuda
