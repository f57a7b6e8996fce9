#include <fmt/ranges.h>

#include <algorithm>

#include "core/ops/linalg.h"
#include "core/ops/linalg_kernels.h"
#include "core/ops/made_functions.h"
#include "core/ops/promotion.h"
#include "core/ops/python_function.h"

// A = P L U, and systems that are solved with it.
// Behaviour: aten/src/ATen/native/BatchLinearAlgebra.cpp; gradients: torch/csrc/autograd/FunctionsManual.cpp
// (lu_backward, lu_factor_ex_backward, linalg_lu_solve_LU, lu_unpack_backward).
namespace nns::ops {
namespace {

std::int64_t least_size(const Tensor& a) { return std::min(rows_of(a), columns_of(a)); }

PyResult<void> check_factored(OpCall& call, const Tensor& a, std::string_view api) {
  if (a.ndim() < 2) {
    return object::runtime_error(call.interpreter,
                                 "{}: Expected tensor with 2 or more dimensions. Got size: [{}] instead", api,
                                 fmt::join(a.shape().span(), ", "));
  }
  return {};
}
PyResult<void> check_pivoting(OpCall& call) {
  if (call.flag(1) || call.required(0).is_meta()) return {};
  return object::runtime_error(call.interpreter, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
}

PyResult<void> lu_factor_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_factored(call, a, "torch.lu_factor"));
  NNS_TRY(check_pivoting(call));
  NNS_TRY(give_columns(call, a.shape(), a.dtype()));
  NNS_TRY(call.give(with_sizes(batch_of(a), {least_size(a)}), DType::Int32));
  return call.give(batch_of(a), DType::Int32);
}
PyResult<void> run_lu_factor_checked(OpCall& call) {
  NNS_TRY(run_lu_factor(call));
  if (!call.flag(2)) return {};
  return check_infos(call.interpreter, call.output(2), "torch.linalg.lu_factor_ex", call.required(0).ndim() > 2);
}

PyResult<void> lu_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_factored(call, a, "linalg.lu"));
  NNS_TRY(check_pivoting(call));
  const Dims batch = batch_of(a);
  const std::int64_t least = least_size(a);
  NNS_TRY(call.give(with_sizes(batch, {rows_of(a), rows_of(a)}), a.dtype()));
  NNS_TRY(call.give(with_sizes(batch, {rows_of(a), least}), a.dtype()));
  return call.give(with_sizes(batch, {least, columns_of(a)}), a.dtype());
}

PyResult<void> lu_unpack_shape(OpCall& call) {
  const Tensor& lu = call.required(0);
  NNS_TRY(check_factored(call, lu, "torch.lu_unpack"));
  if (call.flag(3) && call.required(1).dtype() != DType::Int32) {
    return object::runtime_error(
        call.interpreter,
        "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
        "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor");
  }
  const Dims batch = batch_of(lu), none({0});
  const std::int64_t least = least_size(lu);
  NNS_TRY(call.give(call.flag(3) ? with_sizes(batch, {rows_of(lu), rows_of(lu)}) : none, lu.dtype()));
  NNS_TRY(call.give(call.flag(2) ? with_sizes(batch, {rows_of(lu), least}) : none, lu.dtype()));
  return call.give(call.flag(2) ? with_sizes(batch, {least, columns_of(lu)}) : none, lu.dtype());
}

PyResult<void> lu_solve_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& lu = call.required(0);
  const Tensor& pivots = call.required(1);
  const Tensor& b = call.required(2);
  NNS_TRY(check_fractional(in, lu, "torch.linalg.lu_solve"));
  if (lu.dtype() != b.dtype()) {
    return object::runtime_error(
        in,
        "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {} and B of type {} instead",
        tensor::info(lu.dtype()).scalar_name, tensor::info(b.dtype()).scalar_name);
  }
  if (pivots.dtype() != DType::Int32) {
    return object::runtime_error(in, "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  }
  NNS_TRY(check_square(in, lu, "torch.linalg.lu_solve"));
  NNS_TRY(check_system(in, lu, b, call.flag(3), "linalg.lu_solve"));
  if (pivots.ndim() == 0 || pivots.shape()[pivots.ndim() - 1] != columns_of(lu)) {
    return object::runtime_error(
        in, "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
  }
  if (!(pivots.shape() == with_sizes(batch_of(lu), {rows_of(lu)}))) {
    return object::runtime_error(in,
                                 "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got "
                                 "pivots with shape [{}] instead",
                                 fmt::join(pivots.shape().span(), ", "));
  }
  NNS_TRY_ASSIGN(const Dims batch, broadcast_shapes(in, batch_of(b), batch_of(lu)));
  const Dims shape = with_sizes(batch, {rows_of(b), columns_of(b)});
  return call.flag(3) ? give_columns(call, shape, b.dtype()) : call.give(shape, b.dtype());
}

// The gradient of A = P L U. Beyond the square part of a wide matrix stands L U2, of a tall one L2 U: what they depend
// on is taken off the gradients of L and of U first.
Term factors_gradient(const Term& grad_l, const Term& grad_u, const Term& p, const Term& l, const Term& u) {
  if (!l.ok()) return l;
  if (!u.ok()) return u;
  const std::int64_t rows = rows_of(l.tensor()), columns = columns_of(u.tensor()), least = std::min(rows, columns);
  const Term l1 = narrowed(l, -2, 0, least), u1 = narrowed(u, -1, 0, least);
  Term below, above, side;
  if (!grad_l.is_none()) below = matmul(adjoint(l1), narrowed(grad_l, -2, 0, least));
  if (!grad_u.is_none()) above = matmul(narrowed(grad_u, -1, 0, least), adjoint(u1));
  if (rows < columns && !grad_u.is_none()) {
    const Term grad_u2 = narrowed(grad_u, -1, least, columns - least);
    const Term moved = matmul(grad_u2, adjoint(narrowed(u, -1, least, columns - least)));
    below = below.is_none() ? -moved : below - moved;
    side = triangular_solved(adjoint(l1), grad_u2, true);
  }
  if (rows > columns && !grad_l.is_none()) {
    const Term grad_l2 = narrowed(grad_l, -2, least, rows - least);
    const Term moved = matmul(adjoint(narrowed(l, -2, least, rows - least)), grad_l2);
    above = above.is_none() ? -moved : above - moved;
    side = triangular_solved(adjoint(u1), grad_l2, false, false);
  }
  Term inner;
  if (!below.is_none()) inner = lower_of(below, -1);
  if (!above.is_none()) inner = inner.is_none() ? upper_of(above) : inner + upper_of(above);
  if (inner.is_none()) return inner;
  const Term left = triangular_solved(adjoint(l1), inner, true, true, true);
  Term gradient = triangular_solved(adjoint(u1), left, false, false);
  if (!side.is_none()) {
    gradient = joined(gradient, side, rows < columns ? -1 : -2);
  } else if (rows != columns) {
    // The other part was not asked: nothing depends on it.
    const Dims rest = with_sizes(batch_of(l.tensor()),
                                 {rows < columns ? rows : rows - least, rows < columns ? columns - least : columns});
    gradient = joined(gradient, zeros_like(gradient, rest), rows < columns ? -1 : -2);
  }
  return matmul(p, gradient);
}

// L, U and P of packed factors.
PyResult<std::vector<Term>> unpacked(const Term& lu, const Term& pivots, bool has_data = true) {
  NNS_TRY_ASSIGN(const Ref<Tensor> packed, Term(lu).take());
  NNS_TRY_ASSIGN(const Ref<Tensor> order, Term(pivots).take());
  return parts_of(packed->interpreter(), OpId::lu_unpack, {Value(packed), Value(order), Value(has_data), Value(true)});
}

PyResult<void> lu_factor_gradient(Backward& b) {
  if (!b.needs(0)) return {};
  NNS_TRY_ASSIGN(const std::vector<Term> parts, unpacked(b.out(0), b.out(1)));
  const std::int64_t least = columns_of(parts[1].tensor());
  return b.give(0, factors_gradient(narrowed(b.grad(), -1, 0, least), narrowed(b.grad(), -2, 0, least), parts[0],
                                    parts[1], parts[2]));
}
PyResult<void> lu_gradient(Backward& b) {
  if (!b.needs(0)) return {};
  const Term grad_l = b.has_grad(1) ? b.grad(1) : Term(), grad_u = b.has_grad(2) ? b.grad(2) : Term();
  return b.give(0, factors_gradient(grad_l, grad_u, b.out(0), b.out(1), b.out(2)));
}

// Puts the gradients of L and U where the packed factors have them.
Term packed_gradient(Backward& b) {
  const Dims& shape = b.input(0).shape;
  const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  const auto widened = [&](const Term& part, std::int64_t dim, std::int64_t missing) {
    if (missing == 0) return part;
    Dims rest = shape;
    rest[shape.size() - 2] = dim == -2 ? missing : rows;
    rest[shape.size() - 1] = dim == -1 ? missing : columns;
    return joined(part, zeros_like(part, rest), dim);
  };
  Term gradient;
  if (b.has_grad(1)) gradient = widened(lower_of(b.grad(1), -1), -1, std::max<std::int64_t>(columns - rows, 0));
  if (b.has_grad(2)) {
    const Term upper = widened(upper_of(b.grad(2)), -2, std::max<std::int64_t>(rows - columns, 0));
    gradient = gradient.is_none() ? upper : gradient + upper;
  }
  return gradient;
}

// LU, pivots, B, left, adjoint -> X: B's gradient is the solution of the adjoint system.
PyResult<void> lu_solve_gradient(Backward& b) {
  const bool left = b.flag(3), is_adjoint = b.flag(4);
  const Term lu = b.arg(0), x = b.out();
  const Term grad_b = apply(OpId::linalg_lu_solve, {lu, b.arg(1), b.grad(), left, !is_adjoint});
  if (b.needs(2)) NNS_TRY(b.give(2, grad_b));
  if (!b.needs(0)) return {};
  Term grad_a = left ? -matmul(grad_b, adjoint(x)) : -matmul(adjoint(x), grad_b);
  if (is_adjoint) grad_a = adjoint(grad_a);
  NNS_TRY_ASSIGN(const std::vector<Term> parts, unpacked(lu, b.arg(1)));
  const Term moved = matmul(transposed(parts[0]), grad_a);
  return b.give(0, lower_of(matmul(moved, adjoint(parts[2])), -1) + upper_of(matmul(adjoint(parts[1]), moved)));
}

PyResult<Value> lu_factor_of(OpCall& call, std::string_view api, bool checks) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(call.interpreter, OpId::linalg_lu_factor_ex, {call.args[0], call.args[1]}));
  if (checks) NNS_TRY(check_infos(call.interpreter, parts[2].tensor(), api, call.required(0).ndim() > 2));
  if (call.op.id == OpId::lu_with_info) return named_terms(call, {parts[0], parts[1], parts[2]});
  return named_terms(call, {parts[0], parts[1]});
}

// A, pivot, get_infos -> LU, pivots, and the infos where they are asked for.
PyResult<Value> old_lu(Interpreter& in, std::span<const Value> a) {
  in.warn(
      object::ErrorKind::UserWarning,
      "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a "
      "future PyTorch release.\n"
      "LU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
      "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
      "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
      "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)");
  NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(in, OpId::lu_with_info, {a[0], a[1], Value(!a[2].as_bool())}));
  std::vector<Value> items;
  for (std::size_t i = 0; i < (a[2].as_bool() ? 3U : 2U); ++i) items.emplace_back(parts[i].ref());
  return Value(in.tuple(std::move(items)));
}

}  // namespace

void add_lu_functions(Interpreter& interpreter) {
  add_function(interpreter, "torch", "lu(Tensor A, bool pivot=True, bool get_infos=False, *, any out=None)", old_lu);
  add_method(interpreter, "lu(Tensor A, bool pivot=True, bool get_infos=False)", old_lu);
}

template <>
OpBodies bodies<OpId::linalg_lu_factor_ex>() {
  return {.shape = lu_factor_shape,
          .cpu = run_lu_factor_checked,
          .joint = lu_factor_gradient,
          .joint_reads = result(0) | result(1),
          .differentiable_outputs = 1,
          .result_fields = "LU pivots info"};
}
template <>
OpBodies bodies<OpId::linalg_lu_factor>() {
  return {.composite = [](OpCall& call) { return lu_factor_of(call, "torch.linalg.lu_factor", true); },
          .result_fields = "LU pivots"};
}
template <>
OpBodies bodies<OpId::lu_with_info>() {
  return {.composite = [](OpCall& call) { return lu_factor_of(call, "torch.linalg.lu_factor_ex", call.flag(2)); },
          .result_fields = "LU pivots info"};
}
template <>
OpBodies bodies<OpId::linalg_lu>() {
  return {.shape = lu_shape,
          .cpu = run_lu,
          .joint = lu_gradient,
          .joint_reads = result(0) | result(1) | result(2),
          .result_fields = "P L U"};
}
template <>
OpBodies bodies<OpId::lu_unpack>() {
  return {.shape = lu_unpack_shape,
          .cpu = run_lu_unpack,
          .joint = [](Backward& b) { return b.give(0, packed_gradient(b)); },
          .result_fields = "P L U"};
}
template <>
OpBodies bodies<OpId::linalg_lu_solve>() {
  return {.shape = lu_solve_shape,
          .cpu = run_lu_solve,
          .joint = lu_solve_gradient,
          .joint_reads = argument(0) | argument(1) | result()};
}
template <>
OpBodies bodies<OpId::lu_solve>() {
  return {.composite = [](OpCall& call) {
    return call_op(call.interpreter, OpId::linalg_lu_solve, {call.args[1], call.args[2], call.args[0]});
  }};
}

}  // namespace nns::ops
