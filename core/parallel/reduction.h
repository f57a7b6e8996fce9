#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/tensor/dtype.h"

namespace nns::parallel {

/// How the items of several ranks become one: torch.distributed.ReduceOp.
enum class ReduceOp : std::uint8_t { Sum, Avg, Product, Min, Max, BitAnd, BitOr, BitXor, PremulSum };
/// "SUM", "BAND": PyTorch's names.
std::string_view reduce_op_name(ReduceOp op);

/// Whether items of `dtype` can be put together so.
/// Behaviour: torch/csrc/distributed/c10d/ProcessGroupGloo.cpp, toFunction: no averages, bits of integers only.
/// Errors: what cannot be done, in PyTorch's words.
base::Result<void> check_reduction(tensor::DType dtype, ReduceOp op);

/// into[i] = into[i] op other[i]. Halves are added as floats and rounded after each step.
/// Must hold: both have the same size, in whole items that are aligned; check_reduction(dtype, op) is well.
void reduce_into(tensor::DType dtype, ReduceOp op, std::span<std::byte> into, std::span<const std::byte> other);

}  // namespace nns::parallel
