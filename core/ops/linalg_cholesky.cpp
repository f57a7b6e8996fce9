#include "core/ops/linalg.h"
#include "core/ops/linalg_kernels.h"
#include "core/ops/promotion.h"

// Cholesky's factors and what is solved with them, and triangular systems.
// Behaviour: aten/src/ATen/native/BatchLinearAlgebra.cpp; gradients: torch/csrc/autograd/FunctionsManual.cpp
// (cholesky_backward, cholesky_solve_backward, cholesky_inverse_backward, linalg_solve_triangular_backward,
// triangular_solve_backward).
namespace nns::ops {
namespace {

PyResult<void> cholesky_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, "linalg.cholesky"));
  NNS_TRY(check_fractional(call.interpreter, a, "linalg.cholesky"));
  NNS_TRY(give_columns(call, a.shape(), a.dtype()));
  return call.give(batch_of(a), DType::Int32);
}
PyResult<void> run_cholesky_checked(OpCall& call) {
  NNS_TRY(run_cholesky(call));
  if (!call.flag(2)) return {};
  return check_infos(call.interpreter, call.output(1), "linalg.cholesky_ex", call.required(0).ndim() > 2);
}

// The lower triangle with half the diagonal, and its mirror image above.
Term half_mirrored(const Term& x) {
  const Term below = lower_of(x, -1);
  const Term middle =
      diagonal_matrix(as_dtype(real_part(diagonal_of(x)), x.ok() ? x.tensor().dtype() : DType::Float32));
  return (below + adjoint(below) + middle) * 0.5;
}

Term cholesky_gradient(Backward& b) {
  const bool upper = b.flag(1);
  const Term l = upper ? adjoint(b.out()) : b.out(), grad = upper ? adjoint(b.grad()) : b.grad();
  const Term inner = half_mirrored(matmul(adjoint(l), grad));
  return triangular_solved(l, triangular_solved(adjoint(l), inner, true), false, false);
}

PyResult<Value> cholesky_of(OpCall& call, std::string_view api) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(call.interpreter, OpId::linalg_cholesky_ex, {call.args[0], call.args[1]}));
  NNS_TRY(check_infos(call.interpreter, parts[1].tensor(), api, call.required(0).ndim() > 2));
  return value_of(parts[0]);
}
PyResult<Value> old_cholesky_of(OpCall& call) {
  call.interpreter.warn(
      object::ErrorKind::UserWarning,
      "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
      "release.\n"
      "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
      "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\n"
      "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.");
  return cholesky_of(call, "cholesky");
}

// The shape of systems whose batches broadcast. Errors: RuntimeError  the matrices do not fit.
PyResult<Dims> old_system(OpCall& call, const Tensor& b, const Tensor& a, std::string_view name) {
  Interpreter& in = call.interpreter;
  if (a.dtype() != b.dtype()) {
    return object::runtime_error(
        in, "Expected b and A to have the same dtype, but found b of type {} and A of type {} instead.",
        tensor::info(b.dtype()).scalar_name, tensor::info(a.dtype()).scalar_name);
  }
  if (rows_of(a) != columns_of(a)) {
    return object::runtime_error(in, "A must be batches of square matrices, but they are {} by {} matrices", rows_of(a),
                                 columns_of(a));
  }
  if (columns_of(a) != rows_of(b)) {
    return object::runtime_error(
        in, "Incompatible matrix sizes for {}: each A matrix is {} by {} but each b matrix is {} by {}", name,
        columns_of(a), columns_of(a), rows_of(b), columns_of(b));
  }
  NNS_TRY_ASSIGN(const Dims batch, broadcast_shapes(in, batch_of(b), batch_of(a)));
  return with_sizes(batch, {rows_of(b), columns_of(b)});
}

PyResult<void> cholesky_solve_shape(OpCall& call) {
  const Tensor& b = call.required(0);
  const Tensor& factor = call.required(1);
  for (const Tensor* const one : {&b, &factor}) {
    if (one->ndim() >= 2) continue;
    return object::runtime_error(call.interpreter,
                                 "{} should have at least 2 dimensions, but has {} dimensions instead",
                                 one == &b ? 'b' : 'u', one->ndim());
  }
  NNS_TRY_ASSIGN(const Dims shape, old_system(call, b, factor, "cholesky_solve"));
  return give_columns(call, shape, b.dtype());
}
// B, L, upper -> X.
PyResult<void> cholesky_solve_gradient(Backward& b) {
  const bool upper = b.flag(2);
  const Term factor = b.arg(1);
  const Term grad_b = apply(OpId::cholesky_solve, {b.grad(), factor, upper});
  if (b.needs(0)) NNS_TRY(b.give(0, grad_b));
  if (!b.needs(1)) return {};
  const Term one = matmul(grad_b, adjoint(b.out()));
  const Term both = one + adjoint(one);
  return b.give(1, upper ? -matmul(factor, both) : -matmul(both, factor));
}

PyResult<void> cholesky_inverse_shape(OpCall& call) {
  const Tensor& factor = call.required(0);
  NNS_TRY(check_square(call.interpreter, factor, "cholesky_inverse"));
  return give_columns(call, factor.shape(), factor.dtype());
}
Term cholesky_inverse_gradient(Backward& b) {
  const Term factor = b.arg(0), inverse = b.out();
  const Term both = matmul(inverse, matmul(b.grad() + adjoint(b.grad()), inverse));
  return b.flag(1) ? -matmul(factor, both) : -matmul(both, factor);
}

PyResult<void> solve_triangular_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  NNS_TRY(check_system(call.interpreter, a, b, call.flag(3), "linalg.solve_triangular"));
  if (a.dtype() != b.dtype()) {
    return object::runtime_error(call.interpreter,
                                 "linalg.solve_triangular: Expected A and B to have the same dtype, but found A of "
                                 "type {} and B of type {} instead",
                                 tensor::info(a.dtype()).scalar_name, tensor::info(b.dtype()).scalar_name);
  }
  NNS_TRY_ASSIGN(const Dims batch, broadcast_shapes(call.interpreter, batch_of(b), batch_of(a)));
  return give_columns(call, with_sizes(batch, {rows_of(b), columns_of(b)}), b.dtype());
}
// A, B, upper, left, unitriangular -> X.
PyResult<void> solve_triangular_gradient(Backward& b) {
  const bool upper = b.flag(2), left = b.flag(3), unit = b.flag(4);
  const Term turned = adjoint(b.arg(0));
  const Term grad_b = triangular_solved(turned, b.grad(), !upper, left, unit);
  if (b.needs(1)) NNS_TRY(b.give(1, grad_b));
  if (!b.needs(0)) return {};
  const Term x = adjoint(b.out());
  const Term grad_a = left ? -matmul(grad_b, x) : -matmul(x, grad_b);
  const std::int64_t beside = unit ? 1 : 0;
  return b.give(0, upper ? upper_of(grad_a, beside) : lower_of(grad_a, -beside));
}

// b, A, upper, transpose, unitriangular: the function that linalg.solve_triangular took the place of.
PyResult<Value> triangular_solve_of(OpCall& call) {
  const Tensor& b = call.required(0);
  const Tensor& a = call.required(1);
  for (const Tensor* const one : {&b, &a}) {
    if (one->ndim() >= 2) continue;
    return object::runtime_error(
        call.interpreter,
        "torch.triangular_solve: Expected {} to have at least 2 dimensions, but it has {} dimensions instead",
        one == &b ? 'b' : 'A', one->ndim());
  }
  NNS_TRY_ASSIGN(const Dims shape, old_system(call, b, a, "triangular_solve"));
  call.interpreter.warn(
      object::ErrorKind::UserWarning,
      "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangular and will be removed in a future "
      "PyTorch release.\n"
      "torch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
      "X = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).");
  const bool turned = call.flag(3);
  const Term matrix = turned ? transposed(term_at(call, 1)) : term_at(call, 1);
  const Term x = triangular_solved(matrix, term_at(call, 0), call.flag(2) != turned, true, call.flag(4));
  const Dims wide = with_sizes(Dims(shape.span().first(shape.size() - 2)), {rows_of(a), columns_of(a)});
  const Term copy = apply(OpId::clone, {apply(OpId::expand, {term_at(call, 1), dims_value(call.interpreter, wide)})});
  return named_terms(call, {x, copy});
}

}  // namespace

template <>
OpBodies bodies<OpId::linalg_cholesky_ex>() {
  return {.shape = cholesky_shape,
          .cpu = run_cholesky_checked,
          .gradients = {Gradient{0, result(), cholesky_gradient}},
          .differentiable_outputs = 1,
          .result_fields = "L info"};
}
template <>
OpBodies bodies<OpId::linalg_cholesky>() {
  return {.composite = [](OpCall& call) { return cholesky_of(call, "linalg.cholesky"); }};
}
template <>
OpBodies bodies<OpId::cholesky>() {
  return {.composite = old_cholesky_of};
}
template <>
OpBodies bodies<OpId::cholesky_solve>() {
  return {.shape = cholesky_solve_shape,
          .cpu = run_cholesky_solve,
          .joint = cholesky_solve_gradient,
          .joint_reads = argument(1) | result()};
}
template <>
OpBodies bodies<OpId::cholesky_inverse>() {
  return {.shape = cholesky_inverse_shape,
          .cpu = run_cholesky_inverse,
          .gradients = {Gradient{0, argument(0) | result(), cholesky_inverse_gradient}}};
}
template <>
OpBodies bodies<OpId::linalg_solve_triangular>() {
  return {.shape = solve_triangular_shape,
          .cpu = run_solve_triangular,
          .joint = solve_triangular_gradient,
          .joint_reads = argument(0) | result()};
}
template <>
OpBodies bodies<OpId::triangular_solve>() {
  return {.composite = triangular_solve_of, .result_fields = "solution cloned_coefficient"};
}

}  // namespace nns::ops
