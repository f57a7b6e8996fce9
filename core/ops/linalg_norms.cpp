#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "core/object/str.h"
#include "core/ops/linalg.h"

// Norms of vectors and matrices.
// Behaviour: aten/src/ATen/native/LinearAlgebra.cpp (linalg_vector_norm, linalg_matrix_norm, linalg_norm);
// torch/functional.py, norm.
namespace nns::ops {
namespace {

std::string list_text(const Dims& dims) { return fmt::format("[{}]", fmt::join(dims.span(), ", ")); }

// In another dtype first, if one is given; sizes in place of complex numbers.
Term prepared(const Value& x, const Value& dtype) {
  const Term made = Ref<Tensor>(x.as<Tensor>());
  return dtype.is_none() ? made : apply(OpId::to_dtype, {made, TermArgument(dtype)});
}
Term sizes_of_items(const Term& x) { return is_complex_term(x) ? apply(OpId::abs, {x}) : x; }

// The order, the dimensions and whether they are kept, of x.
PyResult<Value> vector_norm(Interpreter& in, const Value& x, const Value& order, const Value& dims, const Value& keeps,
                            const Value& dtype) {
  NNS_TRY_ASSIGN(const Value items, value_of(sizes_of_items(prepared(x, dtype))));
  return call_op(in, OpId::norm, {items, order, dims, keeps});
}

struct MatrixDims {
  std::int64_t rows = -2, columns = -1;
  bool keeps = false;
};

// The sum of the sizes along one dimension of a matrix, of these the largest or the smallest along the other.
Term sum_norm(const Term& x, const MatrixDims& dims, bool sums_rows, bool largest) {
  const std::int64_t summed = sums_rows ? dims.rows : dims.columns, chosen = sums_rows ? dims.columns : dims.rows;
  const Term sums = sum_over(apply(OpId::abs, {x}), {summed}, true);
  if (!sums.ok()) return sums;
  Interpreter& in = sums.tensor().interpreter();
  const Term most =
      apply(largest ? OpId::amax : OpId::amin, {sums, TermArgument(dims_value(in, Dims({chosen}))), true});
  if (dims.keeps) return most;
  return apply(OpId::squeeze, {most, TermArgument(dims_value(in, Dims({summed, chosen})))});
}

enum class OfValues : std::uint8_t { Sum, Largest, Smallest };

// What is taken of the singular values.
Term value_norm(const Term& x, const MatrixDims& dims, OfValues which) {
  if (!x.ok()) return x;
  Interpreter& in = x.tensor().interpreter();
  std::vector<std::int64_t> order;
  for (std::size_t dim = 0; dim < x.tensor().ndim(); ++dim) {
    const auto at = static_cast<std::int64_t>(dim);
    if (at != dims.rows && at != dims.columns) order.push_back(at);
  }
  order.insert(order.end(), {dims.rows, dims.columns});
  const Term values =
      apply(OpId::linalg_svdvals, {apply(OpId::permute, {x, TermArgument(dims_value(in, Dims(order)))})});
  const TermArgument last(dims_value(in, Dims({-1})));
  Term made = which == OfValues::Sum ? sum_over(values, {-1})
                                     : apply(which == OfValues::Largest ? OpId::amax : OpId::amin, {values, last});
  if (!dims.keeps) return made;
  for (const std::int64_t dim : {std::min(dims.rows, dims.columns), std::max(dims.rows, dims.columns)}) {
    made = apply(OpId::unsqueeze, {made, dim});
  }
  return made;
}

// What is asked of a matrix norm, checked.
PyResult<MatrixDims> matrix_dims(Interpreter& in, const Term& x, const Value& dims, const Value& keeps) {
  const Tensor& a = x.tensor();
  NNS_TRY(check_matrices(in, a, "linalg.matrix_norm"));
  NNS_TRY(check_fractional(in, a, "linalg.matrix_norm"));
  const Dims given = dims.is_none() ? Dims({-2, -1}) : dims_of(dims);
  if (given.size() != 2) {
    return object::runtime_error(in, "linalg.matrix_norm: dim must be a 2-tuple. Got {}", list_text(given));
  }
  NNS_TRY_ASSIGN(const std::size_t rows, checked_dimension(in, given[0], a.ndim()));
  NNS_TRY_ASSIGN(const std::size_t columns, checked_dimension(in, given[1], a.ndim()));
  if (rows == columns) {
    return object::runtime_error(in, "linalg.matrix_norm: dims must be different. Got ({}, {})", rows, columns);
  }
  return MatrixDims{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), keeps.as_bool()};
}

PyResult<Value> matrix_norm_by_number(OpCall& call, const Value& given) {
  Interpreter& in = call.interpreter;
  const Term x = prepared(call.args[0], call.args[4]);
  NNS_TRY(x.result());
  NNS_TRY_ASSIGN(const MatrixDims dims, matrix_dims(in, x, call.args[2], call.args[3]));
  const double order = Number::of(given).as_double();
  const bool largest = order > 0;
  if (std::abs(order) == 2) return value_of(value_norm(x, dims, largest ? OfValues::Largest : OfValues::Smallest));
  if (std::abs(order) == 1) return value_of(sum_norm(x, dims, true, largest));
  if (std::isinf(order)) return value_of(sum_norm(x, dims, false, largest));
  return object::runtime_error(in, "linalg.matrix_norm: Order {} not supported.", order);
}
PyResult<Value> matrix_norm_by_word(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Term x = prepared(call.args[0], call.args[4]);
  NNS_TRY(x.result());
  NNS_TRY_ASSIGN(const MatrixDims dims, matrix_dims(in, x, call.args[2], call.args[3]));
  const std::string_view order = call.args[1].as<object::Str>()->view();
  if (order == "nuc") return value_of(value_norm(x, dims, OfValues::Sum));
  if (order != "fro") return object::runtime_error(in, "linalg.matrix_norm: Order {} not supported.", order);
  return value_of(apply(
      OpId::norm, {sizes_of_items(x), 2, TermArgument(dims_value(in, Dims({dims.rows, dims.columns}))), dims.keeps}));
}

// A, ord, dim, keepdim, dtype.
PyResult<Value> norm_by_number(OpCall& call) {
  Interpreter& in = call.interpreter;
  const std::size_t ndim = call.required(0).ndim();
  const bool has_order = !call.is_none(1), has_dims = !call.is_none(2);
  const Dims dims = has_dims ? call.dims(2) : Dims();
  if (has_dims && dims.size() != 1 && dims.size() != 2 && has_order) {
    return object::runtime_error(in, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}",
                                 list_text(dims));
  }
  if (has_order && !has_dims && ndim != 1 && ndim != 2) {
    return object::runtime_error(
        in, "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.", ndim);
  }
  if (has_order && (has_dims ? dims.size() == 2 : ndim == 2)) return matrix_norm_by_number(call, call.args[1]);
  return vector_norm(in, call.args[0], has_order ? call.args[1] : Value(2), call.args[2], call.args[3], call.args[4]);
}
PyResult<Value> norm_by_word(OpCall& call) {
  const std::size_t ndim = call.required(0).ndim();
  if (!call.is_none(2) && call.dims(2).size() != 1 && call.dims(2).size() != 2) {
    return object::runtime_error(call.interpreter,
                                 "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}",
                                 list_text(call.dims(2)));
  }
  if (call.is_none(2) && ndim != 1 && ndim != 2) {
    return object::runtime_error(
        call.interpreter, "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.",
        ndim);
  }
  return matrix_norm_by_word(call);
}

// input, p, dim, keepdim, dtype.
PyResult<Value> old_norm_by_word(OpCall& call) {
  const std::string_view order = call.args[1].as<object::Str>()->view();
  if (order == "fro") {
    return vector_norm(call.interpreter, call.args[0], Value(2), call.args[2], call.args[3], call.args[4]);
  }
  if (order == "nuc") return matrix_norm_by_word(call);
  return object::runtime_error(call.interpreter, "only valid p-norm string is 'fro' or 'nuc', found {}", order);
}

}  // namespace

template <>
OpBodies bodies<OpId::norm_number>() {
  return {.composite = [](OpCall& call) {
    return vector_norm(call.interpreter, call.args[0], call.args[1], call.args[2], call.args[3], call.args[4]);
  }};
}
template <>
OpBodies bodies<OpId::norm_word>() {
  return {.composite = old_norm_by_word};
}
template <>
OpBodies bodies<OpId::linalg_vector_norm>() {
  return {.composite = [](OpCall& call) {
    return vector_norm(call.interpreter, call.args[0], call.args[1], call.args[2], call.args[3], call.args[4]);
  }};
}
template <>
OpBodies bodies<OpId::linalg_matrix_norm>() {
  return {.composite = [](OpCall& call) { return matrix_norm_by_number(call, call.args[1]); }};
}
template <>
OpBodies bodies<OpId::linalg_matrix_norm_str>() {
  return {.composite = matrix_norm_by_word};
}
template <>
OpBodies bodies<OpId::linalg_norm>() {
  return {.composite = norm_by_number};
}
template <>
OpBodies bodies<OpId::linalg_norm_str>() {
  return {.composite = norm_by_word};
}

}  // namespace nns::ops
