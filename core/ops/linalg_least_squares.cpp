#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/object/str.h"
#include "core/ops/linalg.h"
#include "core/ops/linalg_kernels.h"
#include "core/ops/promotion.h"

// What is known of matrices by their singular values: rank, condition, the pseudo-inverse; and least squares.
// Behaviour: aten/src/ATen/native/LinearAlgebra.cpp, BatchLinearAlgebra.cpp (linalg_lstsq); gradients:
// torch/csrc/autograd/FunctionsManual.cpp (pinv_backward, linalg_lstsq_backward).
namespace nns::ops {
namespace {

struct Tolerances {
  Term absolute, relative;
};

Term number_like(const Term& like, double value) {
  const Tensor& x = like.tensor();
  const DType dtype = tensor::is_differentiable(x.dtype()) ? real_dtype_of(x.dtype()) : DType::Float64;
  return tensor::full(x.interpreter(), Dims(), value, dtype, x.device());
}
double usual_tolerance(const Tensor& a) {
  return epsilon_of(a.dtype()) * static_cast<double>(std::max(rows_of(a), columns_of(a)));
}

// Without a relative one: the usual, or none where an absolute one is given.
Tolerances tolerances_of(const Term& a, const Value& absolute, const Value& relative) {
  const auto given = [&](const Value& value) {
    return value.as<Tensor>() != nullptr ? Term(Ref<Tensor>(value.as<Tensor>()))
                                         : number_like(a, value.is_none() ? 0 : Number::of(value).as_double());
  };
  Tolerances made{given(absolute), given(relative)};
  if (!relative.is_none()) return made;
  const double usual = usual_tolerance(a.tensor());
  made.relative =
      absolute.is_none() ? number_like(a, usual) : where(gt(made.absolute, 0.0), 0.0, number_like(a, usual));
  return made;
}

// Sizes of singular values (or of eigenvalues), and below which of them they count as zero.
struct Values {
  Term sizes, least;
};
Values values_above(const Term& sizes, const Tolerances& tolerances) {
  if (!sizes.ok()) return {sizes, sizes};
  Interpreter& in = sizes.tensor().interpreter();
  const Term largest = apply(OpId::amax, {sizes, TermArgument(dims_value(in, Dims({-1}))), true});
  return {sizes, apply(OpId::maximum, {as_column(tolerances.absolute), as_column(tolerances.relative) * largest})};
}

PyResult<void> pinv_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  return call.give(with_sizes(batch_of(a), {columns_of(a), rows_of(a)}), a.dtype());
}

PyResult<Term> pseudo_inverse(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Term a = term_at(call, 0);
  const Tolerances tolerances{term_at(call, 1), term_at(call, 2)};
  const DType dtype = call.required(0).dtype();
  const auto inverted = [&](const Term& values, const Values& found) {
    return as_dtype(where(gt(found.sizes, found.least), reciprocal(values), 0.0), dtype);
  };
  if (call.flag(3)) {
    NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(in, OpId::linalg_eigh, {call.args[0]}));
    const Values found = values_above(apply(OpId::abs, {parts[0]}), tolerances);
    return matmul(parts[1] * as_row(inverted(parts[0], found)), adjoint(parts[1]));
  }
  NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(in, OpId::linalg_svd_parts, {call.args[0]}));
  const Values found = values_above(parts[1], tolerances);
  return matmul(adjoint(parts[2]) * as_row(inverted(parts[1], found)), adjoint(parts[0]));
}
PyResult<void> run_pinv(OpCall& call) {
  if (call.output().numel() == 0) return {};
  GradModeGuard no_grad(call.interpreter, false);
  NNS_TRY_ASSIGN(const Term made, pseudo_inverse(call));
  NNS_TRY_ASSIGN(const Ref<Tensor> items, Term(made).take());
  return tensor::copy_items(call.output(), *items);
}

// The gradient of a matrix where `grad` came for its pseudo-inverse.
Term pinv_gradient(const Term& grad, const Term& inverse, const Term& a) {
  if (!a.ok()) return a;
  const Term turned = adjoint(grad), inverse_turned = adjoint(inverse);
  if (rows_of(a.tensor()) <= columns_of(a.tensor())) {
    const Term k = matmul(turned, inverse), moved = matmul(k, inverse_turned);
    return moved - adjoint(matmul(inverse, k)) - matmul(matmul(a, inverse), moved) +
           matmul(matmul(inverse_turned, inverse), turned - matmul(k, a));
  }
  const Term k = matmul(inverse, turned), moved = matmul(inverse_turned, k);
  return matmul(turned - matmul(a, k), matmul(inverse, inverse_turned)) - adjoint(matmul(k, inverse)) + moved -
         matmul(matmul(moved, inverse), a);
}

PyResult<Value> pinv_of(OpCall& call, const Value& absolute, const Value& relative, const Value& is_hermitian) {
  const Tensor& a = call.required(0);
  if (a.ndim() < 2 || !tensor::is_differentiable(a.dtype())) {
    return object::runtime_error(
        call.interpreter,
        "linalg.pinv({}{{[{}]}}): expected a tensor with 2 or more dimensions of float, double, "
        "cfloat or cdouble types",
        tensor::info(a.dtype()).scalar_name, fmt::join(a.shape().span(), ", "));
  }
  const Tolerances tolerances = tolerances_of(term_at(call, 0), absolute, relative);
  return value_of(apply(OpId::linalg_pinv_parts,
                        {term_at(call, 0), tolerances.absolute, tolerances.relative, TermArgument(is_hermitian)}));
}

PyResult<Value> rank_of(OpCall& call, const Value& absolute, const Value& relative, bool is_hermitian) {
  Interpreter& in = call.interpreter;
  const Tensor& a = call.required(0);
  NNS_TRY(check_matrices(in, a, "torch.linalg.matrix_rank", "input"));
  GradModeGuard no_grad(in, false);
  if (a.numel() == 0) return Value(tensor::zeros(in, batch_of(a), DType::Int64, a.device()));
  const Tolerances tolerances = tolerances_of(term_at(call, 0), absolute, relative);
  const Term values = is_hermitian ? apply(OpId::abs, {apply(OpId::linalg_eigvalsh, {term_at(call, 0)})})
                                   : apply(OpId::linalg_svdvals, {term_at(call, 0)});
  const Values found = values_above(values, tolerances);
  return value_of(sum_over(gt(found.sizes, found.least), {-1}));
}

PyResult<void> lstsq_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  const bool is_vector = is_vector_system(a.shape(), b.shape());
  const Dims own(b.shape().span().first(b.ndim() - (is_vector ? 1 : 2)));
  NNS_TRY_ASSIGN(const Dims batch, broadcast_shapes(call.interpreter, batch_of(a), own));
  const std::int64_t least = std::min(rows_of(a), columns_of(a));
  const std::string_view driver = call.args[3].as<object::Str>()->view();
  const Dims none({0});
  NNS_TRY(call.give(is_vector ? with_sizes(batch, {columns_of(a)}) : with_sizes(batch, {columns_of(a), columns_of(b)}),
                    a.dtype()));
  NNS_TRY(call.give(driver == "gels" ? none : batch, DType::Int64));
  return call.give(driver == "gelsd" || driver == "gelss" ? with_sizes(batch, {least}) : none,
                   real_dtype_of(a.dtype()));
}
// X is the pseudo-inverse of A times B.
PyResult<void> lstsq_gradient(Backward& b) {
  const Term a = b.arg(0);
  const bool is_vector = is_vector_system(b.input(0).shape, b.input(1).shape);
  const Term grad = is_vector ? as_column(b.grad()) : b.grad(), right = is_vector ? as_column(b.arg(1)) : b.arg(1);
  const Term inverse = apply(OpId::linalg_pinv_tensors, {a});
  if (b.needs(0)) NNS_TRY(b.give(0, pinv_gradient(matmul(grad, adjoint(right)), inverse, a)));
  if (!b.needs(1)) return {};
  const Term made = matmul(adjoint(inverse), grad);
  return b.give(1, is_vector ? apply(OpId::squeeze, {made, -1}) : made);
}

// Whether each matrix has as many independent columns as columns.
bool all_have_rank(const Tensor& ranks, std::int64_t rank) {
  bool all = true;
  tensor::for_each_place(ranks, [&](std::int64_t place) { all = all && tensor::read_int64(ranks, place) == rank; });
  return all;
}

PyResult<void> check_least_squares(OpCall& call, std::string_view driver) {
  Interpreter& in = call.interpreter;
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  const auto refused = [&](std::string_view text) { return object::runtime_error(in, "torch.linalg.lstsq: {}", text); };
  if (a.ndim() < 2) return refused("input must have at least 2 dimensions.");
  if (b.ndim() < 1) return refused("other must have at least 1 dimension.");
  if (a.dtype() != b.dtype()) {
    return object::runtime_error(in,
                                 "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's "
                                 "dtype {} and other's dtype {}",
                                 tensor::info(a.dtype()).scalar_name, tensor::info(b.dtype()).scalar_name);
  }
  if (a.ndim() < b.ndim() || a.ndim() - b.ndim() > 1) {
    return refused("input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
  }
  const bool is_vector = is_vector_system(a.shape(), b.shape());
  if (rows_of(a) != (is_vector ? b.shape()[b.ndim() - 1] : rows_of(b))) {
    return refused(is_vector ? "input.size(-2) should match other.size(-1)"
                             : "input.size(-2) should match other.size(-2)");
  }
  if (driver != "gels" && driver != "gelsy" && driver != "gelsd" && driver != "gelss") {
    return refused("parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  }
  return check_fractional(in, a, "torch.linalg.lstsq", false);
}

PyResult<Value> lstsq_of(OpCall& call) {
  Interpreter& in = call.interpreter;
  const std::string driver(call.is_none(3) ? "gelsy" : call.args[3].as<object::Str>()->view());
  NNS_TRY(check_least_squares(call, driver));
  const Tensor& a = call.required(0);
  const double rcond = call.is_none(2) ? usual_tolerance(a) : call.real(2);
  NNS_TRY_ASSIGN(const std::vector<Term> parts,
                 parts_of(in, OpId::linalg_lstsq_parts, {call.args[0], call.args[1], Value(rcond), in.text(driver)}));
  const Term& x = parts[0];
  Term residuals = tensor::empty(in, Dims({0}), real_dtype_of(a.dtype()), a.device());
  bool has_residuals = rows_of(a) > columns_of(a) && driver != "gelsy" && !a.is_meta();
  if (has_residuals && driver != "gels") {
    note_reading("linalg.lstsq()");
    NNS_TRY_ASSIGN(const Ref<Tensor> ranks, tensor::on_host(parts[1].tensor()));
    has_residuals = all_have_rank(*ranks, columns_of(a));
  }
  if (has_residuals) {
    const bool is_vector = is_vector_system(a.shape(), call.required(1).shape());
    const Term column = is_vector ? as_column(x) : x;
    const Term right = is_vector ? as_column(term_at(call, 1)) : term_at(call, 1);
    residuals = sum_over(square(apply(OpId::abs, {matmul(term_at(call, 0), column) - right})), {-2});
    if (is_vector) residuals = apply(OpId::squeeze, {residuals, -1});
  }
  return named_terms(call, {x, residuals, parts[1], parts[2]});
}

// The norm of the matrix times that of its inverse, which is infinite where there is none.
PyResult<Value> cond_by_inverse(OpCall& call, OpId norm, const Value& order) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const std::vector<Term> parts, parts_of(in, OpId::linalg_inv_ex, {call.args[0]}));
  const Term is_singular = as_column(as_column(gt(parts[1], 0)));
  const double infinite = std::numeric_limits<double>::infinity();
  const Term inverse = apply(OpId::masked_fill, {parts[0], is_singular, infinite});
  const Term product =
      apply(norm, {term_at(call, 0), TermArgument(order)}) * apply(norm, {inverse, TermArgument(order)});
  return value_of(apply(OpId::nan_to_num, {product, infinite, infinite, -infinite}));
}

PyResult<Value> cond_by_number(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& a = call.required(0);
  if (a.ndim() < 2) return object::runtime_error(in, "linalg.cond: The input tensor must have at least 2 dimensions.");
  const double order = call.is_none(1) ? 2 : call.real(1);
  if (std::abs(order) != 2 && std::abs(order) != 1 && !std::isinf(order)) {
    return object::runtime_error(in, "linalg.cond got an invalid norm type: {}", order);
  }
  if (a.numel() == 0) return Value(tensor::zeros(in, batch_of(a), real_dtype_of(a.dtype()), a.device()));
  if (std::abs(order) == 2) {
    const Term values = apply(OpId::linalg_svdvals, {term_at(call, 0)});
    const Term largest = apply(OpId::select, {values, -1, 0}), least = apply(OpId::select, {values, -1, -1});
    return value_of(order > 0 ? largest / least : least / largest);
  }
  NNS_TRY(check_square(in, a, fmt::format("linalg.cond(ord={})", order)));
  return cond_by_inverse(call, OpId::linalg_matrix_norm, call.args[1]);
}
PyResult<Value> cond_by_word(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& a = call.required(0);
  const std::string_view order = call.args[1].as<object::Str>()->view();
  if (a.ndim() < 2) return object::runtime_error(in, "linalg.cond: The input tensor must have at least 2 dimensions.");
  if (order != "fro" && order != "nuc") {
    return object::runtime_error(in, "linalg.cond got an invalid norm type: {}", order);
  }
  NNS_TRY(check_square(in, a, fmt::format("linalg.cond(ord={})", order)));
  if (a.numel() == 0) return Value(tensor::zeros(in, batch_of(a), real_dtype_of(a.dtype()), a.device()));
  if (order == "fro") return cond_by_inverse(call, OpId::linalg_matrix_norm_str, call.args[1]);
  const Term values = apply(OpId::linalg_svdvals, {term_at(call, 0)});
  return value_of(sum_over(values, {-1}) * sum_over(reciprocal(values), {-1}));
}

OpBodies composite_of(CompositeBody body) { return {.composite = body}; }

}  // namespace

template <>
OpBodies bodies<OpId::linalg_pinv_parts>() {
  return {.shape = pinv_shape, .cpu = run_pinv, .gradients = {Gradient{0, argument(0) | result(), [](Backward& b) {
                                                                         return pinv_gradient(b.grad(), b.out(),
                                                                                              b.arg(0));
                                                                       }}}};
}
template <>
OpBodies bodies<OpId::linalg_pinv_tensors>() {
  return composite_of([](OpCall& call) { return pinv_of(call, call.args[1], call.args[2], call.args[3]); });
}
template <>
OpBodies bodies<OpId::linalg_pinv_floats>() {
  return composite_of([](OpCall& call) { return pinv_of(call, call.args[1], call.args[2], call.args[3]); });
}
template <>
OpBodies bodies<OpId::linalg_pinv>() {
  return composite_of([](OpCall& call) { return pinv_of(call, Value(0.0), call.args[1], call.args[2]); });
}
template <>
OpBodies bodies<OpId::linalg_pinv_rcond_tensor>() {
  return composite_of([](OpCall& call) { return pinv_of(call, Value(0.0), call.args[1], call.args[2]); });
}
template <>
OpBodies bodies<OpId::pinverse>() {
  return composite_of([](OpCall& call) { return pinv_of(call, Value(0.0), call.args[1], Value(false)); });
}
template <>
OpBodies bodies<OpId::linalg_matrix_rank_tensors>() {
  return composite_of([](OpCall& call) { return rank_of(call, call.args[1], call.args[2], call.flag(3)); });
}
template <>
OpBodies bodies<OpId::linalg_matrix_rank_floats>() {
  return composite_of([](OpCall& call) { return rank_of(call, call.args[1], call.args[2], call.flag(3)); });
}
template <>
OpBodies bodies<OpId::linalg_matrix_rank>() {
  return composite_of([](OpCall& call) { return rank_of(call, call.args[1], Value(0.0), call.flag(2)); });
}
template <>
OpBodies bodies<OpId::linalg_matrix_rank_tol_tensor>() {
  return composite_of([](OpCall& call) { return rank_of(call, call.args[1], Value(0.0), call.flag(2)); });
}
template <>
OpBodies bodies<OpId::linalg_lstsq_parts>() {
  return {.shape = lstsq_shape,
          .cpu = run_lstsq,
          .joint = lstsq_gradient,
          .joint_reads = argument(0) | argument(1),
          .differentiable_outputs = 1,
          .result_fields = "solution rank singular_values"};
}
template <>
OpBodies bodies<OpId::linalg_lstsq>() {
  return {
      .composite = lstsq_of, .differentiable_outputs = 2, .result_fields = "solution residuals rank singular_values"};
}
template <>
OpBodies bodies<OpId::linalg_cond>() {
  return composite_of(cond_by_number);
}
template <>
OpBodies bodies<OpId::linalg_cond_str>() {
  return composite_of(cond_by_word);
}

}  // namespace nns::ops
