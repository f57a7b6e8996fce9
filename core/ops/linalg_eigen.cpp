#include "core/object/str.h"
#include "core/ops/linalg.h"
#include "core/ops/linalg_kernels.h"

// Eigenvalues and eigenvectors, and the exponential of a matrix.
// Behaviour: aten/src/ATen/native/BatchLinearAlgebra.cpp; gradients: torch/csrc/autograd/FunctionsManual.cpp
// (linalg_eig_backward, linalg_matrix_exp_differential).
namespace nns::ops {
namespace {

PyResult<void> eigh_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, "linalg.eigh"));
  const std::string_view triangle = call.args[1].as<object::Str>()->view();
  if (triangle != "L" && triangle != "U" && triangle != "l" && triangle != "u") {
    return object::runtime_error(call.interpreter, "Expected UPLO argument to be 'L' or 'U', but got {}", triangle);
  }
  NNS_TRY(call.give(with_sizes(batch_of(a), {columns_of(a)}), real_dtype_of(a.dtype())));
  return call.flag(2) ? give_columns(call, a.shape(), a.dtype()) : call.give(Dims({0}), a.dtype());
}

PyResult<void> eig_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, call.flag(1) ? "linalg.eig" : "linalg.eigvals"));
  if (!tensor::is_floating(a.dtype()) && !tensor::is_complex(a.dtype())) {
    return object::runtime_error(call.interpreter, "Input tensor must be floating point or complex, but got {}",
                                 tensor::info(a.dtype()).scalar_name);
  }
  const DType dtype = complex_dtype_of(a.dtype());
  NNS_TRY(call.give(with_sizes(batch_of(a), {columns_of(a)}), dtype));
  return call.flag(1) ? give_columns(call, a.shape(), dtype) : call.give(Dims({0}), dtype);
}

// A loss may not depend on the phase of an eigenvector.
PyResult<void> check_phase(Backward& b, const Term& diagonal, std::string_view name) {
  note_reading("the gradient of eigenvectors");
  GradModeGuard no_grad(b.interpreter(), false);
  const Term most = apply(OpId::max, {apply(OpId::abs, {apply(OpId::imag, {diagonal})})});
  NNS_TRY_ASSIGN(const Ref<Tensor> found, Term(most).take());
  if (found->is_meta() || !(tensor::read_double(*found, found->offset()) > 1e-2)) return {};
  return object::runtime_error(b.interpreter(),
                               "{}: The eigenvectors in the complex case are specified up to multiplication by "
                               "e^{{i phi}}. The specified loss function depends on this quantity, so it is "
                               "ill-defined.",
                               name);
}

// A, kind, has_vectors -> L, V. Of Hermitian matrices the inverse of V is its adjoint.
PyResult<void> eigen_gradient(Backward& b, bool is_hermitian, bool has_vectors) {
  if (!b.needs(0)) return {};
  const std::string_view name = is_hermitian ? "linalg_eigh_backward" : "linalg_eig_backward";
  if (!has_vectors) {
    return object::runtime_error(
        b.interpreter(),
        "{}: torch.linalg.{}(A, compute_v=False) cannot be used in backward, as it does not compute the eigenvectors",
        name, is_hermitian ? "eigh" : "eig");
  }
  const Term values = b.out(0), v = b.out(1), vh = adjoint(v);
  NNS_TRY_ASSIGN(const Ref<Tensor> vectors, Term(v).take());
  const DType dtype = vectors->dtype();
  const auto conjugated = [&](const Term& inner) {
    return is_hermitian ? matmul(v, matmul(inner, vh)) : solved(vh, matmul(inner, vh));
  };
  if (!b.has_grad(1)) {
    const Term grad = as_dtype(b.grad(0), dtype);
    return b.give(0, is_hermitian ? matmul(v * as_row(grad), vh) : conjugated(diagonal_matrix(grad)));
  }
  Term product = matmul(vh, b.grad(1));
  const Term diagonal = diagonal_of(product);
  if (tensor::is_complex(dtype) && vectors->numel() > 0) NNS_TRY(check_phase(b, diagonal, name));
  if (is_hermitian) {
    // The vectors stay orthogonal.
    product = (product - adjoint(product)) * 0.5;
  } else {
    // An eigenvector keeps its length.
    product = product - matmul(vh, v * as_row(as_dtype(apply(OpId::real, {diagonal}), dtype)));
  }
  const Term rates = is_hermitian ? as_dtype(values, dtype) : conj(values);
  const Term distances = as_row(rates) - as_column(rates) + identity_like(v, columns_of(*vectors));
  Term inner = product / distances;
  inner = inner - diagonal_matrix(diagonal_of(inner));
  if (b.has_grad(0)) inner = inner + diagonal_matrix(as_dtype(b.grad(0), dtype));
  return b.give(0, conjugated(inner));
}

bool asks_gradient(const OpCall& call) {
  return OpLibrary::of(call.interpreter).grad_mode.is_enabled && needs_gradient(call.required(0));
}

PyResult<Value> eig_of(OpCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(call.interpreter, OpId::linalg_eig_parts, {call.args[0], Value(true)}));
  return named_terms(call, {parts[0], parts[1]});
}
PyResult<Value> eigvals_of(OpCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(call.interpreter, OpId::linalg_eig_parts, {call.args[0], Value(asks_gradient(call))}));
  return value_of(parts[0]);
}
PyResult<Value> eigh_of(OpCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(call.interpreter, OpId::linalg_eigh_parts, {call.args[0], call.args[1], Value(true)}));
  return named_terms(call, {parts[0], parts[1]});
}
PyResult<Value> eigvalsh_of(OpCall& call) {
  NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(call.interpreter, OpId::linalg_eigh_parts,
                                                         {call.args[0], call.args[1], Value(asks_gradient(call))}));
  return value_of(parts[0]);
}

PyResult<void> matrix_exp_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, "linalg.matrix_exp"));
  NNS_TRY(check_fractional(call.interpreter, a, "matrix_exp"));
  return call.give(a.shape(), a.dtype());
}

// The exponential of [[A^H, G], [0, A^H]] has it in its corner.
Term matrix_exp_gradient(Backward& b) {
  const Term turned = adjoint(b.arg(0)), grad = b.grad();
  if (!turned.ok() || !grad.ok()) return turned.ok() ? grad : turned;
  const std::int64_t size = columns_of(turned.tensor());
  const Term above = joined(turned, grad, -1), below = joined(zeros_like(turned, turned.tensor().shape()), turned, -1);
  const Term made = apply(OpId::linalg_matrix_exp, {joined(above, below, -2)});
  return narrowed(narrowed(made, -2, 0, size), -1, size, size);
}

}  // namespace

template <>
OpBodies bodies<OpId::linalg_eigh_parts>() {
  return {.shape = eigh_shape,
          .cpu = run_eigh,
          .joint = [](Backward& b) { return eigen_gradient(b, true, b.flag(2)); },
          .joint_reads = result(0) | result(1),
          .result_fields = "eigenvalues eigenvectors"};
}
template <>
OpBodies bodies<OpId::linalg_eigh>() {
  return {.composite = eigh_of, .result_fields = "eigenvalues eigenvectors"};
}
template <>
OpBodies bodies<OpId::linalg_eigvalsh>() {
  return {.composite = eigvalsh_of};
}
template <>
OpBodies bodies<OpId::linalg_eig_parts>() {
  return {.shape = eig_shape,
          .cpu = run_eig,
          .joint = [](Backward& b) { return eigen_gradient(b, false, b.flag(1)); },
          .joint_reads = result(0) | result(1),
          .result_fields = "eigenvalues eigenvectors"};
}
template <>
OpBodies bodies<OpId::linalg_eig>() {
  return {.composite = eig_of, .result_fields = "eigenvalues eigenvectors"};
}
template <>
OpBodies bodies<OpId::linalg_eigvals>() {
  return {.composite = eigvals_of};
}
template <>
OpBodies bodies<OpId::linalg_matrix_exp>() {
  return {
      .shape = matrix_exp_shape, .cpu = run_matrix_exp, .gradients = {Gradient{0, argument(0), matrix_exp_gradient}}};
}
template <>
OpBodies bodies<OpId::matrix_exp>() {
  return {.composite = [](OpCall& call) { return call_op(call.interpreter, OpId::linalg_matrix_exp, call.args); }};
}

}  // namespace nns::ops
