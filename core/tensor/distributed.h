#pragma once

#include "core/tensor/tensor.h"

namespace nns::tensor {

/// Tensors of which each rank holds a part: those of a class that has a method `_call_distributed`, which
/// torch.distributed.tensor.DTensor is. The items of such a Tensor are the part that is here.
bool is_distributed(const Tensor& tensor);

/// From here on tensors are asked whether they are distributed: a program has made the class.
void expect_distributed(Interpreter& interpreter);

/// What a function gives that is called with distributed tensors, also in a list: what their class says by
/// `_call_distributed(function, args, kwargs)`. Absent: there is none among them, or it goes on with the parts.
PyResult<Value> distributed_answer(Interpreter& interpreter, std::string_view function,
                                   const object::Arguments& arguments);

/// The norm of order `order` of distributed tensors (a list, not empty), of the norm of the parts that are here: what
/// their class says by `_norm_distributed(tensors, here, order)`.
PyResult<Ref<Tensor>> distributed_norm(Interpreter& interpreter, const std::vector<Ref<Tensor>>& tensors,
                                       const Ref<Tensor>& here, double order);

}  // namespace nns::tensor
