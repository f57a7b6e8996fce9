#pragma once

#include "core/ops/sparse_items.h"
#include "core/ops/term.h"
#include "core/optim/optimizer.h"

// Updates that are written as tensor operations. Not for callers of optim.
namespace nns::optim {

using ops::OpId;
using ops::Term;

/// target.op_(rest).
PyResult<void> write(Interpreter& interpreter, OpId id, std::initializer_list<Value> args);
/// target.add_(other, alpha=alpha).
PyResult<void> add_to(Tensor& target, const Term& other, double alpha);
/// The one item of what `term` gives.
PyResult<double> item_of(const Term& term);
/// The state of `param`, made where there is none.
PyResult<Dict*> state_of(Optimizer& self, Tensor& param);
/// A sparse gradient, negated where the optimiser maximises.
PyResult<Ref<Tensor>> signed_sparse(Tensor& grad, bool maximize);
/// A number of one item, as optimisers keep their count of steps.
Ref<Tensor> make_scalar(Interpreter& interpreter, double value);

}  // namespace nns::optim
