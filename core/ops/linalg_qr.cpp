#include <fmt/ranges.h>

#include <algorithm>

#include "core/object/str.h"
#include "core/ops/linalg.h"
#include "core/ops/linalg_kernels.h"

// A = Q R, and products of reflections.
// Behaviour: aten/src/ATen/native/BatchLinearAlgebra.cpp; gradients: torch/csrc/autograd/FunctionsManual.cpp
// (linalg_qr_backward, householder_product_backward, ormqr_backward).
namespace nns::ops {
namespace {

struct QrMode {
  bool has_q = true, is_reduced = true;
};
PyResult<QrMode> mode_of(Interpreter& in, std::string_view mode) {
  if (mode == "reduced") return QrMode{};
  if (mode == "complete") return QrMode{true, false};
  if (mode == "r") return QrMode{false, true};
  return object::runtime_error(
      in, "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or 'complete'", mode);
}

PyResult<void> qr_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_matrices(call.interpreter, a, "linalg.qr"));
  NNS_TRY(check_fractional(call.interpreter, a, "linalg.qr"));
  NNS_TRY_ASSIGN(const QrMode mode, mode_of(call.interpreter, call.args[1].as<object::Str>()->view()));
  const std::int64_t rows = rows_of(a), kept = mode.is_reduced ? std::min(rows, columns_of(a)) : rows;
  if (mode.has_q)
    NNS_TRY(give_columns(call, with_sizes(batch_of(a), {rows, kept}), a.dtype()));
  else
    NNS_TRY(call.give(Dims({0}), a.dtype()));
  return give_columns(call, with_sizes(batch_of(a), {kept, columns_of(a)}), a.dtype());
}

Term half_diagonal(const Term& x) {
  const Term both = x + adjoint(x);
  return both - diagonal_matrix(diagonal_of(both)) * 0.5;
}

PyResult<void> qr_gradient(Backward& b) {
  if (!b.needs(0)) return {};
  const std::string_view mode = b.value(1).as<object::Str>()->view();
  const Dims& shape = b.input(0).shape;
  const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  if (mode == "r") {
    return object::runtime_error(
        b.interpreter(),
        "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
        "torch.linalg.qr(A, mode='reduced') if you are going to require gradients wrt. Q or R.");
  }
  if (mode == "complete" && rows > columns) {
    return object::runtime_error(b.interpreter(),
                                 "The QR decomposition is not differentiable when mode='complete' and nrows > ncols");
  }
  const Term q = b.out(0), r = b.out(1);
  const std::int64_t least = std::min(rows, columns);
  Term grad_q = b.has_grad(0) ? b.grad(0) : Term(), grad_r = b.has_grad(1) ? b.grad(1) : Term(), side;
  const Term r1 = narrowed(r, -1, 0, least);
  if (rows < columns && !grad_r.is_none()) {
    // R2 = Q^H A2: what comes to it goes to A2, and by Q to the square part.
    const Term grad_r2 = narrowed(grad_r, -1, least, columns - least);
    const Term to_q = matmul(q, matmul(narrowed(r, -1, least, columns - least), adjoint(grad_r2)));
    grad_q = grad_q.is_none() ? to_q : grad_q + to_q;
    grad_r = narrowed(grad_r, -1, 0, least);
    side = matmul(q, grad_r2);
  }
  Term inner;
  if (!grad_r.is_none()) inner = matmul(grad_r, adjoint(r1));
  if (!grad_q.is_none()) {
    const Term product = matmul(adjoint(q), grad_q);
    inner = inner.is_none() ? -product : inner - product;
  }
  Term gradient = matmul(q, half_diagonal(upper_of(inner)));
  if (!grad_q.is_none()) gradient = gradient + grad_q;
  gradient = triangular_solved(adjoint(r1), gradient, false, false);
  if (rows < columns) {
    if (side.is_none())
      side = zeros_like(gradient, with_sizes(Dims(shape.span().first(shape.size() - 2)), {rows, columns - least}));
    gradient = joined(gradient, side, -1);
  }
  return b.give(0, gradient);
}

PyResult<void> geqrf_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_matrices(call.interpreter, a, "torch.geqrf", "input"));
  NNS_TRY(give_columns(call, a.shape(), a.dtype()));
  return call.give(with_sizes(batch_of(a), {std::min(rows_of(a), columns_of(a))}), a.dtype());
}

PyResult<void> householder_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& a = call.required(0);
  const Tensor& tau = call.required(1);
  const auto refused = [&](std::string_view text) {
    return object::runtime_error(in, "torch.linalg.householder_product: {}", text);
  };
  if (a.ndim() < 2) return refused("input must have at least 2 dimensions.");
  if (rows_of(a) < columns_of(a)) return refused("input.shape[-2] must be greater than or equal to input.shape[-1]");
  if (tau.ndim() == 0 || columns_of(a) < tau.shape()[tau.ndim() - 1]) {
    return refused("input.shape[-1] must be greater than or equal to tau.shape[-1]");
  }
  if (tau.ndim() + 1 != a.ndim()) {
    return object::runtime_error(
        in,
        "torch.linalg.householder_product: Expected tau to have one dimension less than input, "
        "but got tau.ndim equal to {} and input.ndim is equal to {}",
        tau.ndim(), a.ndim());
  }
  const Dims wanted = batch_of(a), got(tau.shape().span().first(tau.ndim() - 1));
  if (!(wanted == got)) {
    return object::runtime_error(in,
                                 "torch.linalg.householder_product: Expected batch dimensions of tau to be equal to "
                                 "input.shape[:-2], but got [{}]",
                                 fmt::join(got.span(), ", "));
  }
  if (tau.dtype() != a.dtype()) {
    return object::runtime_error(in, "torch.linalg.householder_product: tau dtype {} does not match input dtype {}",
                                 tensor::info(tau.dtype()).scalar_name, tensor::info(a.dtype()).scalar_name);
  }
  return give_columns(call, a.shape(), a.dtype());
}

// Column k below the diagonal, with a 1 on it.
Term reflector(const Term& a, std::int64_t k) {
  if (!a.ok()) return a;
  const Dims batch = batch_of(a.tensor());
  const Term below = narrowed(narrowed(a, -1, k, 1), -2, k + 1, rows_of(a.tensor()) - k - 1);
  const Term one = apply(OpId::fill, {zeros_like(below, with_sizes(batch, {1, 1})), TermArgument(1)});
  const Term with_one = joined(one, below, -2);
  return k == 0 ? with_one : joined(zeros_like(below, with_sizes(batch, {k, 1})), with_one, -2);
}

// The gradients of the packed vectors and of tau, where `grad` came for Q times `on`: each reflection is taken off the
// product from the left, and off what stands right of it.
struct ReflectionGradients {
  Term packed, tau;
};
ReflectionGradients reflection_gradients(const Term& a, const Term& tau, Term grad, const Term& product) {
  if (!a.ok()) return {a, a};
  if (!tau.ok()) return {tau, tau};
  const std::int64_t rows = rows_of(a.tensor()), columns = columns_of(a.tensor());
  const std::int64_t count = tau.tensor().shape()[tau.tensor().ndim() - 1];
  Term rest = product, grad_a, grad_tau;
  for (std::int64_t k = 0; k < columns; ++k) {
    if (k >= count) {
      const Term unused = zeros_like(a, with_sizes(batch_of(a.tensor()), {rows, 1}));
      grad_a = grad_a.is_none() ? unused : joined(grad_a, unused, -1);
      continue;
    }
    const Term v = reflector(a, k), factor = as_column(narrowed(tau, -1, k, 1));
    // H^-1 = H^H / ... of a reflection whose tau is any number: 1 - s v v^H with s = tau / (tau v^H v - 1).
    const Term length = matmul(adjoint(v), v);
    const Term back = factor / (factor * length - 1.0);
    rest = rest - matmul(v * back, matmul(adjoint(v), rest));
    const Term grad_rest = matmul(adjoint(grad), v), rest_v = matmul(adjoint(rest), v);
    const Term to_tau = -matmul(adjoint(v), matmul(grad, rest_v));
    const Term to_v = -(matmul(grad, rest_v) * conj(factor) + matmul(rest, grad_rest) * factor);
    grad = grad - matmul(v * conj(factor), matmul(adjoint(v), grad));
    Term column = narrowed(to_v, -2, k + 1, rows - k - 1);
    column = joined(zeros_like(to_v, with_sizes(batch_of(a.tensor()), {k + 1, 1})), column, -2);
    grad_a = grad_a.is_none() ? column : joined(grad_a, column, -1);
    const Term flat = apply(OpId::squeeze, {to_tau, -1});
    grad_tau = grad_tau.is_none() ? flat : joined(grad_tau, flat, -1);
  }
  return {grad_a, grad_tau};
}

PyResult<void> householder_gradient(Backward& b) {
  const ReflectionGradients found = reflection_gradients(b.arg(0), b.arg(1), b.grad(), b.out());
  if (b.needs(0)) NNS_TRY(b.give(0, found.packed));
  return b.needs(1) ? b.give(1, found.tau) : PyResult<void>();
}

PyResult<void> ormqr_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& a = call.required(0);
  const Tensor& tau = call.required(1);
  const Tensor& c = call.required(2);
  const auto refused = [&](std::string_view text) { return object::runtime_error(in, "torch.ormqr: {}", text); };
  if (a.ndim() < 2) return refused("input must have at least 2 dimensions.");
  if (c.ndim() < 2) return refused("other must have at least 2 dimensions.");
  const std::int64_t side = call.flag(3) ? rows_of(c) : columns_of(c);
  const std::string_view which = call.flag(3) ? "-2" : "-1";
  const std::int64_t count = tau.ndim() == 0 ? 1 : tau.shape()[tau.ndim() - 1];
  if (side < count) {
    return object::runtime_error(in, "torch.ormqr: other.shape[{}] must be greater than or equal to tau.shape[-1]",
                                 which);
  }
  if (side != rows_of(a)) {
    return object::runtime_error(in, "torch.ormqr: other.shape[{}] must be equal to input.shape[-2]", which);
  }
  if (count > columns_of(a)) return refused("tau.shape[-1] must be less than or equal to input.shape[-1]");
  if (tau.ndim() + 1 != a.ndim()) {
    return object::runtime_error(in,
                                 "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim "
                                 "equal to {} and input.ndim is equal to {}",
                                 tau.ndim(), a.ndim());
  }
  if (a.ndim() != c.ndim()) {
    return object::runtime_error(in,
                                 "torch.ormqr: Expected other to have the same number of dimensions as input, but got "
                                 "other.ndim equal to {} and input.ndim is equal to {}",
                                 c.ndim(), a.ndim());
  }
  if (a.dtype() != c.dtype() || a.dtype() != tau.dtype()) {
    return object::runtime_error(
        in,
        "torch.ormqr: Expected input and {} to have the same dtype, but input has dtype {} and "
        "{} has dtype {}",
        a.dtype() != c.dtype() ? "other" : "tau", tensor::info(a.dtype()).scalar_name,
        a.dtype() != c.dtype() ? "other" : "tau", tensor::info((a.dtype() != c.dtype() ? c : tau).dtype()).scalar_name);
  }
  return give_columns(call, c.shape(), c.dtype());
}

// A, tau, C, left, transpose -> op(Q) C or C op(Q), where op gives Q or its adjoint.
PyResult<void> ormqr_gradient(Backward& b) {
  const bool left = b.flag(3), is_turned = b.flag(4);
  const Term grad = b.grad(), c = b.arg(2);
  if (b.needs(2)) NNS_TRY(b.give(2, apply(OpId::ormqr, {b.arg(0), b.arg(1), grad, left, !is_turned})));
  if (!b.needs(0) && !b.needs(1)) return {};
  // What comes to op(Q), and so to Q as a square matrix.
  Term to_q = left ? matmul(grad, adjoint(c)) : matmul(adjoint(c), grad);
  if (is_turned) to_q = adjoint(to_q);
  const Term unit = identity_like(grad, b.input(0).shape[b.input(0).shape.size() - 2]);
  NNS_TRY_ASSIGN(const Ref<Tensor> shaped, Term(to_q).take());
  const Term units = apply(OpId::expand, {unit, dims_value(b.interpreter(), shaped->shape())});
  const Term q = apply(OpId::ormqr, {b.arg(0), b.arg(1), units});
  const ReflectionGradients found = reflection_gradients(b.arg(0), b.arg(1), to_q, q);
  if (b.needs(0)) NNS_TRY(b.give(0, found.packed));
  return b.needs(1) ? b.give(1, found.tau) : PyResult<void>();
}

PyResult<Value> old_qr_of(OpCall& call) {
  call.interpreter.warn(
      object::ErrorKind::UserWarning,
      "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
      "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
      "Q, R = torch.qr(A, some)\nshould be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else "
      "'complete')");
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(call.interpreter, OpId::linalg_qr,
                          {call.args[0], call.interpreter.text(call.flag(1) ? "reduced" : "complete")}));
  return named_terms(call, {parts[0], parts[1]});
}

}  // namespace

template <>
OpBodies bodies<OpId::linalg_qr>() {
  return {.shape = qr_shape,
          .cpu = run_qr,
          .joint = qr_gradient,
          .joint_reads = result(0) | result(1),
          .result_fields = "Q R"};
}
template <>
OpBodies bodies<OpId::qr>() {
  return {.composite = old_qr_of, .result_fields = "Q R"};
}
template <>
OpBodies bodies<OpId::geqrf>() {
  return {.shape = geqrf_shape,
          .cpu = run_geqrf,
          .joint = [](Backward& b) -> PyResult<void> {
            return object::error<object::ErrorKind::NotImplementedError>(
                b.interpreter(), "the derivative for 'geqrf' is not implemented.");
          },
          .result_fields = "a tau"};
}
template <>
OpBodies bodies<OpId::linalg_householder_product>() {
  return {.shape = householder_shape,
          .cpu = run_householder,
          .joint = householder_gradient,
          .joint_reads = argument(0) | argument(1) | result()};
}
template <>
OpBodies bodies<OpId::orgqr>() {
  return {.composite = [](OpCall& call) {
    return call_op(call.interpreter, OpId::linalg_householder_product, {call.args[0], call.args[1]});
  }};
}
template <>
OpBodies bodies<OpId::ormqr>() {
  return {.shape = ormqr_shape,
          .cpu = run_ormqr,
          .joint = ormqr_gradient,
          .joint_reads = argument(0) | argument(1) | argument(2)};
}

}  // namespace nns::ops
