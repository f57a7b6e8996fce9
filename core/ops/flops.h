#pragma once

#include <cstdint>

#include "core/ops/op.h"

namespace nns::ops {

/// The floating-point operations of one op that was carried out: a product and a sum count as two. Products of
/// matrices, convolutions and attention count, everything else is 0. Source: torch/utils/flop_counter.py, its registry.
std::uint64_t flops_of(const OpCall& call);

}  // namespace nns::ops
