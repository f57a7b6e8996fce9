#include <algorithm>

#include "core/ops/linalg.h"
#include "core/ops/linalg_kernels.h"

// A = U S V^H.
// Behaviour: aten/src/ATen/native/BatchLinearAlgebra.cpp; gradients: torch/csrc/autograd/FunctionsManual.cpp
// (svd_backward).
namespace nns::ops {
namespace {

PyResult<void> svd_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  if (a.ndim() < 2) {
    return object::runtime_error(call.interpreter,
                                 "linalg.svd: input should have at least 2 dimensions, but has {} dimensions instead",
                                 a.ndim());
  }
  NNS_TRY(check_fractional(call.interpreter, a, "linalg.svd"));
  const std::int64_t rows = rows_of(a), columns = columns_of(a), least = std::min(rows, columns);
  const Dims batch = batch_of(a);
  const bool is_full = call.flag(1), has_vectors = call.flag(2);
  if (has_vectors)
    NNS_TRY(give_columns(call, with_sizes(batch, {rows, is_full ? rows : least}), a.dtype()));
  else
    NNS_TRY(call.give(Dims({0}), a.dtype()));
  NNS_TRY(call.give(with_sizes(batch, {least}), real_dtype_of(a.dtype())));
  if (has_vectors) return give_columns(call, with_sizes(batch, {is_full ? columns : least, columns}), a.dtype());
  return call.give(Dims({0}), a.dtype());
}

Term skewed(const Term& x) { return x - adjoint(x); }

// A loss may not depend on the phase that a pair of singular vectors has.
PyResult<void> check_phase(Backward& b, const Term& of_u, const Term& of_v) {
  const auto phase = [](const Term& x) { return apply(OpId::imag, {diagonal_of(x)}); };
  Term sum;
  if (!of_u.is_none()) sum = phase(of_u);
  if (!of_v.is_none()) sum = sum.is_none() ? phase(of_v) : sum + phase(of_v);
  note_reading("the gradient of singular vectors");
  GradModeGuard no_grad(b.interpreter(), false);
  const Term most = apply(OpId::max, {apply(OpId::abs, {sum})});
  NNS_TRY_ASSIGN(const Ref<Tensor> found, Term(most).take());
  if (found->is_meta() || !(tensor::read_double(*found, found->offset()) > 1e-2)) return {};
  return object::runtime_error(b.interpreter(),
                               "svd_backward: The singular vectors in the complex case are specified up to "
                               "multiplication by e^{{i phi}}. The specified loss function depends on this phase term, "
                               "making it ill-defined.");
}

PyResult<void> svd_gradient(Backward& b) {
  if (!b.needs(0)) return {};
  const Dims& shape = b.input(0).shape;
  const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1], least = std::min(rows, columns);
  if (!b.flag(2)) {
    return object::runtime_error(
        b.interpreter(),
        "svd_backward: Setting compute_uv to false in torch.svd doesn't compute singular matrices, and hence we cannot "
        "compute backward. Please use torch.svd(compute_uv=True)");
  }
  const Term u = narrowed(b.out(0), -1, 0, least), vh = narrowed(b.out(2), -2, 0, least), s = b.out(1);
  const Term grad_u = b.has_grad(0) ? narrowed(b.grad(0), -1, 0, least) : Term();
  const Term grad_v = b.has_grad(2) ? narrowed(b.grad(2), -2, 0, least) : Term();
  const DType dtype = b.input(0).dtype;
  const Term values = as_dtype(s, dtype);
  if (grad_u.is_none() && grad_v.is_none()) {
    return b.give(0, matmul(u, as_column(as_dtype(b.grad(1), dtype)) * vh));
  }
  Term of_u, of_v;
  if (!grad_u.is_none()) of_u = skewed(matmul(adjoint(u), grad_u));
  if (!grad_v.is_none()) of_v = skewed(matmul(vh, adjoint(grad_v)));
  if (tensor::is_complex(dtype) && element_count(s.tensor().shape()) > 0) NNS_TRY(check_phase(b, of_u, of_v));
  // The distances of the squares of singular values; on the diagonal nothing is divided.
  const Term distances = as_dtype(
      (as_row(s) - as_column(s)) * (as_row(s) + as_column(s)) + as_dtype(identity_like(s, least), s.tensor().dtype()),
      dtype);
  Term inner;
  if (!of_u.is_none()) inner = of_u / distances * as_row(values);
  if (!of_v.is_none()) {
    const Term part = as_column(values) * (of_v / distances);
    inner = inner.is_none() ? part : inner + part;
  }
  // The diagonal: of a real matrix only what came to the singular values.
  inner = inner - diagonal_matrix(diagonal_of(inner));
  if (b.has_grad(1)) inner = inner + diagonal_matrix(as_dtype(b.grad(1), dtype));
  if (tensor::is_complex(dtype) && !of_u.is_none()) inner = inner + diagonal_matrix(diagonal_of(of_u) / (values * 2.0));
  Term gradient = matmul(matmul(u, inner), vh);
  if (rows > least && !grad_u.is_none()) {
    const Term scaled = grad_u / as_row(values);
    gradient = gradient + matmul(scaled - matmul(u, matmul(adjoint(u), scaled)), vh);
  }
  if (columns > least && !grad_v.is_none()) {
    const Term scaled = grad_v / as_column(values);
    gradient = gradient + matmul(u, scaled - matmul(matmul(scaled, adjoint(vh)), vh));
  }
  return b.give(0, gradient);
}

PyResult<void> check_driver(OpCall& call, std::size_t driver) {
  if (call.is_none(driver)) return {};
  return object::runtime_error(
      call.interpreter,
      "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.");
}

PyResult<Value> svdvals_of(OpCall& call) {
  NNS_TRY(check_driver(call, 1));
  // Their gradient asks for the vectors, too.
  const bool has_vectors = OpLibrary::of(call.interpreter).grad_mode.is_enabled && needs_gradient(call.required(0));
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(call.interpreter, OpId::linalg_svd_parts, {call.args[0], Value(false), Value(has_vectors)}));
  return value_of(parts[1]);
}

PyResult<Value> old_svd_of(OpCall& call) {
  if (call.required(0).ndim() < 2) {
    return object::runtime_error(call.interpreter,
                                 "linalg.svd: input should have at least 2 dimensions, but has {} dimensions instead",
                                 call.required(0).ndim());
  }
  if (call.flag(2)) {
    NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(call.interpreter, OpId::linalg_svd_parts,
                                                           {call.args[0], Value(!call.flag(1)), Value(true)}));
    return named_terms(call, {parts[0], parts[1], adjoint(parts[2])});
  }
  const Term values = apply(OpId::linalg_svdvals, {term_at(call, 0)});
  const Tensor& a = call.required(0);
  const auto zeros = [&](std::int64_t size) {
    return zeros_like(term_at(call, 0), with_sizes(batch_of(a), {size, size}));
  };
  return named_terms(call, {zeros(rows_of(a)), values, zeros(columns_of(a))});
}

}  // namespace

template <>
OpBodies bodies<OpId::linalg_svd_parts>() {
  return {.shape = svd_shape,
          .cpu = run_svd,
          .joint = svd_gradient,
          .joint_reads = result(0) | result(1) | result(2),
          .result_fields = "U S Vh"};
}
template <>
OpBodies bodies<OpId::linalg_svd>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
            NNS_TRY(check_driver(call, 2));
            NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(call.interpreter, OpId::linalg_svd_parts,
                                                                   {call.args[0], call.args[1], Value(true)}));
            return named_terms(call, {parts[0], parts[1], parts[2]});
          },
          .result_fields = "U S Vh"};
}
template <>
OpBodies bodies<OpId::linalg_svdvals>() {
  return {.composite = svdvals_of};
}
template <>
OpBodies bodies<OpId::svd>() {
  return {.composite = old_svd_of, .result_fields = "U S V"};
}

}  // namespace nns::ops
