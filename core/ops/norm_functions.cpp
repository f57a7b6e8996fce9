#include <cmath>
#include <limits>

#include "core/object/str.h"
#include "core/ops/made_functions.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"

// The norms and products of torch.linalg.
// Behaviour: aten/src/ATen/native/LinearAlgebra.cpp (linalg_vector_norm, linalg_matrix_norm, linalg_norm,
// matrix_power). Differs: the norms of order 2, -2 and 'nuc' of a matrix need singular values, which are not computed;
// they raise.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;

Term term_of(const Value& value) { return Ref<Tensor>(value.as<Tensor>()); }

// In another dtype first, if one is given.
PyResult<Value> in_dtype(Interpreter& in, const Value& x, const Value& dtype) {
  return dtype.is_none() ? PyResult<Value>(x) : call_op(in, OpId::to_dtype, {x, dtype});
}

// x, ord, dim, keepdim, dtype.
PyResult<Value> vector_norm(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value x, in_dtype(in, a[0], a[4]));
  return call_op(in, OpId::norm, {x, a[1], a[2], a[3]});
}

// The sum of the sizes along one dimension of a matrix, of these the largest or the smallest along the other.
PyResult<Value> sum_norm(Interpreter& in, const Term& x, std::int64_t summed, std::int64_t chosen, bool largest,
                         bool keep) {
  const auto one = [&](std::int64_t dim) { return TermArgument(dims_value(in, Dims({dim}))); };
  const Term sums = apply(OpId::sum_dim, {apply(OpId::abs, {x}), one(summed), true});
  const Term most = apply(largest ? OpId::amax : OpId::amin, {sums, one(chosen), true});
  if (keep) return value_of(most);
  return value_of(apply(OpId::squeeze, {most, TermArgument(dims_value(in, Dims({summed, chosen})))}));
}

// A, ord, dim, keepdim, dtype.
PyResult<Value> matrix_norm(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value given, in_dtype(in, a[0], a[4]));
  const Tensor& x = *given.as<Tensor>();
  if (x.ndim() < 2) {
    return object::runtime_error(in, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.");
  }
  const Dims dims = dims_of(a[2]);
  if (dims.size() != 2)
    return object::runtime_error(in, "linalg.matrix_norm: dim must be a 2-tuple. Got {}", dims.size());
  NNS_TRY_ASSIGN(const std::size_t row, checked_dimension(in, dims[0], x.ndim()));
  NNS_TRY_ASSIGN(const std::size_t column, checked_dimension(in, dims[1], x.ndim()));
  if (row == column) {
    return object::runtime_error(in, "linalg.matrix_norm: dims must be different. Got ({}, {})", dims[0], dims[1]);
  }
  const auto* const name = a[1].as<object::Str>();
  if (name != nullptr && name->view() == "fro") return call_op(in, OpId::norm, {given, Value(2), a[2], a[3]});
  if (name != nullptr && name->view() != "nuc") {
    return object::runtime_error(in, "linalg.matrix_norm: Order {} not supported.", name->view());
  }
  const double order = name == nullptr ? Number::of(a[1]).as_double() : 2;
  const auto rows = static_cast<std::int64_t>(row), columns = static_cast<std::int64_t>(column);
  if (std::abs(order) == 1) return sum_norm(in, term_of(given), rows, columns, order > 0, a[3].as_bool());
  if (std::isinf(order)) return sum_norm(in, term_of(given), columns, rows, order > 0, a[3].as_bool());
  if (std::abs(order) == 2) {
    return object::error<object::ErrorKind::NotImplementedError>(
        in, "linalg.matrix_norm: this order needs singular values, which are not computed here");
  }
  return object::runtime_error(in, "linalg.matrix_norm: Order {} not supported.", order);
}

// A, ord, dim, keepdim, dtype.
PyResult<Value> norm(Interpreter& in, Args a) {
  const std::size_t ndim = a[0].as<Tensor>()->ndim();
  const std::size_t dims = a[2].is_none() ? 0 : dims_of(a[2]).size();
  if (!a[1].is_none() && !a[2].is_none() && dims != 1 && dims != 2) {
    return object::runtime_error(in, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}", dims);
  }
  if (!a[1].is_none() && a[2].is_none() && ndim != 1 && ndim != 2) {
    return object::runtime_error(
        in, "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.", ndim);
  }
  const bool is_matrix = !a[1].is_none() && (dims == 2 || (a[2].is_none() && ndim == 2));
  if (is_matrix) {
    const Value both = a[2].is_none() ? dims_value(in, Dims({-2, -1})) : a[2];
    return matrix_norm(in, std::array{a[0], a[1], both, a[3], a[4]});
  }
  if (a[1].as<object::Str>() != nullptr) {
    return object::runtime_error(in, "linalg.norm: Order {} not supported for a vector",
                                 a[1].as<object::Str>()->view());
  }
  return vector_norm(in, std::array{a[0], a[1].is_none() ? Value(2) : a[1], a[2], a[3], a[4]});
}

PyResult<Value> matrix_power(Interpreter& in, Args a) {
  const Tensor& x = *a[0].as<Tensor>();
  std::int64_t n = a[1].as_int();
  if (x.ndim() < 2) {
    return object::runtime_error(in, "linalg.matrix_power: The input tensor A must have at least 2 dimensions.");
  }
  const std::int64_t size = x.shape()[x.ndim() - 1];
  if (x.shape()[x.ndim() - 2] != size) {
    return object::runtime_error(
        in, "linalg.matrix_power: A must be batches of square matrices, but they are {} by {} matrices",
        x.shape()[x.ndim() - 2], size);
  }
  if (n < 0) {
    return object::error<object::ErrorKind::NotImplementedError>(
        in, "linalg.matrix_power: a negative power needs an inverse, which is not computed here");
  }
  Dims eye_shape(2, size);
  const Ref<Tensor> eye = tensor::zeros(in, eye_shape, x.dtype(), x.device());
  if (!x.is_meta()) tensor::fill_items(*tensor::as_strided(*eye, Dims({size}), Dims({size + 1}), 0), 1);
  // By squaring: the power is the product of those whose bit is set.
  Term square = term_of(a[0]), power;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) power = power.is_none() ? square : matmul(power, square);
    if (n > 1) square = matmul(square, square);
  }
  if (!power.is_none())
    return power.ok() && power.ref().get() == a[0].as<Tensor>() ? call_op(in, OpId::clone, {a[0]}) : value_of(power);
  return value_of(apply(OpId::clone, {apply(OpId::expand, {Term(eye), TermArgument(dims_value(in, x.shape()))})}));
}

}  // namespace

void add_norm_functions(Interpreter& interpreter) {
  constexpr std::string_view kModule = "torch.linalg";
  add_function(interpreter, kModule,
               "vector_norm(Tensor x, Number ord=2, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None)",
               vector_norm);
  for (const std::string_view order : {"Number ord", "str ord='fro'"}) {
    const auto signature = fmt::format(
        "matrix_norm(Tensor A, {}, int[]? dim=None, bool keepdim=False, *, dtype? "
        "dtype=None)",
        order);
    add_function(interpreter, kModule, signature, [](Interpreter& in, Args a) {
      const Value dims = a[2].is_none() ? dims_value(in, Dims({-2, -1})) : a[2];
      return matrix_norm(in, std::array{a[0], a[1], dims, a[3], a[4]});
    });
  }
  for (const std::string_view order : {"Number? ord=None", "str ord"}) {
    add_function(interpreter, kModule,
                 fmt::format("norm(Tensor A, {}, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None)", order),
                 norm);
  }
  add_function(interpreter, kModule, "cross(Tensor input, Tensor other, *, int dim=-1)",
               [](Interpreter& in, Args a) { return call_op(in, OpId::cross, a); });
  add_function(interpreter, kModule, "matmul(Tensor input, Tensor other)",
               [](Interpreter& in, Args a) { return call_op(in, OpId::matmul, a); });
  add_function(interpreter, kModule, "vecdot(Tensor x, Tensor y, *, int dim=-1)", [](Interpreter& in, Args a) {
    return value_of(apply(OpId::sum_dim,
                          {conj(term_of(a[0])) * term_of(a[1]), TermArgument(dims_value(in, Dims({a[2].as_int()})))}));
  });
  add_function(interpreter, kModule, "diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1)",
               [](Interpreter& in, Args a) { return call_op(in, OpId::diagonal, a); });
  for (const std::string_view module : {std::string_view("torch"), kModule}) {
    add_function(interpreter, module, "matrix_power(Tensor input, int n)", matrix_power);
  }
  add_method(interpreter, "matrix_power(Tensor input, int n)", matrix_power);
}

}  // namespace nns::ops
