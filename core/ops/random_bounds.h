#pragma once

#include <optional>

#include "core/ops/op.h"

// What random numbers a dtype holds. Behaviour: aten/src/ATen/native/DistributionTemplates.h.
namespace nns::ops {

struct RandomBounds {
  /// C++'s name of the type, which messages have.
  std::string_view type;
  double least = 0;
  double most = 0;
  /// Of a floating dtype: it holds the integers up to 2**digits exactly.
  std::optional<int> digits;
};
RandomBounds random_bounds(DType dtype);

/// Errors: RuntimeError  "from is out of bounds for unsigned char".
PyResult<void> check_bound(Interpreter& interpreter, std::string_view name, double bound, const RandomBounds& bounds);
/// The same of both bounds, the last of which may be drawn; warns where a floating dtype does not hold all integers
/// between them.
PyResult<void> check_integer_bounds(Interpreter& interpreter, DType dtype, std::int64_t from, std::int64_t last);

/// Whether the dtype holds the numbers of a permutation of so many.
/// Behaviour: aten/src/ATen/native/TensorFactories.h, check_supported_max_int_with_precision.
PyResult<void> check_count(Interpreter& interpreter, DType dtype, std::int64_t count);

}  // namespace nns::ops
