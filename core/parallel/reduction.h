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

/// out[i] = left[i] op right[i], to the same bits as reduce_into(left, right). `out` may be one of them.
/// Must hold: as reduce_into, for all three.
void combine_items(tensor::DType dtype, ReduceOp op, std::span<const std::byte> left, std::span<const std::byte> right,
                   std::span<std::byte> out);

/// The `part`-th of `parts` parts of these items that are as long as whole items let them be. Must hold: part < parts.
std::span<std::byte> part_of_items(std::span<std::byte> items, tensor::DType dtype, std::size_t part,
                                   std::size_t parts);

}  // namespace nns::parallel
