#pragma once

#include <vector>

#include "core/ops/lines.h"

// Not for callers of ops.
namespace nns::ops {

/// The order of the items of a line of real numbers: places in it, the first in order first. Equal items keep their
/// order; NaN is larger than any number.
std::vector<std::int64_t> order_of(const Tensor& tensor, const Line& line, std::int64_t count, bool descending);

}  // namespace nns::ops
