#include <limits>

#include "core/ops/linalg.h"
#include "core/ops/linalg_kernels.h"
#include "core/ops/promotion.h"

// Systems of equations, inverses and determinants.
// Behaviour: aten/src/ATen/native/BatchLinearAlgebra.cpp; gradients: torch/csrc/autograd/FunctionsManual.cpp
// (linalg_solve_backward, linalg_det_backward, slogdet_backward).
namespace nns::ops {
namespace {

PyResult<void> solve_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  NNS_TRY(check_fractional(in, a, "linalg.solve"));
  if (a.dtype() != b.dtype()) {
    return object::runtime_error(
        in, "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
        tensor::info(a.dtype()).scalar_name, tensor::info(b.dtype()).scalar_name);
  }
  if (a.ndim() < 2) return check_square(in, a, "linalg.solve");
  const bool is_vector = is_vector_system(a.shape(), b.shape());
  NNS_TRY(check_square(in, a, "linalg.solve"));
  if (is_vector) {
    if (b.shape()[b.ndim() - 1] != columns_of(a)) {
      return object::runtime_error(in,
                                   "linalg.solve: Incompatible shapes of A and B for the equation AX = B ({0}x{0} and "
                                   "{1}x1)",
                                   columns_of(a), b.shape()[b.ndim() - 1]);
    }
    if (!call.flag(2)) {
      return object::runtime_error(in,
                                   "linalg.solve: Vector broadcasting of the left hand side is not supported for "
                                   "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)");
    }
  } else {
    NNS_TRY(check_system(in, a, b, call.flag(2), "linalg.solve"));
  }
  const Dims own = is_vector ? Dims(b.shape().span().first(b.ndim() - 1)) : batch_of(b);
  NNS_TRY_ASSIGN(const Dims batch, broadcast_shapes(in, own, batch_of(a)));
  if (is_vector) {
    NNS_TRY(call.give(with_sizes(batch, {columns_of(a)}), b.dtype()));
  } else {
    const Dims shape = with_sizes(batch, {rows_of(b), columns_of(b)});
    NNS_TRY(call.flag(2) ? give_columns(call, shape, b.dtype()) : call.give(shape, b.dtype()));
  }
  NNS_TRY(give_columns(call, a.shape(), a.dtype()));
  NNS_TRY(call.give(with_sizes(batch_of(a), {columns_of(a)}), DType::Int32));
  return call.give(batch_of(a), DType::Int32);
}
PyResult<void> run_solve_checked(OpCall& call) {
  NNS_TRY(run_solve(call));
  if (!call.flag(3)) return {};
  return check_infos(call.interpreter, call.output(3), "linalg.solve_ex", call.required(0).ndim() > 2);
}

// The system of the adjoint matrix: with the factors that are there, unless this is differentiated, too.
Term adjoint_solved(Backward& b, const Term& right, std::size_t first_factor, bool left) {
  const Term a = b.arg(0);
  if (b.is_recorded()) return solved(adjoint(a), right, left);
  // The factors are those of the transposed matrix where the kernel took that.
  const bool is_transposed = a.tensor().is_contiguous() && !is_complex_term(a);
  return apply(OpId::linalg_lu_solve, {b.out(first_factor), b.out(first_factor + 1), right, left, !is_transposed});
}

// A, B, left -> X, LU, pivots.
PyResult<void> solve_gradient(Backward& b) {
  const bool left = b.flag(2);
  const bool is_vector = is_vector_system(b.input(0).shape, b.input(1).shape);
  const Term grad = is_vector ? as_column(b.grad()) : b.grad();
  const Term grad_b = adjoint_solved(b, grad, 1, left);
  if (b.needs(1)) NNS_TRY(b.give(1, is_vector ? apply(OpId::squeeze, {grad_b, -1}) : grad_b));
  if (!b.needs(0)) return {};
  const Term x = is_vector ? as_column(b.out()) : b.out();
  return b.give(0, left ? -matmul(grad_b, adjoint(x)) : -matmul(adjoint(x), grad_b));
}

PyResult<Value> solve_of(OpCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(call.interpreter, OpId::linalg_solve_parts, {call.args[0], call.args[1], call.args[2]}));
  NNS_TRY(check_infos(call.interpreter, parts[3].tensor(), "linalg.solve", call.required(0).ndim() > 2));
  return value_of(parts[0]);
}

PyResult<void> inverse_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, "linalg.inv"));
  NNS_TRY(check_fractional(call.interpreter, a, "linalg.inv", false));
  NNS_TRY(give_columns(call, a.shape(), a.dtype()));
  return call.give(batch_of(a), DType::Int32);
}
PyResult<void> run_inverse_checked(OpCall& call) {
  NNS_TRY(run_inverse(call));
  if (!call.flag(1)) return {};
  return check_infos(call.interpreter, call.output(1), "linalg.inv_ex", call.required(0).ndim() > 2);
}
PyResult<Value> inverse_of(OpCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(call.interpreter, OpId::linalg_inv_ex, {call.args[0]}));
  NNS_TRY(check_infos(call.interpreter, parts[1].tensor(), "linalg.inv", call.required(0).ndim() > 2));
  return value_of(parts[0]);
}

PyResult<void> give_factors(OpCall& call, const Tensor& a) {
  NNS_TRY(give_columns(call, a.shape(), a.dtype()));
  return call.give(with_sizes(batch_of(a), {columns_of(a)}), DType::Int32);
}
PyResult<void> det_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, "linalg.det"));
  NNS_TRY(check_fractional(call.interpreter, a, "linalg.det", false));
  NNS_TRY(call.give(batch_of(a), a.dtype()));
  return give_factors(call, a);
}
PyResult<void> slogdet_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, "linalg.slogdet"));
  NNS_TRY(check_fractional(call.interpreter, a, "linalg.slogdet", false));
  NNS_TRY(call.give(batch_of(a), a.dtype()));
  NNS_TRY(call.give(batch_of(a), real_dtype_of(a.dtype())));
  return give_factors(call, a);
}

// The matrix of A^H G = scale. One that has no inverse is moved a little.
Term scaled_inverse(Backward& b, const Term& scale, std::size_t first_factor) {
  const Term a = b.arg(0);
  const double epsilon = epsilon_of(a.tensor().dtype());
  const std::int64_t size = columns_of(a.tensor());
  const Term right = as_column(as_column(scale)) * identity_like(a, size);
  const Term items = diagonal_of(b.out(first_factor));
  if (b.is_recorded()) {
    const Term singular = gt(sum_over(eq(items, 0.0), {-1}), 0);
    const Term moved = as_dtype(as_column(as_column(singular)), real_dtype_of(a.tensor().dtype()));
    return solved(adjoint(a) + moved * identity_like(a, size) * epsilon, right);
  }
  const Term zeros = as_dtype(eq(items, 0.0), real_dtype_of(a.tensor().dtype()));
  const Term factors = b.out(first_factor) + diagonal_matrix(zeros) * epsilon;
  const bool is_transposed = a.tensor().is_contiguous() && !is_complex_term(a);
  return apply(OpId::linalg_lu_solve, {factors, b.out(first_factor + 1), right, true, !is_transposed});
}

Term slogdet_gradient(Backward& b) {
  Term scale = b.has_grad(1) ? b.grad(1) : Term();
  if (is_complex_term(b.out(0)) && b.has_grad(0)) {
    // A turn of the sign by an angle is the imaginary part of the logarithm.
    const Term turn = apply(OpId::imag, {b.grad(0) * conj(b.out(0))});
    const Term real = scale.is_none() ? turn * 0.0 : scale;
    scale = apply(OpId::complex, {real, turn});
  }
  if (scale.is_none()) return scale;
  return scaled_inverse(b, as_dtype(scale, b.input(0).dtype), 2);
}

PyResult<Value> first_of(OpCall& call, OpId id) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(call.interpreter, id, {call.args[0]}));
  return value_of(parts[0]);
}
PyResult<Value> slogdet_of(OpCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(call.interpreter, OpId::linalg_slogdet_parts, {call.args[0]}));
  return named_terms(call, {parts[0], parts[1]});
}
PyResult<Value> logdet_of(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, "logdet"));
  NNS_TRY(check_fractional(call.interpreter, a, "logdet", false));
  NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(call.interpreter, OpId::linalg_slogdet_parts, {call.args[0]}));
  if (tensor::is_complex(a.dtype())) return value_of(parts[1] + log(parts[0]));
  return value_of(where(eq(parts[0], -1.0), std::numeric_limits<double>::quiet_NaN(), parts[1]));
}

}  // namespace

template <>
OpBodies bodies<OpId::linalg_solve_parts>() {
  return {.shape = solve_shape,
          .cpu = run_solve_checked,
          .joint = solve_gradient,
          .joint_reads = argument(0) | result(0) | result(1) | result(2),
          .differentiable_outputs = 1,
          .result_fields = "result LU pivots info"};
}
template <>
OpBodies bodies<OpId::linalg_solve_ex>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const std::vector<Term> parts,
                           parts_of(call.interpreter, OpId::linalg_solve_parts,
                                    {call.args[0], call.args[1], call.args[2], call.args[3]}));
            return named_terms(call, {parts[0], parts[3]});
          },
          .result_fields = "result info"};
}
template <>
OpBodies bodies<OpId::linalg_solve>() {
  return {.composite = solve_of};
}
template <>
OpBodies bodies<OpId::linalg_inv_ex>() {
  return {.shape = inverse_shape,
          .cpu = run_inverse_checked,
          .gradients = {Gradient{0, result(),
                                 [](Backward& b) {
                                   const Term turned = adjoint(b.out());
                                   return -matmul(turned, matmul(b.grad(), turned));
                                 }}},
          .differentiable_outputs = 1,
          .result_fields = "inverse info"};
}
template <>
OpBodies bodies<OpId::linalg_inv>() {
  return {.composite = inverse_of};
}
template <>
OpBodies bodies<OpId::inverse>() {
  return {.composite = inverse_of};
}
template <>
OpBodies bodies<OpId::linalg_det_parts>() {
  return {.shape = det_shape,
          .cpu = run_det,
          .gradients = {Gradient{0, argument(0) | result(0) | result(1) | result(2),
                                 [](Backward& b) { return scaled_inverse(b, b.grad() * conj(b.out()), 1); }}},
          .differentiable_outputs = 1,
          .result_fields = "result LU pivots"};
}
template <>
OpBodies bodies<OpId::linalg_det>() {
  return {.composite = [](OpCall& call) { return first_of(call, OpId::linalg_det_parts); }};
}
template <>
OpBodies bodies<OpId::det>() {
  return {.composite = [](OpCall& call) { return first_of(call, OpId::linalg_det_parts); }};
}
template <>
OpBodies bodies<OpId::linalg_slogdet_parts>() {
  return {.shape = slogdet_shape,
          .cpu = run_slogdet,
          .gradients = {Gradient{0, argument(0) | result(0) | result(2) | result(3), slogdet_gradient}},
          .differentiable_outputs = 2,
          .result_fields = "sign logabsdet LU pivots"};
}
template <>
OpBodies bodies<OpId::linalg_slogdet>() {
  return {.composite = slogdet_of, .result_fields = "sign logabsdet"};
}
template <>
OpBodies bodies<OpId::slogdet>() {
  return {.composite = slogdet_of, .result_fields = "sign logabsdet"};
}
template <>
OpBodies bodies<OpId::logdet>() {
  return {.composite = logdet_of};
}

}  // namespace nns::ops
