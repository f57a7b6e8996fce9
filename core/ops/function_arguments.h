#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/ops/term.h"

// What functions of torch that are made of several ops ask of their arguments. Not for callers of ops.
namespace nns::ops {

/// The first argument. Must hold: it is a tensor.
inline Tensor& self_of(std::span<const Value> arguments) { return *arguments[0].as<Tensor>(); }

/// A dimension, counted from the start. Errors: IndexError.
inline PyResult<std::int64_t> dimension(Interpreter& in, std::int64_t dim, std::size_t ndim) {
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(ndim, 1));
  if (dim >= -count && dim < count) return dim < 0 ? dim + count : dim;
  return object::error<object::ErrorKind::IndexError>(
      in, "Dimension out of range (expected to be in range of [{}, {}], but got {})", -count, count - 1, dim);
}

}  // namespace nns::ops
