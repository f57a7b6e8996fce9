#pragma once

#include "core/ops/op.h"

namespace nns::ops {

/// x[key]: ints, slices, None, ..., bools, tensors of places or masks, lists, and tuples of these. A view where no
/// tensor of places takes part. Errors: IndexError, TypeError, ValueError in PyTorch's words.
PyResult<Value> get_item(Interpreter& interpreter, Tensor& self, const Value& key);
/// x[key] = value: a number, or a tensor that broadcasts.
PyResult<void> set_item(Interpreter& interpreter, Tensor& self, const Value& key, const Value& value);

/// Behaviour: aten/src/ATen/native/IndexingUtils.h, expandTensors.
void warn_of_byte_mask(Interpreter& interpreter);

}  // namespace nns::ops
