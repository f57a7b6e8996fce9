#include <limits>

#include "core/ops/linalg.h"
#include "core/ops/python_function.h"

// Matrices as terms.
namespace nns::ops {

Dims batch_of(const Tensor& matrices) { return Dims(matrices.shape().span().first(matrices.ndim() - 2)); }

Dims with_sizes(const Dims& batch, std::initializer_list<std::int64_t> sizes) {
  std::vector<std::int64_t> whole(batch.begin(), batch.end());
  whole.insert(whole.end(), sizes);
  return Dims(whole);
}

std::int64_t rows_of(const Tensor& matrices) { return matrices.shape()[matrices.ndim() - 2]; }
std::int64_t columns_of(const Tensor& matrices) { return matrices.shape()[matrices.ndim() - 1]; }

DType real_dtype_of(DType dtype) {
  if (dtype == DType::Complex64) return DType::Float32;
  return dtype == DType::Complex128 ? DType::Float64 : dtype;
}
DType complex_dtype_of(DType dtype) {
  if (dtype == DType::Float64) return DType::Complex128;
  return tensor::is_complex(dtype) ? dtype : DType::Complex64;
}
double epsilon_of(DType dtype) {
  return real_dtype_of(dtype) == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                                : static_cast<double>(std::numeric_limits<float>::epsilon());
}

PyResult<void> give_columns(OpCall& call, const Dims& shape, DType dtype) {
  Dims turned = shape;
  std::swap(turned[shape.size() - 2], turned[shape.size() - 1]);
  NNS_TRY(call.give(turned, dtype));
  const bool is_inference = call.outputs.back()->is_inference();
  call.outputs.back() = tensor::transpose(*call.outputs.back(), shape.size() - 2, shape.size() - 1);
  if (is_inference) call.outputs.back()->mark_inference();
  return {};
}

PyResult<std::vector<Term>> parts_of(Interpreter& interpreter, OpId id, std::initializer_list<Value> args) {
  NNS_TRY_ASSIGN(const Value made, call_op(interpreter, id, args));
  std::vector<Term> parts;
  for (const Value& item : made.as<object::Tuple>()->items()) parts.emplace_back(Ref<Tensor>(item.as<Tensor>()));
  return parts;
}

PyResult<Value> named_terms(OpCall& call, std::initializer_list<Term> items) {
  std::vector<Value> values;
  for (const Term& item : items) {
    NNS_TRY_ASSIGN(Value value, value_of(item));
    values.push_back(std::move(value));
  }
  return named_result(call.interpreter, call.op.name, call.op.bodies.result_fields, std::move(values));
}

bool is_complex_term(const Term& x) { return x.ok() && !x.is_none() && tensor::is_complex(x.tensor().dtype()); }

Term transposed(const Term& x) { return apply(OpId::transpose, {x, -2, -1}); }
Term adjoint(const Term& x) {
  const Term turned = transposed(x);
  return is_complex_term(turned) ? conj(turned) : turned;
}
Term lower_of(const Term& x, std::int64_t diagonal) { return apply(OpId::tril, {x, diagonal}); }
Term upper_of(const Term& x, std::int64_t diagonal) { return apply(OpId::triu, {x, diagonal}); }
Term diagonal_of(const Term& x) { return apply(OpId::diagonal, {x, 0, -2, -1}); }
Term diagonal_matrix(const Term& x) { return apply(OpId::diag_embed, {x}); }
Term as_column(const Term& x) { return apply(OpId::unsqueeze, {x, -1}); }
Term as_row(const Term& x) { return apply(OpId::unsqueeze, {x, -2}); }
Term narrowed(const Term& x, std::int64_t dim, std::int64_t from, std::int64_t count) {
  return apply(OpId::narrow, {x, dim, from, count});
}
Term sum_over(const Term& x, std::initializer_list<std::int64_t> dims, bool keeps) {
  if (!x.ok()) return x;
  return apply(OpId::sum_dim, {x, TermArgument(dims_value(x.tensor().interpreter(), Dims(dims))), keeps});
}
Term joined(const Term& a, const Term& b, std::int64_t dim) {
  if (!a.ok()) return a;
  if (!b.ok()) return b;
  Interpreter& in = a.tensor().interpreter();
  return call_tensor_op(in, OpId::cat, std::array{Value(in.tuple({Value(a.ref()), Value(b.ref())})), Value(dim)});
}
Term real_part(const Term& x) { return is_complex_term(x) ? apply(OpId::real, {x}) : x; }

Term identity_like(const Term& like, std::int64_t size) {
  if (!like.ok()) return like;
  const Tensor& x = like.tensor();
  const Ref<Tensor> made = tensor::zeros(x.interpreter(), Dims({size, size}), x.dtype(), x.device());
  if (!x.is_meta()) tensor::fill_items(*tensor::as_strided(*made, Dims({size}), Dims({size + 1}), 0), 1);
  return made;
}

Term solved(const Term& a, const Term& b, bool left) { return apply(OpId::linalg_solve, {a, b, left}); }
Term triangular_solved(const Term& a, const Term& b, bool upper, bool left, bool unit) {
  return apply(OpId::linalg_solve_triangular, {a, b, upper, left, unit});
}

}  // namespace nns::ops
